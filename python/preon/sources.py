"""Data that the library does not read itself, as files that it does: object stores (fsspec), tar files of WebDataset, Parquet and Arrow."""
import contextlib
import importlib
import os
import pathlib
import tarfile
import tempfile

from .errors import ConfigError, DataError, NotFound

_TABLES = (".parquet", ".arrow", ".feather")
_IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".webp")
_SOUNDS = (".wav",)
#: How files begin that a column may hold, and their endings.
_BEGINS = {b"\xff\xd8\xff": ".jpg", b"\x89PNG": ".png", b"BM": ".bmp", b"RIFF": ".webp"}
_ROWS = 256  # of a table that are in memory at once


def temporary_folder(parent):
    """For the time of a call: below `parent`, which is made if it is missing; None: the system's folder for such files."""
    if parent is not None:
        os.makedirs(parent, exist_ok=True)
    return tempfile.TemporaryDirectory(prefix="preon-", dir=parent)


def is_read_directly(source):
    """Does the library itself read what `source` says?"""
    path = os.fsdecode(source)
    return not ("://" in path or path.endswith(".tar") or _is_table(path.partition("#")[0]))


@contextlib.contextmanager
def local(source, parent=None):
    """The path of a file or folder that holds what `source` says; a temporary one, below the folder `parent`, unless the library reads
    `source` itself.

    URL (with ://)   fetched through fsspec; then as below
    x.tar            samples of WebDataset: images and sound as a folder, arrays (.npy, .npz) as one file for each sample
    x.parquet, x.arrow, x.feather[#COLUMN,...]   columns of numbers, by input name; or one column of encoded images
    """
    if is_read_directly(source):
        yield source
        return
    text = os.fsdecode(source)
    path, _, columns = text.partition("#") if _is_table(text.partition("#")[0]) else (text, "", "")
    with temporary_folder(parent) as folder:
        name = path.rstrip("/").rpartition("/")[2]
        if "://" in path:
            fetched = os.path.join(folder, "fetched", name)
            _fetch(path, fetched)
            path = fetched
        unpacked = pathlib.Path(folder, "samples")
        if path.endswith(".tar"):
            unpacked.mkdir()
            _unpack_tar(path, unpacked)
        elif _is_table(path):
            unpacked.mkdir()
            _unpack_table(path, [column for column in columns.split(",") if column], unpacked)
        else:
            unpacked = path
        yield str(unpacked)


def _is_table(path):
    return path.endswith(_TABLES)


def _needs(module):
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(1007, f"data: the package {module} is not installed ({error})", 'pip install "preon[data]"', 2) from None


def _fetch(url, target):
    fsspec = _needs("fsspec")
    try:
        files, path = fsspec.core.url_to_fs(url)
    except ImportError as error:  # of the package for this kind of store
        raise ConfigError(1007, f"data: {url}: {error}", exit_status=2) from None
    except ValueError as error:
        raise ConfigError(1002, f"data: {url}: {error}", exit_status=2) from None
    try:
        os.makedirs(os.path.dirname(target))
        files.get(path.rstrip("/"), target, recursive=files.isdir(path))
    except (OSError, ValueError) as error:
        raise NotFound(3001, f"data: {url}: {type(error).__name__}: {error}", exit_status=2) from None


@contextlib.contextmanager
def _readable(path):
    """Whatever a package says of a damaged file."""
    try:
        yield
    except DataError:
        raise
    except (OSError, ValueError, EOFError, tarfile.TarError) as error:
        raise DataError(3002, f"data: {path}: {error}", exit_status=2) from None


def _unpack_tar(path, folder):
    """Members with the same name up to the first dot are one sample. What is no image, sound or array (.cls, .json, .txt) is left out."""
    import numpy as np

    key, arrays, written = None, {}, 0

    def flush():
        if "" in arrays:  # of the only input
            np.save(_inside(folder, f"{key}.npy", path), arrays[""])
        elif arrays:
            np.savez(_inside(folder, f"{key}.npz", path), **arrays)
        arrays.clear()

    with _readable(path), tarfile.open(path) as archive:
        for member in archive:
            if not member.isfile():
                continue
            stem, _, endings = member.name.rpartition("/")[2].partition(".")
            of = f"{member.name.rpartition('/')[0]}/{stem}".lstrip("/")
            if of != key:
                flush()
                key = of
            kind = f".{endings.lower().rpartition('.')[2]}"
            if kind in _IMAGES + _SOUNDS:
                _inside(folder, member.name, path).write_bytes(archive.extractfile(member).read())
            elif kind in (".npy", ".npz"):
                arrays.update(_arrays(archive.extractfile(member), endings.rpartition(".")[0]))
            else:
                continue
            written += 1
        flush()
    if not written:
        raise DataError(3007, f"data: {path}: no image, sound or array in it", exit_status=2)


def _arrays(file, name):
    """By input name ("" without one), with an axis of samples in front."""
    import io

    import numpy as np

    loaded = np.load(io.BytesIO(file.read()), allow_pickle=False)
    named = dict(loaded) if hasattr(loaded, "files") else {name: loaded}
    return {each: array[None] for each, array in named.items()}


def _inside(folder, name, archive):
    """Never outside of the folder, whatever an archive says."""
    parts = pathlib.PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts:
        raise DataError(3002, f"data: {archive}: member '{name}' leads out of the archive", exit_status=2)
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _unpack_table(path, columns, folder):
    dataset = _needs("pyarrow.dataset")
    kind = "parquet" if path.endswith(".parquet") else "feather"
    with _readable(path):
        table = dataset.dataset(path, format=kind)
        unknown = [column for column in columns if column not in table.schema.names]
        if unknown:
            raise DataError(3003, f"data: {path}: no column {', '.join(unknown)}; there are: {', '.join(table.schema.names)}", exit_status=2)
        row = 0
        for batch in table.to_batches(columns=columns or None, batch_size=_ROWS):
            if batch.num_rows:
                _write_rows(path, batch, row, folder)
                row += batch.num_rows


def _write_rows(path, batch, row, folder):
    import numpy as np

    values = {name: column.to_pylist() for name, column in zip(batch.schema.names, batch.columns)}
    encoded = {name: list(map(_bytes_of, column)) for name, column in values.items() if _bytes_of(column[0]) is not None}
    if len(encoded) > 1 or (encoded and len(values) > 1):
        raise DataError(3003, f"data: {path}: columns {', '.join(values)}; wanted one of images, or only numbers",
                        f"{path}#{next(iter(encoded))} takes one column", 2)
    for images in encoded.values():
        for index, image in enumerate(images, row):
            if image is None:
                raise DataError(3002, f"data: {path}: row {index} holds no image", exit_status=2)
            ending = next((ending for begin, ending in _BEGINS.items() if image.startswith(begin)), ".jpg")
            (folder / f"{index:010d}{ending}").write_bytes(image)
    if not encoded:
        np.savez(folder / f"{row:010d}.npz", **{name: np.array(column) for name, column in values.items()})


def _bytes_of(value):
    """Of an encoded image: bytes, or the struct that Hugging Face writes."""
    value = value.get("bytes") if isinstance(value, dict) else value
    return value if isinstance(value, bytes) else None
