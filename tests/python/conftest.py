"""The package under test (tests/conftest.py says which)."""
import os
import pathlib

import data_root
import numpy as np
import onnx
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
DATA = data_root.data_root()


@pytest.fixture(scope="session")
def package():
    return pytest.importorskip("preon", reason="the Python package is not built (nanobind)")


@pytest.fixture(autouse=True)
def latency_is_left_out(monkeypatch):
    """Latency is measured where a test asks for it: it takes most of the time of a small model's run."""
    try:
        from preon import core
    except ImportError:
        return
    run = core._run
    monkeypatch.setattr(core, "_run", lambda verb, paths, options, *more, **named:
                        run(verb, paths, {"latency": 0, **options} if verb in ("quantize", "compare") else options, *more, **named))


@pytest.fixture
def samples(data, tmp_path):
    """Those of the tiny model's calib.npz, one by one."""
    arrays = dict(np.load(tmp_path / data))
    return [{name: array[i:i + 1] for name, array in arrays.items()} for i in range(len(next(iter(arrays.values()))))]


@pytest.fixture
def rows(data, tmp_path):
    """Those of the tiny model's calib.npz, as one array."""
    return np.load(tmp_path / data)["input"]


@pytest.fixture
def proto(model, tmp_path):
    """The tiny model, in memory."""
    return onnx.load(tmp_path / model)


class Reader:
    """Without rewind() and base, as most scripts write it."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)


@pytest.fixture
def reader():
    return Reader


@pytest.fixture(scope="session")
def vectors():
    return data_root.QUARK


@pytest.fixture(scope="session")
def shared():
    """shared(name): a file or folder of the shared data; skips without."""
    def find(name):
        if not (DATA / name).exists():
            pytest.skip(f"{DATA / name} is not there (./dev data fetches it)")
        return DATA / name

    return find
