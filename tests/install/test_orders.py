"""The documented steps in the order of somebody who tries first and installs later, on a clone of the last commit."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


def run(*command, cwd):
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_install_after_quickstart_alone(tmp_path):
    run("git", "clone", "--quiet", ROOT, tmp_path / "clone", cwd=tmp_path)
    clone, prefix = tmp_path / "clone", tmp_path / "prefix"
    assert "multiplications in integers" in run("./dev", "quickstart", cwd=clone)
    run("cmake", "--install", "build", "--prefix", prefix, cwd=clone)
    for name in ("observers", "ops"):  # those that `preon instrument` and targets with custom operators name
        assert (clone / f"build/lib/libpreon_{name}.so").exists()
        assert len(list(prefix.glob(f"lib*/**/libpreon_{name}.so"))) == 1
    example = clone / "examples/glyphs"
    run(prefix / "bin/preon", "quantize", example / "model.onnx", "-o", tmp_path / "q.onnx", "--data", example / "calib.npz", cwd=tmp_path)
    assert run("git", "status", "--porcelain", cwd=clone) == ""
