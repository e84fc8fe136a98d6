#!/usr/bin/env python3
"""Can the speed that `preon compare` reports be believed? The same pair of models is compared again and again, first on the
machine as it is, which should be idle, then beside busy processes.

Each comparison gives the median of the ratios of time and an interval around it, or says that the machine was busy. Counted
are those whose interval contains the median of all idle ones, and those that say "busy"; wanted are 18 of 20 and more.
"""
import argparse
import contextlib
import pathlib
import statistics
import subprocess
import sys

from measure import add_places, helper, preon, save, table

NAME = "mobilenetv2_1.0"
WANTED = 0.9  # of the comparisons are right or say "busy"


@contextlib.contextmanager
def load(count):
    """`count` processes that do nothing but take processor time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(prog="./dev bench latency", description=__doc__)
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--load", type=int, default=4, help="busy processes of the second half")
    parser.add_argument("--threads", type=int, default=1)
    add_places(parser)
    args = parser.parse_args()
    paths = helper("bench_samples.py", args.work, NAME, 16, 16)
    model, quantized = paths["model"], pathlib.Path(args.work) / NAME / "latency.onnx"
    preon("quantize", model, "-o", quantized, "--data", paths["samples"], "--effort", "fast", "--threads", args.threads)
    compare = lambda: preon("compare", model, quantized, "--data", paths["samples"], "--samples", 1, "--threads", args.threads)
    results = {"idle": [compare() for _ in range(args.repetitions)]}
    with load(args.load):
        results["loaded"] = [compare() for _ in range(args.repetitions)]
    results = {when: [{**run["speedup"], "wall": run["wall"]} for run in runs] for when, runs in results.items()}
    truth = statistics.median(run["median"] for run in results["idle"])
    rows = []
    for when, runs in results.items():
        busy = sum(run["busy"] for run in runs)
        right = sum(not run["busy"] and run["low"] <= truth <= run["high"] for run in runs)
        medians = [run["median"] for run in runs]
        width = statistics.median(run["high"] / run["low"] - 1 for run in runs)
        rows.append([when, f"{min(medians):.2f}-{max(medians):.2f}", f"{100 * width:.0f} %", right, busy, len(runs) - right - busy,
                     "yes" if right + busy >= WANTED * len(runs) else "NO", f"{statistics.median(run['wall'] for run in runs):.1f}"])
    print(f"\n{NAME}, {args.threads} threads, idle median {truth:.3f} times the speed of float\n")
    table(["machine", "medians", "interval", "contains it", "says busy", "wrong", "enough", "s each"], rows)
    save("latency", {"truth": truth, **results}, args.out)


if __name__ == "__main__":
    main()
