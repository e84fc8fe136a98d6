#!/usr/bin/env python3
"""Calibration against plain inference, as whole processes: `preon calibrate` and `preon run` over the same samples.

Every pair runs both, taking turns at going first; reported are the medians of the pairs' ratios of wall time and of peak
memory, beside what they may be at most ("!": above it). A second table shows peak memory for 64 and for 1024 samples
streamed from files. minilm_l6 is there once bench/build_minilm.sh has made it.
"""
import argparse
import os
import pathlib
import subprocess

from measure import WORK, Failed, helper, preon, save, spread, table

MODELS = ["mobilenetv2_1.0", "resnet50v2_stage3_probe", "resnet20_cifar10", "sst2_transformer", "yolox_nano", "minilm_l6"]
# What the ratios may be at most: (time, peak memory). The other models are there to watch.
LIMITS = {"mobilenetv2_1.0": (1.25, 1.10), "resnet50v2_stage3_probe": (1.10, 1.10), "yolox_nano": (1.10, 1.10), "minilm_l6": (1.10, 1.10)}
CHUNK = 16  # samples per file of the streamed sets


def stream(chunk, count):
    """A folder of `count` samples: links to one file, so that disk space does not grow with it."""
    folder = pathlib.Path(chunk).parent / f"stream{count}"
    folder.mkdir(exist_ok=True)
    for i in range(count // CHUNK):
        link = folder / f"{i:04}.npz"
        if not link.exists():
            os.link(chunk, link)
    return folder


def main():
    parser = argparse.ArgumentParser(prog="./dev bench calibrate", description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--samples", type=int, default=256)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--option", action="append", default=[], help="passed on to calibrate, for example --option=--exact")
    parser.add_argument("--work", default=WORK, help="where data are prepared")
    parser.add_argument("--out", help="JSON file; default below build/")
    args = parser.parse_args()
    results = {}
    for name in args.models:
        try:
            results[name] = measure(name, args)
        except (Failed, subprocess.CalledProcessError) as failure:  # of the tool; of the script that prepares data
            results[name] = {"error": str(failure)}
            print(f"{name}: {failure}", flush=True)
    good = {name: result for name, result in results.items() if "error" not in result}
    print(f"\n{args.samples} samples, batch {args.batch}, {args.threads} threads; medians of {args.pairs} pairs\n")
    table(["model", "run s", "calibrate s", "time ratio", "(min-max)", "limit", "run MB", "calibrate MB", "memory ratio",
           "limit", "tensors"],
          [[name, f"{r['run_s']['median']:.2f}", f"{r['calibrate_s']['median']:.2f}", f"{r['time_ratio']['median']:.3f}",
            f"{r['time_ratio']['min']:.2f}-{r['time_ratio']['max']:.2f}", limit(name, 0, r["time_ratio"]["median"]),
            f"{r['run_mb']['median']:.0f}", f"{r['calibrate_mb']['median']:.0f}", f"{r['memory_ratio']['median']:.3f}",
            limit(name, 1, r["memory_ratio"]["median"]), r["observed_tensors"]]
           for name, r in good.items()])
    print("\npeak MB of calibrate, samples streamed from files\n")
    table(["model", "64 samples", "1024 samples", "growth"],
          [[name, f"{r['streamed_mb'][0]:.0f}", f"{r['streamed_mb'][1]:.0f}",
            f"{100 * (r['streamed_mb'][1] / r['streamed_mb'][0] - 1):+.1f} %"] for name, r in good.items()])
    save("calibrate", results, args.out)


def limit(name, which, ratio):
    """The limit as a cell of the table."""
    if name not in LIMITS:
        return ""
    return f"{LIMITS[name][which]:.2f}{'!' if ratio > LIMITS[name][which] else ' '}"


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, args.samples, CHUNK)
    model, target = paths["model"], f"{args.work}/{name}/bench.calib"
    common = ["--batch", args.batch, "--threads", args.threads]
    run = lambda samples: preon("run", model, "--data", samples, *common)
    calibrate = lambda samples: preon("calibrate", model, "--data", samples, "-o", target, *common, *args.option)
    run(paths["samples"])  # brings model and samples into the page cache
    runs = []
    for i in range(args.pairs):
        order = [run, calibrate][:: 1 if i % 2 == 0 else -1]
        results = {action: action(paths["samples"]) for action in order}
        runs.append((results[run], results[calibrate]))
    streamed = [calibrate(stream(paths["chunk"], count))["peak_mb"] for count in (64, 1024)]
    return {
        "run_s": spread([plain["wall"] for plain, _ in runs]),
        "calibrate_s": spread([observed["wall"] for _, observed in runs]),
        "time_ratio": spread([observed["wall"] / plain["wall"] for plain, observed in runs]),
        "run_mb": spread([plain["peak_mb"] for plain, _ in runs]),
        "calibrate_mb": spread([observed["peak_mb"] for _, observed in runs]),
        "memory_ratio": spread([observed["peak_mb"] / plain["peak_mb"] for plain, observed in runs]),
        "observed_tensors": runs[0][1]["observed_tensors"],
        "streamed_mb": streamed,
    }


if __name__ == "__main__":
    main()
