"""Data as object stores, WebDataset, Parquet and Arrow have them: the same bytes as the same samples in files."""
import io
import sys
import tarfile

import numpy as np
import pytest
from PIL import Image

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")


@pytest.fixture
def calibrated(model, tmp_path):
    def calibrate(data, **options):
        preon_package.calibrate(tmp_path / model, tmp_path / "out.calib", data=data, **options)
        return (tmp_path / "out.calib").read_bytes()
    return calibrate


@pytest.fixture
def photos(tmp_path):
    """Name -> file, in two folders."""
    dice, files = np.random.default_rng(0), {}
    for name in ("day/0", "day/1", "night/0", "night/1"):
        path = tmp_path / f"photos/{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(dice.integers(0, 256, (8, 8, 3), np.uint8)).save(path)
        files[f"{name}.png"] = path.read_bytes()
    return files


def write_tar(path, members):
    with tarfile.open(path, "w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return path


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def test_tar_of_images(calibrated, photos, tmp_path):
    members = {}
    for name, content in photos.items():
        members |= {name: content, name.replace(".png", ".cls"): b"3"}
    tar = write_tar(tmp_path / "photos.tar", members)
    assert calibrated(tar, preprocess="unit") == calibrated(tmp_path / "photos", preprocess="unit")


@pytest.mark.parametrize("ending", ["npy", "input.npy", "npz"])
def test_tar_of_arrays(calibrated, samples, data, tmp_path, ending):
    members = {}
    for index, sample in enumerate(samples):
        content = npy(sample["input"][0])
        if ending == "npz":
            file = io.BytesIO()
            np.savez(file, input=sample["input"][0])
            content = file.getvalue()
        members |= {f"{index:04d}.{ending}": content, f"{index:04d}.json": b"{}"}
    assert calibrated(write_tar(tmp_path / "x.tar", members)) == calibrated(tmp_path / data)


@pytest.mark.parametrize("members, says", [({"../0.png": b"x"}, "leads out of the archive"), ({"/0.png": b"x"}, "leads out of the archive"),
                                           ({"0.cls": b"1"}, "no image, sound or array"), ({"0.npy": b"\x93NUMPY"}, "x.tar")])
def test_tar_that_cannot_be_used(calibrated, tmp_path, members, says):
    with pytest.raises(preon_package.DataError, match=says):
        calibrated(write_tar(tmp_path / "x.tar", members))
    (tmp_path / "x.tar").write_bytes(b"no tar")
    with pytest.raises(preon_package.DataError, match="x.tar"):
        calibrated(tmp_path / "x.tar")


def test_table_of_numbers(calibrated, samples, data, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"input": [sample["input"][0].tolist() for sample in samples], "note": ["x"] * len(samples)})
    parquet.write_table(table, tmp_path / "x.parquet")
    assert calibrated(f"{tmp_path}/x.parquet#input") == calibrated(tmp_path / data)
    assert calibrated(table) == calibrated(tmp_path / data)
    with pytest.raises(preon_package.DataError, match="no column inputs"):
        calibrated(f"{tmp_path}/x.parquet#inputs")


@pytest.mark.parametrize("column", ["bytes", "struct"])
def test_table_of_images(calibrated, photos, tmp_path, column):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    images = list(photos.values()) if column == "bytes" else [{"bytes": content, "path": name} for name, content in photos.items()]
    parquet.write_table(arrow.table({"image": images, "label": [0, 1, 0, 1]}), tmp_path / "x.parquet")
    assert calibrated(f"{tmp_path}/x.parquet#image", preprocess="unit") == calibrated(tmp_path / "photos", preprocess="unit")
    with pytest.raises(preon_package.DataError, match="x.parquet#image takes one column"):
        calibrated(f"{tmp_path}/x.parquet", preprocess="unit")


def test_object_store(calibrated, photos, data, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    store = fsspec.filesystem("memory")
    store.pipe({"/bucket/calib.npz": (tmp_path / data).read_bytes(), **{f"/bucket/photos/{name}": content for name, content in photos.items()}})
    assert calibrated("memory://bucket/calib.npz") == calibrated(tmp_path / data)
    assert calibrated("memory://bucket/photos", preprocess="unit") == calibrated(tmp_path / "photos", preprocess="unit")
    with pytest.raises(preon_package.NotFound, match="memory://bucket/gone.npz"):
        calibrated("memory://bucket/gone.npz")


@pytest.mark.parametrize("package, data", [("fsspec", "s3://bucket/x.npz"), ("pyarrow.dataset", "x.parquet")])
def test_a_package_that_is_not_there(calibrated, monkeypatch, package, data):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(preon_package.ConfigError, match=r'pip install "preon\[data\]"'):
        calibrated(data)


@pytest.mark.parametrize("data, number", [("nosuchstore://bucket/x.npz", 1002), ("s3://bucket/x.npz", 1007)])
def test_a_store_that_is_not_known_or_not_installed(calibrated, monkeypatch, data, number):
    fsspec = pytest.importorskip("fsspec")
    if number == 1007:
        monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.setattr(fsspec.registry, "_registry", {})
    with pytest.raises(preon_package.ConfigError) as caught:
        calibrated(data)
    assert caught.value.number == number
