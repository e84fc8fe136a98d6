#!/usr/bin/env python3
"""What do trials cost? 100 configurations of calibration from one file (`preon search`, ResNet20), and the layers of MobileNetV2
that mixed precision takes from 8 to 16 bits. Wanted: 60 s at most, each.

The search is ended once by SIGKILL and gone on with: its trials must be those of the one that ran through.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

from measure import BINARY, add_places, helper, preon, save, table

TRIALS, MOST_SECONDS = 100, 60
SPACE = {"method": ["minmax", "percentile", "minmse", "sample-extremes", "entropy"], "symmetric": [True, False], "per_tensor": [True, False],
         "effort": "fast", "percentile": {"only_if": {"method": "percentile"}, "method_options": {"Percentile": {"type": "float", "low": 99, "high": 99.999}}}}
MIXED = "auto_mixprecision:target_layer_config=int16,metric_default=sqnr,metric_threshold=-18,metric_optimize_object=quality"


def places(name, work):
    paths = helper("bench_samples.py", work, name, 16, 16)  # and calib.npz, eval.npz beside them
    return paths["model"], pathlib.Path(work) / name


def killed_search(words, study):
    """Runs until it has made a third of the trials."""
    study.unlink(missing_ok=True)
    process = subprocess.Popen([BINARY, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not study.exists() or study.read_bytes().count(b"\n") < TRIALS // 3:
        if process.poll() is not None:
            sys.exit("bench: the search ended before it was killed")
        time.sleep(0.01)
    process.kill()
    process.wait()


def search(args):
    model, folder = places("resnet20_cifar10", args.work)
    space = folder / "space.json"
    space.write_text(json.dumps(SPACE))
    common = ["search", model, "--data", folder / "calib.npz", "--space", space, "--trials", TRIALS, "--threads", args.threads, "-o", folder / "best.onnx"]
    whole = preon(*common)
    study = folder / "killed.study"
    killed_search([*common, "--study", study], study)
    again = preon(*common, "--study", study)
    configs = lambda result: [trial["config"] for trial in result["trials"]]
    return {"trials": len(whole["trials"]), "calibrations": whole["calibrations"], "wall_s": whole["wall"], "peak_mb": whole["peak_mb"],
            "resumed_at": again["from_study"], "same_trials": configs(again) == configs(whole)}


def mixed_precision(args):
    model, folder = places("mobilenetv2_1.0", args.work)
    result = preon("quantize", model, "-o", folder / "mixed.onnx", "--data", folder / "calib.npz", "--target", "quark", "--activation", "int8",
                   "--method", "percentile", "--algorithm", MIXED, "--threads", args.threads, "--latency", 0, "--always-write")
    found = result["precision"]
    return {"models_run": found["trials"], "candidates": len(found["candidates"]), "wall_s": result["wall"], "peak_mb": result["peak_mb"]}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench search", description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    add_places(parser)
    args = parser.parse_args()
    trials, mixed = search(args), mixed_precision(args)
    met = lambda holds: "met" if holds else "MISSED"
    table(["run", "models", "s", "MB", "at most s", ""],
          [["search, ResNet20", trials["trials"], f"{trials['wall_s']:.1f}", f"{trials['peak_mb']:.0f}", MOST_SECONDS, met(trials["wall_s"] <= MOST_SECONDS)],
           ["mixed precision, MobileNetV2", mixed["models_run"], f"{mixed['wall_s']:.1f}", f"{mixed['peak_mb']:.0f}", MOST_SECONDS, met(mixed["wall_s"] <= MOST_SECONDS)]])
    print(f"killed after {trials['resumed_at']} trials and gone on with: the same trials: {met(trials['same_trials'])}")
    save("search", {"search": trials, "mixed_precision": mixed}, args.out)


if __name__ == "__main__":
    main()
