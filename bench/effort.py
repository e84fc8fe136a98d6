#!/usr/bin/env python3
"""What `quantize` costs with the accuracy algorithms that are on by default, against `--effort fast`: whole processes in turns.

Processor seconds with one thread (best of several rounds), peak memory, and the SQNR of the outputs on samples that neither
calibration nor an algorithm saw. "!" marks what misses its limit, and the status is 1 then.
"""
import argparse
import pathlib
import sys

from measure import Failed, add_places, helper, preon, save, spread, table, worst_sqnr_db

# What default effort may cost, as a multiple of fast; and what SQNR it has to reach, where that is settled.
MOST_PROCESSOR, MOST_MEMORY = 1.5, 1.3
LEAST_DB = {"mobilenetv2_1.0": 23.0, "resnet50v2_stage3_probe": 23.5, "resnet20_cifar10": 30.5, "super_resolution_10": 43.0,
            "dtln_model_2": None, "nudenet_320n": None, "yolox_nano": None}
EFFORTS = ("fast", "default")


def measure(name, args):
    model = helper("bench_samples.py", args.work, name, 16, 16)["model"]
    folder = pathlib.Path(args.work) / name
    result = {effort: folder / f"effort.{effort}.onnx" for effort in EFFORTS}
    rounds = [{effort: preon("quantize", model, "-o", result[effort], "--data", folder / "calib.npz", "--effort", effort, "--always-write",
                             "--threads", args.threads, *args.option) for effort in EFFORTS} for _ in range(args.rounds)]
    figures = {}
    for effort in EFFORTS:
        compared = preon("compare", model, result[effort], "--data", folder / "eval.npz", "--samples", args.compared, "--latency", 0)
        done = [each[effort] for each in rounds]
        figures[effort] = {"processor_s": spread([each["processor"] for each in done]), "mb": spread([each["peak_mb"] for each in done]),
                           "sqnr_db": worst_sqnr_db(compared),
                           "seconds": done[-1]["seconds"], "improved": done[-1].get("improved", [])}
    fast, default = (figures[effort] for effort in EFFORTS)
    return figures | {"ratios": {"processor": default["processor_s"]["min"] / fast["processor_s"]["min"],
                                 "memory": default["mb"]["min"] / fast["mb"]["min"]}}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench effort", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: those with a limit that are here")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compared", type=int, default=400, help="samples that the SQNR is of, at most")
    parser.add_argument("--option", action="append", default=[], help="passed on to quantize, for example --option=--method=minmax")
    add_places(parser)
    args = parser.parse_args()
    available = helper("prepare_data.py", args.work, "--list")["models"]
    results, rows, missed = {}, [], False
    for name in args.models or [name for name in LEAST_DB if name in available]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            results[name] = r = measure(name, args)
        except Failed as failure:
            results[name], missed = {"error": str(failure)}, True
            rows.append([name, str(failure)] + [""] * 8)
            continue
        least = LEAST_DB.get(name)
        late, large = r["ratios"]["processor"] > MOST_PROCESSOR, r["ratios"]["memory"] > MOST_MEMORY
        bad = least is not None and r["default"]["sqnr_db"] < least
        missed = missed or late or large or bad
        mark = lambda is_missed: "!" if is_missed else " "
        rows.append([name, *(f"{r[effort]['processor_s']['min']:.2f}" for effort in EFFORTS), f"{r['ratios']['processor']:.2f}{mark(late)}",
                     *(f"{r[effort]['mb']['min']:.0f}" for effort in EFFORTS), f"{r['ratios']['memory']:.2f}{mark(large)}",
                     *(f"{r[effort]['sqnr_db']:.2f}" for effort in EFFORTS), "" if least is None else f"{least:.1f}{mark(bad)}"])
    table(["model", "fast s", "default s", "ratio", "fast MB", "default MB", "ratio", "fast dB", "default dB", "least"], rows)
    print(f"\nprocessor seconds at {args.threads} thread(s), best of {args.rounds}; wanted: at most {MOST_PROCESSOR} times fast, memory {MOST_MEMORY} times")
    save("effort", results, args.out)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
