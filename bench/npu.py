#!/usr/bin/env python3
"""How near models for NPUs (target npu-cnn, XINT8) come to float, on samples that nothing was calibrated with or fitted to.

Beside each the model that AMD Quark's rules give (--config XINT8 --compat quark). Wall seconds with all threads (best of several
rounds), peak memory. A model with a shift outside the limits of the NPU is an error of `quantize`. "!" marks what misses its limit,
and the status is 1 then.
"""
import argparse
import pathlib
import sys

from measure import Failed, add_places, helper, preon, save, spread, table, worst_sqnr_db

# By model: options, points of the task's metric that may be lost, dB above Quark's rules.
LIMITS = {"mobilenetv2_1.0": ([], 1.5, 5), "mobilenetv2_1.0 Int32Bias": (["--option", "Int32Bias=true"], 1.0, 5),
          "resnet50v2_stage3_probe": ([], 0.5, 2), "resnet20_cifar10": ([], 0.3, 2), "ultraface_rfb_320": ([], 2, 2),
          "yolox_nano": ([], 100 * 2 / 26, 2), "yolox_nano_swapped": ([], 100 * 2 / 26, 2)}  # two of 26 objects
MOST_SECONDS, MOST_MB = 5, 250  # of MobileNetV2


def measure(name, options, args):
    task = name.split()[0]
    model = helper("bench_samples.py", args.work, task, 16, 16)["model"]
    folder = pathlib.Path(args.work) / task
    written = {"preon": folder / "npu.onnx", "quark": folder / "npu.quark.onnx"}
    rounds = [preon("quantize", model, "-o", written["preon"], "--target", "npu-cnn", "--data", folder / "calib.npz", "--latency", 0, *options)
              for _ in range(args.rounds)]
    preon("quantize", model, "-o", written["quark"], "--config", "XINT8", "--compat", "quark", "--data", folder / "calib.npz", "--latency", 0, *options)
    db = {who: worst_sqnr_db(preon("compare", model, path, "--data", folder / "eval.npz", "--latency", 0)) for who, path in written.items()}
    scored = helper("score.py", task, args.work, model, written["preon"], written["quark"])
    scores = list(scored["scores"].values())
    return {"metric": scored["metric"], "float": scores[0], "preon": scores[1], "quark": scores[2], "sqnr_db": db,
            "seconds": spread([each["wall"] for each in rounds]), "mb": spread([each["peak_mb"] for each in rounds])}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench npu", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: those with a limit that are here")
    parser.add_argument("--rounds", type=int, default=2)
    add_places(parser)
    args = parser.parse_args()
    available = helper("prepare_data.py", args.work, "--list")["models"]
    results, rows, missed = {}, [], False
    for name in args.models or [name for name in LIMITS if name.split()[0] in available]:
        print(f"{name} ...", file=sys.stderr, flush=True)
        options, most_lost, least_won = LIMITS[name]
        try:
            results[name] = r = measure(name, options, args)
        except Failed as failure:
            results[name], missed = {"error": str(failure)}, True
            rows.append([name, str(failure)] + [""] * 8)
            continue
        timed = name.startswith("mobilenetv2")
        bad = {"lost": r["float"] - r["preon"] > most_lost + 1e-9, "won": r["sqnr_db"]["preon"] - r["sqnr_db"]["quark"] < least_won,
               "slow": timed and r["seconds"]["min"] > MOST_SECONDS, "large": timed and r["mb"]["min"] > MOST_MB}
        missed = missed or any(bad.values())
        mark = lambda what: "!" if bad[what] else " "
        rows.append([name, r["metric"], f"{r['float']:.2f}", f"{r['quark']:.2f}", f"{r['preon']:.2f}{mark('lost')}", f"{r['sqnr_db']['quark']:.2f}",
                     f"{r['sqnr_db']['preon']:.2f}{mark('won')}", f"{r['seconds']['min']:.2f}{mark('slow')}", f"{r['mb']['min']:.0f}{mark('large')}"])
    table(["model", "metric", "float", "Quark's", "preon", "Quark's dB", "dB", "s", "MB"], rows)
    print(f"\nwanted: points lost at most {', '.join(f'{lost:.1f} {name}' for name, (_, lost, _) in LIMITS.items())};\n"
          f"5 dB above Quark's rules on MobileNetV2, 2 dB elsewhere; MobileNetV2 in {MOST_SECONDS} s and {MOST_MB} MB")
    save("npu", results, args.out)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
