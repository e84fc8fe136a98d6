#!/usr/bin/env python3
"""What do very long and very large models cost?

Chains of nodes, from short to long, by verb: processor seconds of whole processes at one thread, in all and per node. Then a model with
gigabytes of weights: peak memory of `quantize` against that of plain inference, and of weights in 4 bits alone.
"""
import argparse

from measure import add_places, helper, preon, save, spread, table

LENGTHS = [1000, 2000, 5000, 10000]  # more: ONNX Runtime alone is quadratic in nodes, and takes 17 s to load 50,000
CHAIN_LIMIT_S = 5.0  # of the longest chain, each verb
GROWTH_LIMIT = 2.0  # per node, the longest chain over the shortest that is not mostly start-up
FLAT_FROM = 2000
GIGABYTES = 2.5
PEAK_LIMIT = 1.2  # of plain inference's
WEIGHTS_LIMIT_MB, WEIGHTS_LIMIT_S = 1200, 30.0
ONE = ["--data", "random:1", "--threads", "1"]


def verbs(model, made):
    """(verb, arguments), in an order in which each finds the files of those before it."""
    statistics, result = f"{made}.calib", f"{made}.int8.onnx"
    quick = ["--latency", "0", "--always-write"]
    return {
        "inspect": [model],
        "run": [model, *ONE],
        "calibrate": [model, "-o", statistics, *ONE],
        "ranges": [statistics, "--method", "minmax"],
        "quantize": [model, "-o", result, "--method", "minmax", "--effort", "fast", *quick, *ONE],
        "compare": [model, result, "--latency", "0", *ONE],
        "lint": [result],
        "diff": [model, result],
        "passes": [model, "-o", f"{made}.passes.onnx", "--pass", "fold_batch_norm"],
        "analyze": [statistics],
        "export-qat": [result, "-o", f"{made}.qat"],
        "retarget": [result, "-o", f"{made}.signed.onnx", "--activation", "int8", *ONE],
    }


def chains(args):
    figures = {}
    for length in args.lengths:
        model = helper("make_large.py", f"{args.work}/size", "chain", length)["model"]
        for verb, arguments in verbs(model, f"{args.work}/size/made").items():
            runs = [preon(verb, *arguments) for _ in range(args.rounds)]
            figures.setdefault(verb, {})[length] = {"s": spread([run["processor"] for run in runs]), "mb": max(run["peak_mb"] for run in runs)}
    return figures


def large(args):
    model = helper("make_large.py", f"{args.work}/size", "weights", args.gigabytes)["model"]
    plain = preon("run", model, "--data", "random:4", "--threads", 2)
    common = [model, "-o", f"{args.work}/size/large.onnx", "--always-write", "--threads", 2]
    done = {"quantize": preon("quantize", *common, "--data", "random:4", "--method", "minmax"),
            "int4 weights": preon("quantize", *common, "--target", "matmul-nbits", "--weight", "int4"),
            "uint4 weights": preon("quantize", *common, "--target", "matmul-nbits", "--weight", "uint4")}
    return {"run_mb": plain["peak_mb"], "runs": {name: {"mb": run["peak_mb"], "s": run["wall"]} for name, run in done.items()}}


def show_chains(figures, lengths):
    rows, longest = [], lengths[-1]
    flat = next((length for length in lengths if length >= FLAT_FROM), longest)
    for verb, by_length in figures.items():
        seconds = {length: by_length[length]["s"]["min"] for length in lengths}
        growth = (seconds[longest] / longest) / (seconds[flat] / flat)
        mark = lambda value, limit: "!" if value > limit else " "
        rows.append([verb, *(f"{1e6 * seconds[length] / length:.0f}" for length in lengths), f"{growth:.2f}{mark(growth, GROWTH_LIMIT)}",
                     f"{seconds[longest]:.2f}{mark(seconds[longest], CHAIN_LIMIT_S)}", f"{by_length[longest]['mb']:.0f}"])
    table(["verb, us per node at", *lengths, f"growth ({GROWTH_LIMIT})", f"s ({CHAIN_LIMIT_S})", "peak MB"], rows)


def show_large(figures):
    rows = [["run", f"{figures['run_mb']:.0f}", "", ""]]
    for name, run in figures["runs"].items():
        ratio, of_weights = run["mb"] / figures["run_mb"], name != "quantize"
        too_much = run["mb"] > WEIGHTS_LIMIT_MB or run["s"] > WEIGHTS_LIMIT_S if of_weights else ratio > PEAK_LIMIT
        limit = f"{WEIGHTS_LIMIT_MB} MB, {WEIGHTS_LIMIT_S:.0f} s" if of_weights else f"{PEAK_LIMIT} x"
        rows.append([name, f"{run['mb']:.0f}", f"{run['s']:.1f}", f"{ratio:.2f} ({limit}){'!' if too_much else ' '}"])
    table(["", "peak MB", "s", "times plain inference's peak"], rows)


def plot(figures, path):
    """Cost per node against length, a line for each verb, with Matplotlib."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "preon"  # the same figures give the same file
    from matplotlib import pyplot

    shape, axes = pyplot.subplots(figsize=(7, 4))
    for verb, by_length in figures.items():
        axes.plot(list(by_length), [1e6 * run["s"]["min"] / length for length, run in by_length.items()], marker="o", label=verb)
    axes.set(xscale="log", yscale="log", xlabel="nodes", ylabel="processor time per node, µs")
    axes.legend(fontsize=7, ncols=2)
    shape.savefig(path, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")), bbox_inches="tight")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench size", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--gigabytes", type=float, default=GIGABYTES, help="of float weights; 0: not measured")
    parser.add_argument("--plot", metavar="FILE", help="cost per node as an SVG image; needs matplotlib")
    add_places(parser)
    args = parser.parse_args()
    results = {"chains": chains(args)}
    show_chains(results["chains"], args.lengths)
    if args.plot:
        plot(results["chains"], args.plot)
    if args.gigabytes:
        results["large"] = large(args)
        show_large(results["large"])
    save("size", results, args.out)


if __name__ == "__main__":
    main()
