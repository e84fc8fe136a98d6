#!/usr/bin/env python3
"""Whether the figures of `quantize` hold: random splits of the samples, again and again.

Each time some samples calibrate and the rest, which the run never sees, judge the result. Counts how often the intervals of SQNR and
agreement contain the figure of the rest, and tells how far the promised SQNR is from it. "!" marks what misses its limit, and the status is 1 then.
"""
import argparse
import pathlib
import statistics
import sys

from measure import Failed, add_places, helper, preon, save, table

MODELS = ("mobilenetv2_1.0", "resnet20_cifar10", "sst2_transformer", "vit_cifar10_ibp_3_3_8")
LEAST_SHARE = 0.9  # of the repetitions have the figure inside the interval
MOST_OFF_DB, MOST_TOO_GOOD_DB = 1.5, 4.0  # of the mean; of any


def inside(interval, value):
    return interval[0] <= value <= interval[1]


def repeat(name, args, seed):
    """One split: per figure what was promised, with its interval, and what is so."""
    split = helper("split_samples.py", args.work, name, args.samples, seed)
    result = pathlib.Path(args.work) / name / "figures.onnx"
    promised = preon("quantize", split["model"], "-o", result, "--data", split["calib"], "--always-write", "--latency", 0, *args.option)
    found = preon("compare", split["model"], result, "--data", split["unseen"], "--samples", args.compared, "--latency", 0)
    figures = {}
    for output, figure in promised["compare"]["outputs"].items():
        if "sqnr_db_interval" in figure:
            figures[f"sqnr of {output}"] = {"promised": figure["sqnr_db"], "interval": figure["sqnr_db_interval"], "found": found["outputs"][output]["sqnr_db"]}
    if "argmax_agreement_interval" in promised["compare"]:
        figures["agreement"] = {"promised": promised["compare"]["argmax_agreement"], "interval": promised["compare"]["argmax_agreement_interval"],
                                "found": found["argmax_agreement"]}
    return {"from": promised["figures_from"], "figures": figures}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: " + ", ".join(MODELS))
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--samples", type=int, default=100, help="that calibrate; about a fifth of them is kept for the figures")
    parser.add_argument("--compared", type=int, default=400, help="samples of the rest, at most")
    parser.add_argument("--option", action="append", default=[], help="passed on to quantize, for example --option=--effort=fast")
    add_places(parser)
    args = parser.parse_args()
    available = helper("prepare_data.py", args.work, "--list")["models"]
    results, rows, missed = {}, [], False
    for name in args.models or [name for name in MODELS if name in available]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            done = results[name] = [repeat(name, args, seed) for seed in range(args.repetitions)]
        except Failed as failure:
            results[name], missed = {"error": str(failure)}, True
            rows.append([name, str(failure)] + [""] * 5)
            continue
        for figure in done[0]["figures"]:
            each = [one["figures"][figure] for one in done]
            share = statistics.mean(inside(one["interval"], one["found"]) for one in each)
            off = [one["promised"] - one["found"] for one in each]
            few = share < LEAST_SHARE
            far = figure.startswith("sqnr") and (abs(statistics.mean(off)) > MOST_OFF_DB or max(off) > MOST_TOO_GOOD_DB)
            missed = missed or few or far
            rows.append([name, figure, done[0]["from"], f"{share:.1%}{'!' if few else ' '}", f"{statistics.mean(one['found'] for one in each):.4g}",
                         f"{statistics.mean(off):+.3g}{'!' if far else ' '}", f"{max(off):+.3g}"])
    table(["model", "figure", "from", "inside", "unseen", "promised - unseen", "most"], rows)
    print(f"\n{args.repetitions} splits, {args.samples} samples to calibrate; wanted: inside in {LEAST_SHARE:.0%}, "
          f"SQNR within {MOST_OFF_DB} dB in the mean and never more than {MOST_TOO_GOOD_DB} dB too good")
    save("figures", results, args.out)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
