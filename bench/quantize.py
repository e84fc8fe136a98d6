#!/usr/bin/env python3
"""A whole `preon quantize`, by method, against plain inference of the same samples: processor time and peak memory of whole processes.

All commands take turns; reported is the best of the rounds, in processor seconds with one thread. Each method runs with its default
effort, and with `--effort fast`, which fits no codes. Then the ranges of every method from the same statistics: `preon ranges
--all-methods`, and a process for each method, seconds of all together.
"""
import argparse

from measure import add_places, helper, preon, save, spread, table

MODELS = ["mobilenetv2_1.0"]
METHODS = ["auto", "minmax", "percentile", "layerwise-percentile", "minmse", "entropy"]
EFFORTS = ("fast", "default")
LIMITS = {"auto": 5.0}  # of the time ratio; any other method
FIXED_LIMIT = 2.5
LIMIT_MB = 300
RANGES_LIMIT_S = 0.3


def ranges(model, samples, args):
    """Seconds of the methods, without model or data."""
    statistics = f"{args.work}/bench.calib"
    preon("calibrate", model, "-o", statistics, "--data", samples)
    methods = list(preon("ranges", statistics, "--all-methods")["methods"])
    rounds = [(preon("ranges", statistics, "--all-methods")["wall"],
               sum(preon("ranges", statistics, "--method", method)["wall"] for method in methods)) for _ in range(args.rounds)]
    return {"methods": methods, "together_s": spread([together for together, _ in rounds]),
            "processes_s": spread([processes for _, processes in rounds])}


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, args.samples, args.samples)
    model, result = paths["model"], f"{args.work}/{name}/bench.int8.onnx"
    common = ["--data", paths["samples"], "--threads", args.threads]
    preon("run", model, *common)  # brings model and samples into the page cache
    rounds = []
    for _ in range(args.rounds):
        plain = preon("run", model, *common)
        rounds.append((plain, {(method, effort): preon("quantize", model, "-o", result, "--method", method, "--effort", effort, "--always-write",
                                                       *common, *args.option) for method in args.methods for effort in EFFORTS}))
    run_s = spread([plain["processor"] for plain, _ in rounds])
    runs = {}
    for key in rounds[0][1]:
        seconds = spread([done[key]["processor"] for _, done in rounds])
        runs[", ".join(key)] = {"s": seconds, "ratio": seconds["min"] / run_s["min"], "mb": spread([done[key]["peak_mb"] for _, done in rounds])}
    return {"ranges": ranges(model, paths["samples"], args), "run_s": run_s, "runs": runs}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench quantize", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--methods", nargs="+", default=METHODS)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--option", action="append", default=[], help="passed on to quantize, for example --option=--exact")
    add_places(parser)
    args = parser.parse_args()
    results = {name: measure(name, args) for name in args.models}
    rows = []
    for name, result in results.items():
        rows.append([name, "plain run", f"{result['run_s']['min']:.2f}", "", "", "", ""])
        mark = lambda value, bound: "!" if value > bound else " "
        for run, r in result["runs"].items():
            limit = LIMITS.get(run.split(",")[0], FIXED_LIMIT)
            rows.append(["", run, f"{r['s']['min']:.2f}", f"{r['ratio']:.2f}", f"{limit:.1f}{mark(r['ratio'], limit)}",
                         f"{r['mb']['max']:.0f}", f"{LIMIT_MB}{mark(r['mb']['max'], LIMIT_MB)}"])
        methods, together = len(result["ranges"]["methods"]), result["ranges"]["together_s"]["median"]
        rows.append(["", f"ranges --all-methods ({methods})", f"{together:.2f}", "", f"{RANGES_LIMIT_S} s{mark(together, RANGES_LIMIT_S)}", "", ""])
        rows.append(["", f"{methods} processes instead", f"{result['ranges']['processes_s']['median']:.2f}", "", "", "", ""])
    table(["model", "", "s", "ratio", "limit", "peak MB", "limit"], rows)
    save("quantize", results, args.out)


if __name__ == "__main__":
    main()
