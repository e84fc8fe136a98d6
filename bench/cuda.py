#!/usr/bin/env python3
"""Calibration on a CUDA device beside plain inference there, and its statistics beside those of the CPU.

Wall seconds and memory of the device (nvidia-smi, above what was used before), best of the rounds; the largest difference of minmax
ranges, as a share of a tensor's range. Needs an ONNX Runtime for CUDA (docs/design/cuda.md). Without a device: says so, status 0.
"""
import argparse
import subprocess
import sys
import threading
import time

from measure import Failed, add_places, helper, preon, save, spread, table

MODELS = ["mobilenetv2_1.0", "resnet50v2_stage3_probe", "yolox_nano"]
MOST_TIME, MOST_MEMORY, MOST_DIFFERENCE = 1.2, 1.3, 1e-3


def used_mb(device):
    asked = ["nvidia-smi", f"--id={device}", "--query-gpu=memory.used", "--format=csv,noheader,nounits"]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


class DeviceMemory:
    """The most that is used while it runs, MB above what was used before."""

    def __init__(self, device):
        self.device, self.before, self.most, self.runs = device, used_mb(device), 0, True
        self.thread = threading.Thread(target=self._watch)

    def _watch(self):
        while self.runs:
            self.most = max(self.most, used_mb(self.device) - self.before)
            time.sleep(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.runs = False
        self.thread.join()


def timed(device, *arguments):
    with DeviceMemory(device) as memory:
        done = preon(*arguments, "--provider", f"cuda:{device}")
    return done["wall"], memory.most


def largest_difference(cpu, cuda):
    """Of both ends of all tensors, as a share of the CPU's range."""
    return max(abs(cuda[name][end] - found[end]) / max(found["max"] - found["min"], 1e-9) for name, found in cpu.items() for end in ("min", "max"))


def measure(name, args):
    paths = helper("bench_samples.py", args.work, name, args.samples, args.samples)
    model, data = paths["model"], ["--data", paths["samples"]]
    statistics = {provider: f"{args.work}/{name}/{provider}.calib" for provider in ("cpu", "cuda")}
    rounds = [(timed(args.device, "run", model, *data), timed(args.device, "calibrate", model, "-o", statistics["cuda"], *data))
              for _ in range(args.rounds)]
    preon("calibrate", model, "-o", statistics["cpu"], *data)
    ranges = {provider: preon("ranges", path, "--method", "minmax")["tensors"] for provider, path in statistics.items()}
    result = {"difference": largest_difference(ranges["cpu"], ranges["cuda"])}
    for index, verb in enumerate(("run", "calibrate")):
        result[verb] = {"s": spread([each[index][0] for each in rounds]), "mb": spread([each[index][1] for each in rounds])}
    return result


def main():
    parser = argparse.ArgumentParser(prog="./dev bench cuda", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--device", type=int, default=0)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    add_places(parser)
    args = parser.parse_args()
    first = helper("bench_samples.py", args.work, args.models[0], 16, 16)
    try:
        preon("run", first["model"], "--data", first["samples"], "--provider", f"cuda:{args.device}")
    except Failed as failure:
        print(f"skipped, no CUDA device: {failure}")
        return 0
    results, rows, missed = {}, [], False
    for name in args.models:
        results[name] = r = measure(name, args)
        ratios = {what: r["calibrate"][what]["min"] / max(r["run"][what]["min"], 1e-9) for what in ("s", "mb")}
        bad = {"s": ratios["s"] > MOST_TIME, "mb": ratios["mb"] > MOST_MEMORY, "difference": r["difference"] > MOST_DIFFERENCE}
        missed = missed or any(bad.values())
        mark = lambda what: "!" if bad[what] else " "
        rows.append([name, f"{r['run']['s']['min']:.2f}", f"{r['calibrate']['s']['min']:.2f}", f"{ratios['s']:.2f}{mark('s')}",
                     f"{r['run']['mb']['min']}", f"{r['calibrate']['mb']['min']}", f"{ratios['mb']:.2f}{mark('mb')}", f"{r['difference']:.1e}{mark('difference')}"])
    table(["model", "run s", "calibrate s", f"({MOST_TIME})", "run MB", "calibrate MB", f"({MOST_MEMORY})", f"ranges ({MOST_DIFFERENCE:.0e})"], rows)
    save("cuda", results, args.out)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
