"""docs/scale.md: its examples run as printed, on the engines that are installed; a worker that is killed changes no byte."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build")
PACKAGE = BUILD / "python/preon"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not PACKAGE.exists(), reason="the Python package is not built (nanobind)")]
ENGINES = {"Ray": "ray", "Dask": "distributed", "MPI": "mpi4py"}
#: Kills the first worker that reads samples, as the system does when memory is short.
KILLS_ONE = """
import os, signal
import numpy
def rows():
    try:
        os.close(os.open({mark!r}, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return numpy.load({data!r})["input"]
    os.kill(os.getpid(), signal.SIGKILL)
"""


def blocks(section):
    """(language, text) of the code in a section of the page; the introduction is ""."""
    page = dict(re.findall(r"^(?:## |# )(.*?)\n(.*?)(?=^## |\Z)", (ROOT / "docs/scale.md").read_text(), re.M | re.S))
    return re.findall(r"^```(\w*)\n(.*?)^```", page[section], re.M | re.S)


def environment(**more):
    # mpirun refuses to run as root, or more ranks than cores, unless told.
    of_mpi = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    return {**os.environ, **of_mpi, "PYTHONPATH": f"{BUILD / 'python'}:.", "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}", **more}


def execute(folder, language, text, check=True):
    if language == "python":
        (folder / "example.py").write_text(text)
        text = f'"{sys.executable}" example.py'
    done = subprocess.run(text.replace("preon status", f"{sys.executable} -m preon status"), shell=True, cwd=folder, env=environment(), capture_output=True,
                          text=True, timeout=300)
    assert not check or done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done


@pytest.fixture
def whole(preon, model, data, tmp_path):
    (tmp_path / "samples").mkdir()
    shutil.copy(tmp_path / data, tmp_path / "samples")
    assert preon("calibrate", model, "-o", "whole.calib", "--data", "samples").returncode == 0
    return (tmp_path / "whole.calib").read_bytes()


def needs(engine):
    pytest.importorskip(ENGINES[engine], reason=f"{engine} is not installed")
    if engine == "MPI" and not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed")


@pytest.mark.parametrize("engine", ENGINES)
def test_as_printed(engine, whole, tmp_path):
    needs(engine)
    describe, status = blocks("Scale: one calibration on many machines")[:2]
    execute(tmp_path, *describe)
    assert "0 of 8 done" in execute(tmp_path, *status).stdout
    (example,) = blocks(engine)
    execute(tmp_path, *example)
    assert (tmp_path / "model.calib").read_bytes() == whole
    assert "8 of 8 done, 16 samples" in execute(tmp_path, *status).stdout


@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_is_killed(engine, whole, tmp_path, data):
    needs(engine)
    (tmp_path / "rows.py").write_text(KILLS_ONE.format(mark=str(tmp_path / "killed"), data=str(tmp_path / data)))
    describe = blocks("Scale: one calibration on many machines")[0][1].replace('"samples/"', '"python:rows:rows"')
    execute(tmp_path, "python", describe)
    (example,) = blocks(engine)
    first = execute(tmp_path, *example, check=engine != "MPI")
    assert (tmp_path / "killed").exists()
    if engine == "MPI":
        assert first.returncode != 0
        execute(tmp_path, *example)
    assert (tmp_path / "model.calib").read_bytes() == whole


@pytest.mark.parametrize("section", ["Slurm", "Kubernetes"])
def test_templates_as_printed(section, whole, tmp_path):
    execute(tmp_path, *blocks("Scale: one calibration on many machines")[0])
    (example,) = blocks(section)
    execute(tmp_path, *example)
    assert len(list((tmp_path / "jobs").iterdir())) == (3 if section == "Slurm" else 2)


def test_other_schedulers_as_printed(whole, tmp_path):
    execute(tmp_path, *blocks("Scale: one calibration on many machines")[0])
    shard, merge = blocks("Other schedulers")[0][1].splitlines()
    for number in range(1, 9):
        execute(tmp_path, "", shard.replace(" 3", f" {number}"))
    execute(tmp_path, "", merge)
    assert (tmp_path / "model.calib").read_bytes() == whole
