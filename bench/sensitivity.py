#!/usr/bin/env python3
"""Does `preon sensitivity` name the right layers? It ranks them from one lock-step run; here every layer is also run in float.

Printed: rank correlation (Spearman) of predicted and measured gains over all layers, and over the ten of which it predicts most;
runs over the samples at the default options; what its fix gains where the samples did not choose it ("unseen": eval samples,
the model quantized without and with the layers of the fix), and what time it costs. Wanted: 10 runs at most, correlation 0.9.

--unseen measures every layer's gain on the eval samples instead, on two halves of them. How far the halves agree is how far any
ranking can go; layers whose gain stands out (more than three times the difference between the halves, typically) are listed.
"""
import argparse
import pathlib

import numpy as np

from measure import add_places, helper, preon, save, table

MODELS = ["mobilenetv2_1.0", "yolox_nano", "gtcrn_stream_simple", "minilm_l6"]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    return [order.index(i) for i in range(len(values))]


def correlation(layers):
    """Of ranks; values are hardly ever equal."""
    first, second = (ranks([layer[key] for layer in layers]) for key in ("float_gain_db", "measured_gain_db"))
    count = len(layers)
    return 1 - 6 * sum((a - b) ** 2 for a, b in zip(first, second)) / (count * (count**2 - 1)) if count > 2 else float("nan")


def halves_of(folder, count):
    """eval.npz as two files with every other of its first `count` samples."""
    arrays = np.load(folder / "eval.npz")
    for half in range(2):
        np.savez(folder / f"half{half}.npz", **{name: arrays[name][half:count:2] for name in arrays.files})
    return [folder / f"half{half}.npz" for half in range(2)]


def measure_unseen(name, args):
    paths = helper("bench_samples.py", args.work, name, 64, 16)
    folder = pathlib.Path(args.work) / name
    model, samples, halves = paths["model"], folder / "calib.npz", halves_of(folder, args.unseen)
    short = preon("sensitivity", model, "--data", samples, "--threads", args.threads)
    preon("calibrate", model, "-o", folder / "all.calib", "--data", samples)

    def figures(*exclude):
        preon("quantize", model, "-o", folder / "one.onnx", "--calib", folder / "all.calib", "--method", short["method"], "--effort", "fast",
              "--budget", 0, "--latency", 0, "--always-write", *(word for node in exclude for word in ("--exclude", node)))
        return [mean_db(preon("compare", model, folder / "one.onnx", "--data", half, "--latency", 0)) for half in halves]

    base = figures()
    layers = [{"node": layer["node"], "float_gain_db": layer["float_gain_db"],
               "halves": [after - before for after, before in zip(figures(layer["node"]), base)]}
              for layer in short["layers"] if layer["float_gain_db"] is not None]
    for layer in layers:
        layer["measured_gain_db"] = sum(layer["halves"]) / 2
    spread = sorted(abs(layer["halves"][0] - layer["halves"][1]) for layer in layers)[len(layers) // 2]
    ranks_of = lambda key: sorted(layers, key=lambda layer: -layer[key])
    measured, predicted = ranks_of("measured_gain_db"), [layer["node"] for layer in ranks_of("float_gain_db")]
    return {"layers": len(layers), "correlation": correlation(layers), "spread_db": spread,
            "correlation_of_halves": correlation([{"float_gain_db": layer["halves"][0], "measured_gain_db": layer["halves"][1]} for layer in layers]),
            "stand_out": [{"node": layer["node"], "predicted_db": layer["float_gain_db"], "measured_db": layer["measured_gain_db"],
                           "predicted_place": predicted.index(layer["node"]) + 1}
                          for layer in measured if layer["measured_gain_db"] > max(3 * spread, 0.2)]}


def mean_db(result):
    outputs = [output["sqnr_db"] for output in result["outputs"].values() if output["sqnr_db"] is not None]
    return sum(outputs) / len(outputs)


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, 64, 16)  # and calib.npz, eval.npz beside them
    folder = pathlib.Path(args.work) / name
    model, samples = paths["model"], folder / "calib.npz"
    common = ["--data", samples, "--threads", args.threads]
    short = preon("sensitivity", model, *common)
    full = preon("sensitivity", model, *common, "--confirm", 1000)
    layers = [layer for layer in full["layers"] if layer.get("measured_gain_db") is not None and layer["float_gain_db"] is not None]
    result = {"layers": len(layers), "evaluations": short["evaluations"], "seconds": short["seconds"]["total"],
              "correlation": correlation(layers), "correlation_of_ten": correlation(layers[:10]), "start_db": short["sqnr_db"]}
    if "fix" in short:
        form = lambda exclude: preon("quantize", model, "-o", folder / "fix.onnx", *common, "--effort", "fast", "--budget", 0,
                                     "--latency", 0, "--always-write", *(word for node in exclude for word in ("--exclude", node)))
        unseen = lambda exclude: (form(exclude), mean_db(preon("compare", model, folder / "fix.onnx", "--data", folder / "eval.npz",
                                                               "--latency", 0)))[1]
        result["fix"] = {"layers": len(short["fix"]["nodes"]), "gain_db": short["fix"]["gain_db"], "cost": short["fix"]["measured_cost"],
                         "unseen_gain_db": unseen(short["fix"]["nodes"]) - unseen([])}
    return result


def main():
    parser = argparse.ArgumentParser(prog="./dev bench sensitivity", description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--unseen", type=int, metavar="N", help="measure every layer's gain on N eval samples")
    add_places(parser)
    args = parser.parse_args()
    if args.unseen:
        show_unseen(args)
        return
    results = {}
    for name in args.models:
        results[name] = measure(name, args)
        print(f"{name}: {results[name]}", flush=True)
    table(["model", "layers", "runs", "s", "correlation", "of ten", "start dB", "fix: layers", "gain dB", "unseen dB", "time"],
          [[name, r["layers"], r["evaluations"], f"{r['seconds']:.1f}", f"{r['correlation']:.2f}", f"{r['correlation_of_ten']:.2f}",
            f"{r['start_db']:.1f}", *fix_cells(r.get("fix"))] for name, r in results.items()])
    save("sensitivity", results, args.out)


def show_unseen(args):
    results = {}
    for name in args.models:
        results[name] = measure_unseen(name, args)
        print(f"{name}: {results[name]}", flush=True)
    table(["model", "layers", "correlation", "of the halves", "they differ by dB", "stand out", "predicted first"],
          [[name, r["layers"], f"{r['correlation']:.2f}", f"{r['correlation_of_halves']:.2f}", f"{r['spread_db']:.2f}", len(r["stand_out"]),
            sum(layer["predicted_place"] <= len(r["stand_out"]) for layer in r["stand_out"])] for name, r in results.items()])
    save("sensitivity-unseen", results, args.out)


def fix_cells(fix):
    if fix is None:
        return ["none", "", "", ""]
    return [fix["layers"], f"{fix['gain_db']:+.1f}", f"{fix['unseen_gain_db']:+.1f}", f"{100 * fix['cost']:+.1f} %"]


if __name__ == "__main__":
    main()
