#!/usr/bin/env python3
"""What codes for one large matrix cost: 4096 x 4096 weights, 4096 correlated rows, blocks of 128 with 4 bits.

Rounded to the nearest, by HQQ (which needs no samples) and by GPTQ with descent. SQNR of other rows; wall seconds of the whole
run with all threads and of the stage that makes codes (each the best of several), and peak memory above the float weights. "!" marks what misses its limit,
and the status is 1 then.
"""
import argparse
import pathlib
import subprocess
import sys

from measure import add_places, preon, save, spread, table, worst_sqnr_db

SIZE, RANK, OTHERS, BATCH = 4096, 512, 512, 64
MOST_SECONDS, MOST_MB, MOST_OF_NEAREST = 8, 500, 10
WEIGHT_MB = SIZE * SIZE * 4 / 1e6
CASES = {"nearest, uint4": ["--weight", "uint4", "--weight-method", "minmax"], "hqq, uint4": ["--weight", "uint4", "--weight-method", "hqq"],
         "nearest, int4": ["--weight", "int4", "--weight-method", "minmax"], "minmse, int4": ["--weight", "int4", "--weight-method", "minmse"],
         "gptq, descent, int4": ["--weight", "int4", "--algorithm", "gptq:descent=true"]}


def prepare(folder):
    """Model and samples, in a process of its own (measure.py); the rows lie near a space of 512 dimensions."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    folder.mkdir(parents=True, exist_ok=True)
    dice = np.random.default_rng(0)
    weight = (dice.normal(size=(SIZE, SIZE)) / np.sqrt(SIZE)).astype(np.float32)
    info = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", SIZE])
    graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], "g", [info("x")], [info("y")], [numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), folder / "float.onnx")
    rows = dice.normal(size=(SIZE + OTHERS, RANK)) @ dice.normal(size=(RANK, SIZE)) / np.sqrt(RANK) + 0.3 * dice.normal(size=(SIZE + OTHERS, SIZE))
    for name, part in (("calib", rows[:SIZE]), ("eval", rows[SIZE:])):
        np.savez(folder / f"{name}.npz", x=part.astype(np.float32))


def measure(options, folder, rounds):
    runs = [preon("quantize", folder / "float.onnx", "-o", folder / "codes.onnx", "--target", "matmul-nbits", "--block-size", 128, *options,
                  "--data", folder / "calib.npz", "--batch", BATCH, "--latency", 0) for _ in range(rounds)]
    compared = preon("compare", folder / "float.onnx", folder / "codes.onnx", "--data", folder / "eval.npz", "--batch", BATCH, "--latency", 0)
    return {"sqnr_db": worst_sqnr_db(compared), "seconds": spread([run["wall"] for run in runs]), "mb_above_weights": min(run["peak_mb"] for run in runs) - WEIGHT_MB,
            "codes_s": min(run["seconds"]["quantize"] for run in runs)}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench matrix", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--prepare", action="store_true", help="write model and samples, and measure nothing")
    add_places(parser)
    args = parser.parse_args()
    folder = pathlib.Path(args.work) / "matrix"
    if args.prepare:
        return prepare(folder)
    subprocess.run([sys.executable, __file__, "--prepare", "--work", args.work], check=True)
    results = {name: measure(options, folder, args.rounds) for name, options in CASES.items()}
    nearest, hqq, fitted = results["nearest, uint4"], results["hqq, uint4"], results["gptq, descent, int4"]
    bad = {("hqq, uint4", "codes_s"): hqq["codes_s"] > MOST_OF_NEAREST * nearest["codes_s"], ("hqq, uint4", "sqnr_db"): hqq["sqnr_db"] < nearest["sqnr_db"],
           ("gptq, descent, int4", "s"): fitted["seconds"]["min"] > MOST_SECONDS, ("gptq, descent, int4", "mb"): fitted["mb_above_weights"] > MOST_MB}
    mark = lambda *of: "!" if bad.get(of) else " "
    table(["codes", "dB", "s", "s for codes", "MB above the weights"],
          [[name, f"{r['sqnr_db']:.2f}{mark(name, 'sqnr_db')}", f"{r['seconds']['min']:.2f}{mark(name, 's')}", f"{r['codes_s']:.2f}{mark(name, 'codes_s')}",
            f"{r['mb_above_weights']:.0f}{mark(name, 'mb')}"] for name, r in results.items()])
    save("matrix", results, args.out)
    sys.exit(any(bad.values()))


if __name__ == "__main__":
    main()
