"""Runs that are described, computed shard by shard, and merged: the bytes of one process, or an error that names the shard."""
import json
import multiprocessing
import os
import shutil
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import launch  # noqa: E402
from preon.launch import dask, kubernetes, mpi, ray, slurm  # noqa: E402

SHARDS = 4


@pytest.fixture
def whole(model, data, tmp_path):
    preon_package.calibrate(tmp_path / model, tmp_path / "whole.calib", data=tmp_path / data)
    return (tmp_path / "whole.calib").read_bytes()


@pytest.fixture
def run(model, data, tmp_path):
    launch.describe(tmp_path / model, tmp_path / "run.json", output=tmp_path / "model.calib", shards=SHARDS, data=tmp_path / data)
    return tmp_path / "run.json"


def states(run):
    return [shard["state"] for shard in preon_package.status(run).shards]


def test_shards_in_any_order_and_twice(run, whole, tmp_path):
    for shard in (3, 1, 4, 1, 2, 3):
        launch.run_shard(run, shard)
    assert launch.unfinished(run) == [] and preon_package.status(run).complete
    assert launch.merge_run(run).parts == SHARDS
    assert (tmp_path / "model.calib").read_bytes() == whole


def test_a_late_worker_writes_the_same_bytes(run, whole, tmp_path, monkeypatch):
    """Two that both found the shard missing: the later one replaces the result by the same bytes."""
    from preon.launch import shards
    paths = [launch.run_shard(run, shard) for shard in range(1, SHARDS + 1)]
    before = open(paths[1], "rb").read()
    monkeypatch.setattr(shards, "_is_done", lambda *ignored: False)
    assert open(launch.run_shard(run, 2), "rb").read() == before
    launch.merge_run(run)
    assert (tmp_path / "model.calib").read_bytes() == whole


def test_the_folder_can_be_moved(model, data, whole, tmp_path, monkeypatch):
    (tmp_path / "there").mkdir()
    for name in (model, data):
        shutil.copy(tmp_path / name, tmp_path / "there")
    monkeypatch.chdir(tmp_path / "there")
    launch.describe(model, "run.json", output="model.calib", shards=2, data=data)
    launch.run_shard("run.json", 1)
    (tmp_path / "there").rename(tmp_path / "moved")
    launch.run_shard(tmp_path / "moved/run.json", 2)
    launch.merge_run(tmp_path / "moved/run.json")
    assert (tmp_path / "moved/model.calib").read_bytes() == whole


def test_what_is_missing_failed_or_stale_is_named(preon, run, model, data, tmp_path):
    assert states(run) == ["missing"] * SHARDS
    first = launch.run_shard(run, 1)
    shutil.copy(tmp_path / data, tmp_path / "kept.npz")
    np.savez(tmp_path / data, input=np.zeros((3, 3, 8, 8), np.float32))
    with pytest.raises(preon_package.DataError, match="not those that were described"):
        launch.run_shard(run, 2)
    described = json.loads(run.read_text())
    results = [tmp_path / result for result in described["results"]]
    shutil.copy(first, results[2])
    results[3].write_bytes(b"preon-calib 4\ncut short")
    assert states(run) == ["done", "failed", "stale", "stale"]
    failed = preon.fails(2, 3013, "merge", "run.json", "-o", "m.calib", says="3 of 4 shards are not done: 2/4 is failed")
    for part in ("2.calib ([E3013]", "3/4 is stale", "sample 0 was seen twice", "4/4 is stale", "cut short"):
        assert part in failed.stderr, part
    shown = preon("status", "run.json").stdout
    assert "1 of 4 done, 4 samples" in shown and "failed      2/4" in shown
    # Fixed, and started again: what is not done is computed.
    shutil.copy(tmp_path / "kept.npz", tmp_path / data)
    results[2].unlink()
    for shard in launch.unfinished(run):
        launch.run_shard(run, shard)
    assert states(run) == ["done"] * SHARDS and not list(tmp_path.rglob("*.failed"))


def test_another_model_is_refused(run, model, tmp_path):
    import onnx
    changed = onnx.load(tmp_path / model)
    changed.graph.node[0].name = "other"
    onnx.save(changed, tmp_path / model)
    with pytest.raises(preon_package.ModelError, match="is not the model that was described"):
        launch.run_shard(run, 1)
    assert states(run)[0] == "failed"


def test_other_options_are_another_run(run, model, data, tmp_path):
    launch.run_shard(run, 1)
    launch.describe(tmp_path / model, run, output=tmp_path / "model.calib", shards=SHARDS, data=tmp_path / data, exact=True)
    assert states(run) == ["missing"] * SHARDS
    launch.describe(tmp_path / model, run, output=tmp_path / "model.calib", shards=SHARDS, data=tmp_path / data)
    assert states(run) == ["done", *["missing"] * (SHARDS - 1)]


def test_data_of_a_function(model, data, whole, tmp_path, monkeypatch):
    (tmp_path / "my_samples.py").write_text(f"import numpy\ndef rows():\n    return numpy.load({str(tmp_path / data)!r})['input']\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    launch.describe(tmp_path / model, tmp_path / "run.json", output=tmp_path / "model.calib", shards=3, data="python:my_samples:rows")
    for shard in (3, 2, 1):
        launch.run_shard(tmp_path / "run.json", shard)
    launch.merge_run(tmp_path / "run.json")
    assert (tmp_path / "model.calib").read_bytes() == whole
    launch.describe(tmp_path / model, tmp_path / "run.json", output=tmp_path / "model.calib", shards=3, data="python:my_samples:gone")
    with pytest.raises(preon_package.NotFound, match="gone"):
        launch.run_shard(tmp_path / "run.json", 1)


@pytest.mark.parametrize("options, says", [({"methd": 1}, "no option 'methd'"), ({"labels": 3.5, "nothing": None}, "no option 'nothing'")])
def test_options_are_checked_when_described(model, data, tmp_path, options, says):
    with pytest.raises(preon_package.ConfigError, match=says):
        launch.describe(tmp_path / model, tmp_path / "run.json", output=tmp_path / "m.calib", shards=2, data=tmp_path / data, **options)


def test_options_that_are_paths_presets_or_repeated(model, data, samples, whole, tmp_path, monkeypatch):
    """A preset is no path; what is a path follows the description, of whatever type it is."""
    (tmp_path / "there").mkdir()
    for name in (model, data):
        shutil.copy(tmp_path / name, tmp_path / "there")
    (tmp_path / "there/labels.txt").write_text("\n".join(f"{index} 1" for index in range(16)))
    monkeypatch.chdir(tmp_path / "there")
    described = launch.describe(model, "run.json", output="m.calib", shards=2, data=[], config="A8W8", tmp_dir=tmp_path,
                                input=("input", tmp_path / "there" / data), exclude=["relu_1", "pool_1"])
    assert described["options"]["config"] == ["A8W8"] and described["options"]["exclude"] == ["relu_1", "pool_1"]
    monkeypatch.chdir(tmp_path)
    for shard in (1, 2):
        launch.run_shard("there/run.json", shard)
    launch.merge_run("there/run.json")
    np.savez(tmp_path / "there" / data, input=np.zeros((3, 3, 8, 8), np.float32))
    (tmp_path / "there/m.calib.shards").rename(tmp_path / "there/gone")
    with pytest.raises(preon_package.DataError, match="not those that were described"):
        launch.run_shard("there/run.json", 1)


def test_errors_reach_other_processes(run, model, tmp_path):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(preon_package.ConfigError, match="shard: got 9") as caught:
            pool.submit(launch.run_shard, str(run), 9).result()
    assert (caught.value.number, caught.value.exit_status) == (1002, 2)


@pytest.mark.parametrize("field", ["data", "data_fingerprint", "options", "output", "results"])
def test_a_description_without_a_field(run, field):
    described = json.loads(run.read_text())
    del described[field]
    run.write_text(json.dumps(described))
    with pytest.raises(preon_package.ConfigError, match=f"'{field}' is missing"):
        launch.run_shard(run, 1)


@pytest.mark.parametrize("text, says", [("[]", "JSON object"), ("{", "JSON object"), ("{}", "'format' is missing"),
                                        ('{"format": 2, "model": "m", "model_fingerprint": "", "results": ["a"]}', "format 2, wanted 1"),
                                        ('{"format": 1, "model": "m", "model_fingerprint": "", "results": []}', "'results'"),
                                        ('{"format": 1, "model": 3, "model_fingerprint": "", "results": ["a"]}', "'model'")])
def test_what_is_no_description(preon, tmp_path, text, says):
    (tmp_path / "run.json").write_text(text)
    preon.fails(2, 1005, "status", "run.json", says=says)
    preon.fails(2, 1005, "merge", "run.json", "-o", "m.calib", says=says)


@pytest.mark.parametrize("module, package, extra", [(ray, "ray", "ray"), (dask, "distributed", "dask"), (mpi, "mpi4py", "mpi")])
def test_an_engine_that_is_not_there(run, monkeypatch, module, package, extra):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(preon_package.ConfigError, match=rf'pip install "preon\[{extra}\]"'):
        module.run(run)


def environment(tmp_path, **more):
    packages = os.path.dirname(os.path.dirname(preon_package.__file__))
    return {**os.environ, "PYTHONPATH": packages, "PATH": f"{tmp_path}/bin:{os.path.dirname(sys.executable)}:{os.environ['PATH']}", **more}


@pytest.mark.thorough
def test_slurm(run, whole, tmp_path):
    """With an sbatch that runs what it is given, all tasks of an array one after the other."""
    slurm.write(run, tmp_path / "jobs", python=sys.executable)
    (tmp_path / "bin").mkdir()
    sbatch = tmp_path / "bin/sbatch"
    sbatch.write_text("""#!/bin/sh
for script; do :; done
case "$*" in *afterok:7*) exec sh "$script" >&2 ;; esac
last=$(sed -n 's/.*--array=1-//p' "$script")
for SLURM_ARRAY_TASK_ID in $(seq "$last" -1 1); do export SLURM_ARRAY_TASK_ID; sh "$script" >&2 || exit; done
echo 7
""")
    sbatch.chmod(0o755)
    done = subprocess.run([tmp_path / "jobs/submit.sh"], env=environment(tmp_path), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.calib").read_bytes() == whole


@pytest.mark.thorough
def test_kubernetes(run, whole, tmp_path):
    """What the containers would run, with the index that Kubernetes gives them."""
    kubernetes.write(run, tmp_path / "jobs", image="preon:1", claim="disk", mount=str(tmp_path))
    shards, merge = (json.loads((tmp_path / f"jobs/{name}.json").read_text()) for name in ("shards", "merge"))
    assert shards["spec"]["completions"] == SHARDS and shards["spec"]["completionMode"] == "Indexed"
    for job, indices in ((shards, range(SHARDS)), (merge, [0])):
        command = job["spec"]["template"]["spec"]["containers"][0]["command"]
        for index in indices:
            done = subprocess.run(command, env=environment(tmp_path, JOB_COMPLETION_INDEX=str(index)), capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.calib").read_bytes() == whole


@pytest.mark.thorough
def test_command_line(preon, model, data, whole, tmp_path):
    def call(*arguments):
        return subprocess.run([sys.executable, "-m", "preon.launch", *arguments], cwd=tmp_path, env=environment(tmp_path), capture_output=True, text=True)

    assert call("describe", model, "run.json", "--output", "m.calib", "--shards", "2", "--data", data, "--option", "threads=1").returncode == 0
    refused = call("merge", "run.json")
    assert refused.returncode == 2 and "2 of 2 shards are not done" in refused.stderr
    for shard in ("1", "2"):
        assert call("shard", "run.json", shard).returncode == 0
    assert call("merge", "run.json").returncode == 0
    assert (tmp_path / "m.calib").read_bytes() == whole
    assert call("shard", "run.json", "3").returncode == 2


def test_readers_are_sharded(model, samples, reader, whole, tmp_path):
    parts = [tmp_path / f"{shard}.calib" for shard in (2, 3, 1)]
    for part in parts:
        preon_package.calibrate(tmp_path / model, part, reader=reader(samples), shard=f"{part.stem}/3")
    assert preon_package.merge(parts, tmp_path / "m.calib").samples == len(samples)
    assert (tmp_path / "m.calib").read_bytes() == whole
