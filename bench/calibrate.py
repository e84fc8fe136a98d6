#!/usr/bin/env python3
"""Calibration against plain inference, as whole processes: `preon calibrate` and `preon run` over the same samples.

Two measures, each the best of several rounds in which all commands take turns ("!": above what it may be at most):

- processor seconds with one thread;
- wall time with all threads, where plain inference counts as it is fastest: one process with all threads inside operators, or
  one process per thread, each with its part of the samples.

Peak memory is the medians' ratio. A second table shows it for 64 and for 1024 samples streamed from files. minilm_l6 is there
once bench/build_minilm.sh has made it.
"""
import argparse
import os
import pathlib
import subprocess

from measure import Failed, add_places, helper, preon, save, side_by_side, spread, table

MODELS = ["mobilenetv2_1.0", "resnet50v2_stage3_probe", "resnet20_cifar10", "sst2_transformer", "yolox_nano", "minilm_l6"]
# What the ratios may be at most. The other models are there to watch.
LIMITS = {"mobilenetv2_1.0": {"processor": 1.25, "wall": 1.25, "memory": 1.10},
          **dict.fromkeys(("resnet50v2_stage3_probe", "yolox_nano", "minilm_l6"), {"processor": 1.08, "wall": 1.10, "memory": 1.10})}
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
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)), help="of the wall times (default: all)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--option", action="append", default=[], help="passed on to calibrate, for example --option=--exact")
    add_places(parser)
    args = parser.parse_args()
    results = {}
    for name in args.models:
        try:
            results[name] = measure(name, args)
            print(f"{name}: " + ", ".join(f"{kind} {' '.join(ratio(name, results[name], kind)).strip()}" for kind in results[name]["ratios"]), flush=True)
        except (Failed, subprocess.CalledProcessError) as failure:  # of the tool; of the script that prepares data
            results[name] = {"error": str(failure)}
            print(f"{name}: {failure}", flush=True)
    good = {name: result for name, result in results.items() if "error" not in result}
    print(f"\n{args.samples} samples, batch {args.batch}; processor seconds with 1 thread, wall seconds with {args.threads}; "
          f"best of {args.rounds} rounds\n")
    table(["model", "processor: run", "calibrate", "ratio", "limit", "wall: run", "run in parts", "calibrate", "ratio", "limit",
           "run MB", "calibrate MB", "ratio", "limit", "tensors"],
          [[name, f"{r['processor_s']['run']['min']:.2f}", f"{r['processor_s']['calibrate']['min']:.2f}", *ratio(name, r, "processor"),
            *(f"{r['wall_s'][what]['min']:.2f}" for what in ("run", "run in parts", "calibrate")), *ratio(name, r, "wall"),
            *(f"{r['memory_mb'][what]['median']:.0f}" for what in ("run", "calibrate")), *ratio(name, r, "memory"),
            r["observed_tensors"]]
           for name, r in good.items()])
    print("\npeak MB of calibrate, samples streamed from files\n")
    table(["model", "64 samples", "1024 samples", "growth"],
          [[name, f"{r['streamed_mb'][0]:.0f}", f"{r['streamed_mb'][1]:.0f}",
            f"{100 * (r['streamed_mb'][1] / r['streamed_mb'][0] - 1):+.1f} %"] for name, r in good.items()])
    save("calibrate", results, args.out)


def ratio(name, result, kind):
    """Ratio and limit as cells of the table."""
    most, value = LIMITS.get(name, {}).get(kind), result["ratios"][kind]
    return f"{value:.3f}", "" if most is None else f"{most:.2f}{'!' if value > most else ' '}"


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, args.samples, CHUNK)
    samples, target = paths["samples"], f"{args.work}/{name}/bench.calib"
    command = lambda verb, data, threads, *more: [verb, paths["model"], "--data", data, "--batch", args.batch, "--threads", threads, *more]
    calibrate = lambda data, threads: preon(*command("calibrate", data, threads, "-o", target, *args.option))
    run = lambda data, threads: preon(*command("run", data, threads))
    run(samples, args.threads)  # brings model and samples into the page cache
    runs, parts = [], []
    for _ in range(args.rounds):
        runs.append({("run", 1): run(samples, 1), ("calibrate", 1): calibrate(samples, 1),
                     ("run", args.threads): run(samples, args.threads), ("calibrate", args.threads): calibrate(samples, args.threads)})
        parts.append(side_by_side(args.threads, *command("run", samples, 1, "--samples", args.samples // args.threads)))
    of = lambda what, threads, figure: spread([each[what, threads][figure] for each in runs])
    result = {
        "processor_s": {what: of(what, 1, "processor") for what in ("run", "calibrate")},
        "wall_s": {**{what: of(what, args.threads, "wall") for what in ("run", "calibrate")}, "run in parts": spread(parts)},
        "memory_mb": {what: of(what, args.threads, "peak_mb") for what in ("run", "calibrate")},
        "observed_tensors": runs[0]["calibrate", args.threads]["observed_tensors"],
        "streamed_mb": [calibrate(stream(paths["chunk"], count), args.threads)["peak_mb"] for count in (64, 1024)],
    }
    fastest = min(result["wall_s"][what]["min"] for what in ("run", "run in parts"))
    result["ratios"] = {"processor": result["processor_s"]["calibrate"]["min"] / result["processor_s"]["run"]["min"],
                        "wall": result["wall_s"]["calibrate"]["min"] / fastest,
                        "memory": result["memory_mb"]["calibrate"]["median"] / result["memory_mb"]["run"]["median"]}
    return result


if __name__ == "__main__":
    main()
