"""examples/python/glyphs.py runs as it stands."""
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "python"


def test_notebook_as_a_file(tmp_path):
    if not any((PACKAGE / "preon").glob("_preon*.so")):
        pytest.skip("the Python package is not built (nanobind)")
    done = subprocess.run([sys.executable, ROOT / "examples/python/glyphs.py"], cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "INT8" in done.stdout and "quantizers of blocks" in done.stdout
