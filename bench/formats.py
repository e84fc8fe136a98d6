#!/usr/bin/env python3
"""Every number format on the same models: what it costs in accuracy, bytes and time.

Each type of the registry is that of activations and weights, once in operators of the standard (`simulate`) and once in those
of the operator library (`quark`); then come mixtures that people use. SQNR is that of the worst output; the metric is
computed on samples that calibration never saw, outside of preon (bench/tasks), sample by sample as float's: `lost` and `won` count
the samples that only float, only the quantized model gets right, and ± is the standard error of the change. `x float` is the
median latency divided by that of float, at one thread, in turns.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

from formats_page import write_page
from measure import Failed, add_places, helper, keep, machine, preon, save, table, worst_sqnr_db

MODELS = ["resnet20_cifar10", "mobilenetv2_1.0", "sst2_transformer", "chargpt_shakespeare"]
TARGETS = ["simulate", "quark"]
BLOCKS = ("bfp", "mx")
# What a row may lose: 0.1 point of a percentage; of nats, where a point would be nearly all there is, 1 % of perplexity.
NEAR_FLOAT, LOSS = ("bfp16", "mxint8"), {"nats": 0.01}
BFP16_LATENCY = 2.5  # times float's, ResNet20 through the library, weights folded

both = lambda activation, weight: ["--activation", activation, "--weight", weight]
MIXTURES = [  # name, targets, options
    ("uint8 + int8", ["ort-cpu"], []),
    ("uint8 + int8, per tensor", ["simulate"], [*both("uint8", "int8"), "--per-tensor"]),
    ("uint16 + int8", ["simulate"], both("uint16", "int8")),
    ("uint8 + int4", ["simulate"], both("uint8", "int4")),
    ("uint8 + int4, 32 per scale", ["simulate"], [*both("uint8", "int4"), "--block-size", 32]),
    ("float + int4, 32 per scale", ["matmul-nbits"], ["--weight", "int4"]),
    ("uint8 + mxint8", ["simulate"], both("uint8", "mxint8")),
    ("uint8 + mxfp6e2m3", ["simulate"], both("uint8", "mxfp6e2m3")),
    ("uint8 + mxfp4e2m1", ["simulate"], both("uint8", "mxfp4e2m1")),
    ("bfloat16 + mxfp8e4m3", TARGETS, both("bfloat16", "mxfp8e4m3")),
    ("mxfp8e4m3 + mxfp4e2m1", ["simulate"], both("mxfp8e4m3", "mxfp4e2m1")),
    ("bfp16, weights folded", ["quark"], [*both("bfp16", "bfp16"), "--weight-form", "folded"]),
    ("mxint8, weights folded", ["quark"], [*both("mxint8", "mxint8"), "--weight-form", "folded"]),
]
# Target `quark` has quantizers between attention mask and Softmax as well: what that costs, and two ways round it.
TRANSFORMERS = {
    "sst2_transformer": ["/b.*/a/Add", "/b.*/a/Softmax"],  # nodes whose values have the mask in them
    "chargpt_shakespeare": ["/b.*/a/Add", "/b.*/a/Softmax"],
}


def mixtures_of(model):
    yield from MIXTURES
    for name in NEAR_FLOAT if model in TRANSFORMERS else []:
        yield f"{name}, masks in float", ["quark"], [*both(name, name), "--exclude", *TRANSFORMERS[model]]
        yield f"{name}, blocks along axis 1", ["quark"], [*both(name, name), "--keep-block-axis"]


def cases(types, targets, mixtures):
    """(name, target, options, whether it is scored); packed forms have the values of the unpacked ones, so their size is enough."""
    for name in types:
        for target in targets:
            yield name, target, both(name, name), True
        if name.startswith(BLOCKS) and "simulate" in targets:
            yield f"{name}, weights packed", "simulate", [*both(name, name), "--weight-form", "packed"], False
    for name, wanted, options in mixtures:
        for target in wanted:
            yield name, target, options, True


def better(metric):
    """+1 where larger scores are better."""
    return -1 if metric == "nats" else 1


def changes(metric, float_each, each):
    """The change of a score, sample by sample; `lost` are the samples that are worse."""
    differences = [ours - theirs for ours, theirs in zip(each, float_each)]
    return {"change": statistics.fmean(differences), "standard_error": statistics.stdev(differences) / len(differences) ** 0.5,
            "lost": sum(better(metric) * d < 0 for d in differences), "won": sum(better(metric) * d > 0 for d in differences)}


def measure(name, model, folder, target, options, reference, args):
    """One row. `reference` is float's score of every sample, or None where only the size matters."""
    result = folder / "formats.onnx"
    quantized = preon("quantize", model, "-o", result, "--data", folder / "calib.npz", "--target", target, *options,
                       "--disable-algorithm", "adaquant", "--threads", 1)  # formats are compared, with nearest codes
    if not reference:
        return {key: quantized[key] for key in ("size_bytes", "seconds", "warnings")}
    compared = preon("compare", model, result, "--data", folder / "eval.npz", "--samples", args.samples, "--threads", 1)
    latency = {which: values["p50"] for which, values in compared["latency_ms"].items()}
    try:
        scored = helper("score.py", name, args.work, result)
    except subprocess.CalledProcessError:
        raise Failed("Python's onnxruntime does not run it") from None
    return {"sqnr_db": worst_sqnr_db(compared), "size_bytes": quantized["size_bytes"],
            "latency_ms": latency, "times_float": 1 / compared["speedup"]["median"], "speedup": compared["speedup"], "method": quantized["method"],
            "seconds": {"quantize": quantized["seconds"], "compare": compared["seconds"]}, "warnings": quantized["warnings"],
            "score": scored["scores"][str(result)], **changes(scored["metric"], reference, scored["each"][str(result)])}


def measure_model(name, types, results, args):
    """Fills results[name], which is kept row by row: this takes long, and may be interrupted."""
    folder = pathlib.Path(args.work) / name
    model = helper("bench_samples.py", args.work, name, 16, 16)["model"]
    scored = helper("score.py", name, args.work, model)
    reference, metric = scored["each"][model], scored["metric"]
    result = results[name] = {"metric": metric, "float": scored["scores"][model], "samples": len(reference), **machine(), "rows": []}
    for case, target, options, is_scored in cases(types, args.target, [] if args.no_mixtures else mixtures_of(name)):
        row = {"case": case, "target": target, "options": " ".join(map(str, options))}
        print(f"{name}: {case}, {target} ...", file=sys.stderr, flush=True)
        try:
            row |= measure(name, model, folder, target, options, reference if is_scored else None, args)
        except Failed as failure:
            row["error"] = str(failure).replace(str(model), f"{name}.onnx")
        result["rows"].append(row)
        keep("formats", results, args.out)


def merged(earlier, later):
    """Results of several runs: rows of the later one replace those of the same name, others are added."""
    for name, result in later.items():
        rows = {(row["case"], row["target"]): row for row in earlier.get(name, result)["rows"] + result["rows"]}
        earlier[name] = result | {"rows": list(rows.values())}
    return earlier


def show(name, result):
    metric = result["metric"]
    print(f"\n{name}: {metric}, float {result['float']:.4g}, {result['samples']} samples")
    rows = []
    for row in result["rows"]:
        if "error" in row:
            continue
        size, digits = row["size_bytes"], 4 if metric == "nats" else 2
        figures = [f"{row['sqnr_db']:.1f}", f"{row['score']:.{digits}f}", f"{row['change']:+.{digits}f}", f"± {row['standard_error']:.{digits}f}",
                   row["lost"], row["won"]] if "score" in row else [""] * 6
        rows.append([row["case"], row["target"], *figures, f"{size['quantized'] / 1e6:.2f}", f"{size['quantized'] / size['float']:.2f}",
                     f"{row['times_float']:.1f}" if "score" in row else ""])
    table(["activation + weight", "target", "SQNR dB", metric, "change", "", "lost", "won", "MB", "of float", "x float"], rows)
    for row in result["rows"]:
        if "error" in row:
            print(f"{row['case']}, {row['target']}: {row['error']}")


def verdicts(results):
    """(what, figure, bound, ok) of every target that these results have something to say about."""
    for name, result in results.items():
        bound = LOSS.get(result["metric"], 0.1)
        for row in result["rows"]:
            if row["case"].split(",")[0] in NEAR_FLOAT and "change" in row:
                loss = -better(result["metric"]) * row["change"]
                yield (f"{name}, {row['case']}, {row['target']}: loss in {result['metric']}",
                       f"{loss:+.3f} ± {row['standard_error']:.3f} (lost {row['lost']}, won {row['won']} of {result['samples']})", f"{bound}", loss <= bound)
            if name == "resnet20_cifar10" and row["case"] == "bfp16, weights folded" and "times_float" in row:
                yield f"{name}, {row['case']}, {row['target']}: latency / float's", f"{row['times_float']:.2f}", f"{BFP16_LATENCY}", \
                    row["times_float"] <= BFP16_LATENCY


def main():
    parser = argparse.ArgumentParser(prog="./dev bench formats", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help=f"default: {' '.join(MODELS)}")
    parser.add_argument("--types", nargs="*", help="default: all that the binary has; none: mixtures alone")
    parser.add_argument("--target", nargs="+", choices=TARGETS, default=TARGETS)
    parser.add_argument("--no-mixtures", action="store_true", help="only one type for activations and weights")
    parser.add_argument("--samples", type=int, default=64, help="samples of SQNR and latency; the metric is always on all")
    parser.add_argument("--from", nargs="+", dest="earlier", metavar="JSON", help="tables of earlier results instead of measuring")
    parser.add_argument("--markdown", metavar="FILE", help="also writes the tables there, in place of what follows its line `## Figures`")
    add_places(parser)
    args = parser.parse_args()
    results, known = {}, preon("doctor")["types"]
    for path in args.earlier or []:
        results = merged(results, json.loads(pathlib.Path(path).read_text())["results"])
    if not args.earlier:
        for name in args.models or MODELS:
            measure_model(name, known if args.types is None else args.types, results, args)
    for name, result in results.items():
        # As the binary lists the types, whatever was measured first; then mixtures.
        result["rows"].sort(key=lambda row: (known + [kind := row["case"].split(",")[0]]).index(kind))
        show(name, result)
    print()
    for what, figure, bound, ok in verdicts(results):
        print(f"{'ok' if ok else 'MISSED':6}  {what} {figure}, wanted at most {bound}")
    if args.markdown:
        write_page(pathlib.Path(args.markdown), results)
    if not args.earlier:
        save("formats", results, args.out)


if __name__ == "__main__":
    main()
