#!/usr/bin/env python3
"""What shards on an engine gain: the same run with 1 and with 2 workers of one thread each, taking turns; and the merge of 100 files.

Engines that are not installed are left out, with a line that says so. Reported: wall seconds of the shards and their merge, with workers
that have started, the median of the pairs' ratios, and whether the file has the bytes of one process. Wall time means something only on a
machine that is quiet: the load before each engine is printed with it.
"""
import argparse
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from measure import ROOT, preon as binary, save, spread, table

PACKAGE = str(ROOT / "build/python")
sys.path[:0] = [PACKAGE, str(ROOT / "scripts")]
import data_root  # noqa: E402

WANTED = 1.8
SHARDS = 8


def with_ray(run, workers):
    import ray
    from preon.launch import ray as launcher

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": PACKAGE}})
    warm = ray.remote(num_cpus=1)(lambda: time.sleep(1))
    ray.get([warm.remote() for _ in range(workers)])
    yield
    launcher.run(run)
    yield
    ray.shutdown()


def with_dask(run, workers):
    from distributed import Client

    from preon.launch import dask as launcher

    with Client(n_workers=workers, threads_per_worker=1, dashboard_address=None) as client:
        yield
        launcher.run(run, client)
        yield


def with_mpi(run, workers):
    yield
    flags = ["--allow-run-as-root", "--oversubscribe"] if os.getuid() == 0 else []
    subprocess.run(["mpirun", *flags, "-n", str(workers), sys.executable, "-m", "preon.launch.mpi", run], check=True, capture_output=True,
                   env={**os.environ, "PYTHONPATH": PACKAGE})
    yield


ENGINES = {"ray": ("ray", with_ray), "dask": ("distributed", with_dask), "mpi": ("mpi4py", with_mpi)}


def described(folder, samples):
    from preon import launch

    run, root = os.path.join(folder, "run.json"), data_root.data_root()
    launch.describe(str(root / "models/mobilenetv2_1.0.onnx"), run, output=os.path.join(folder, "model.calib"), shards=SHARDS,
                    data=str(root / "images/imagenet224"), preprocess="imagenet", samples=samples, threads=1)
    return run


def seconds(engine, workers, samples, whole):
    with tempfile.TemporaryDirectory() as folder:
        stages = ENGINES[engine][1](described(folder, samples), workers)
        next(stages)
        begin = time.perf_counter()
        next(stages)
        taken = time.perf_counter() - begin
        next(stages, None)
        if pathlib.Path(folder, "model.calib").read_bytes() != whole:
            raise SystemExit(f"{engine} with {workers} workers: other bytes than one process")
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=list(ENGINES))
    arguments = parser.parse_args()
    import preon

    rows, results = [], {}
    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, "whole.calib")
        root = data_root.data_root()
        options = {"data": str(root / "images/imagenet224"), "preprocess": "imagenet", "progress": False, "threads": 1}
        preon.calibrate(root / "models/mobilenetv2_1.0.onnx", whole, samples=arguments.samples, **options)
        whole = pathlib.Path(whole).read_bytes()
        for index in range(1, 101):
            preon.calibrate(root / "models/mobilenetv2_1.0.onnx", f"{folder}/{index}.calib", samples=100, shard=f"{index}/100", **options)
        files = [f"{folder}/{index}.calib" for index in range(1, 101)]
        merges = [binary("merge", *files, "-o", f"{folder}/merged.calib") for _ in range(5)]
    for engine in arguments.engines:
        if importlib.util.find_spec(ENGINES[engine][0]) is None or (engine == "mpi" and not shutil.which("mpirun")):
            print(f"{engine}: not installed, left out", file=sys.stderr)
            continue
        load = os.getloadavg()[0]
        pairs = [(seconds(engine, 1, arguments.samples, whole), seconds(engine, 2, arguments.samples, whole)) for _ in range(arguments.pairs)]
        gain = spread([one / two for one, two in pairs])
        rows.append([engine, *(f"{spread(list(each))['median']:.2f} s" for each in zip(*pairs)), f"{gain['median']:.2f}", f">= {WANTED}", f"{load:.1f}"])
        results[engine] = {"pairs": pairs, "gain": gain, "load": load}
    table(["engine", "1 worker", "2 workers", "gain", "wanted", "load"], rows)
    # The program's own count of its memory: the kernel's begins with that of this process.
    merge = {name: min(each[name] for each in merges) for name in ("wall", "processor", "peak_rss_bytes")}
    print(f"merge of 100 files: {merge['wall']:.2f} s, processor {merge['processor']:.2f} s, {merge['peak_rss_bytes'] / 1e6:.0f} MB (wanted 1 s, 100 MB)")
    save("scale", {"engines": results, "merge": merge})


if __name__ == "__main__":
    main()
