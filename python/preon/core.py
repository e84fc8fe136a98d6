"""Plain functions over the library: paths or models in memory, samples from files or a reader."""
import contextlib
import html
import json
import os
import pathlib
import tempfile

from . import _preon
from .errors import ConfigError, failure


class Result:
    """What a run made: the object that `preon --json` prints, and the summary that it prints without."""

    def __init__(self, facts, text, model=None):
        self.facts, self.text, self.model = facts, text, model

    def __getattr__(self, name):
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(f"no '{name}'; there are: {', '.join(self.facts)}") from None

    def __repr__(self):
        return self.text or json.dumps(self.facts, indent=1)

    def _repr_html_(self):
        return f"<pre>{html.escape(repr(self))}</pre>"


class _Samples:
    """A reader as the library asks it: by index, from 0 again as often as it likes."""

    def __init__(self, reader):
        self.reader, self.next, self.kept = reader, 0, []
        self.rewinds = callable(getattr(reader, "rewind", None))

    def __call__(self, index):
        if index < len(self.kept):
            return self.kept[index]
        if index == 0 and self.next > 0 and self.rewinds:
            self.reader.rewind()
            self.next = 0
        if index < self.next:
            return None
        sample = self.reader.get_next()
        self.next = index + 1
        if sample is None:
            return None
        if not isinstance(sample, dict):
            raise TypeError(f"get_next: sample {index}: got {type(sample).__name__}, wanted a dict of arrays by input name")
        if not self.rewinds:
            self.kept.append(sample)  # there is no other way to see it again
        return sample


def _text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=_text)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(getattr(value, "name", value))  # members of enums by their names


def _settings(options):
    """Options by their long names, `_` for `-`, as the command line takes them; lists repeat, None is the default."""
    for name, value in options.items():
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if each is None:
                continue
            if isinstance(each, tuple):
                each = f"{each[0]}={_text(each[1])}"
            yield name.replace("_", "-"), _text(each)


@contextlib.contextmanager
def _as_file(model):
    """The path of a model that may be one in memory."""
    if isinstance(model, bytes):
        model = os.fsdecode(model)
    if isinstance(model, (str, os.PathLike)):
        yield os.fspath(model)
        return
    if not hasattr(model, "SerializeToString"):
        raise TypeError(f"model: got {type(model).__name__}, wanted a path or an onnx.ModelProto")
    with tempfile.TemporaryDirectory(prefix="preon-") as folder:
        path = pathlib.Path(folder) / "model.onnx"
        path.write_bytes(model.SerializeToString())
        yield str(path)


def _data_options(data, reader):
    if data is not None and reader is not None:
        raise ConfigError(1004, "reader and data: got both, wanted one", exit_status=2)
    sources = [data] if isinstance(data, (str, bytes, os.PathLike)) else list(data or [])
    return [("data", os.fsdecode(source)) for source in sources]


def _run(function, model, output, settings, reader, progress):
    answer = function(model, output, settings, _Samples(reader) if reader is not None else None, progress)
    if answer[0] is None:
        raise failure(*answer[1:])
    return Result(json.loads(answer[0]), answer[1])


def quantize(model, output=None, data=None, reader=None, progress=None, **options):
    """Quantizes a float model, verifies the result and writes it.

    model     path, or onnx.ModelProto
    output    path; None: the result's `model` is an onnx.ModelProto
    data      .npz, .npy, folder, "random:32", or a list of these
    reader    instead of data: an object with get_next() -> {input name: array} or None, and rewind() if it has one;
              without rewind() its samples are kept in memory for the comparison
    progress  called as progress(stage, done, total); total is 0 while unknown
    options   of `preon quantize --help` by their long names, "_" for "-": activation="bfp16", exclude=["head*"]

    Raises PreonError and its kinds; what reader and progress raise.
    """
    with _as_file(model) as path, tempfile.TemporaryDirectory(prefix="preon-") as folder:
        target = os.fsdecode(output) if output is not None else os.path.join(folder, "quantized.onnx")
        settings = _data_options(data, reader) + list(_settings(options))
        result = _run(_preon.quantize, path, target, settings, reader, progress)
        if output is None:
            import onnx

            result.model = onnx.load(target)
    return result


def calibrate(model, output, data=None, reader=None, progress=None, **options):
    """One pass over the data: every method's statistics, into a .calib file. Arguments as of quantize()."""
    with _as_file(model) as path:
        settings = _data_options(data, reader) + list(_settings(options))
        return _run(_preon.calibrate, path, os.fsdecode(output), settings, reader, progress)
