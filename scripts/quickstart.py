#!/usr/bin/env python3
"""Quantizes the shipped example with the built binary and prints float against INT8. Run by `./dev quickstart`."""
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE, OUT = "examples/glyphs", "build/quickstart"


def preon(*arguments, show=True):
    """Runs one command from the project's root, shows it, and returns the object that it prints."""
    command = ["build/bin/preon", *arguments]
    if show:
        print("$", shlex.join(command), flush=True)
    done = subprocess.run([*command, "--json", "--quiet"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"quickstart: '{shlex.join(command)}' ended with status {done.returncode}")
    return json.loads(done.stdout)


def megabytes(size):
    return f"{size / 1e6:.2f} MB"


def main():
    (ROOT / OUT).mkdir(parents=True, exist_ok=True)
    source, result, calib = f"{EXAMPLE}/model.onnx", f"{OUT}/model.int8.onnx", f"{EXAMPLE}/calib.npz"
    quantized = preon("quantize", source, "-o", result, "--data", calib)
    compared = preon("compare", source, result, "--data", f"{EXAMPLE}/test.npz", "--threads", "1")
    calibrated = preon("calibrate", source, "-o", f"{OUT}/model.calib", "--data", calib)
    plain = preon("run", source, "--data", calib)
    accuracy, size = compared["accuracy"], quantized["size_bytes"]
    latency, speed = compared["latency_ms"], compared["speedup"]
    rows = [
        ("", "float", "INT8"),
        ("top-1 on 940 pictures", *(f"{100 * accuracy[kind]['top1']:.2f} %" for kind in ("float", "quantized"))),
        ("file", megabytes(size["float"]), megabytes(size["quantized"])),
        ("latency, 1 thread", *(f"{latency[kind]['p50']:.3f} ms" for kind in ("float", "quantized"))),
        ("speed, 1 thread", "1", "busy machine" if speed["busy"] else f"{speed['median']:.2f} ({speed['low']:.2f} to {speed['high']:.2f})"),
        ("multiplications in integers", "0 %", f"{100 * quantized['placement']['integer_macs_share']:.1f} %"),
    ]
    print()
    for label, *cells in rows:
        print(f"  {label:<28}{cells[0]:>12}{cells[1]:>22}")
    print(f"\n  calibration: {calibrated['samples']} pictures, {calibrated['observed_tensors']} tensors in "
          f"{calibrated['seconds']['total']:.2f} s, {calibrated['peak_rss_bytes'] / 1e6:.0f} MB peak memory"
          f"\n  (plain inference of the same pictures: {plain['seconds']['total']:.2f} s, {plain['peak_rss_bytes'] / 1e6:.0f} MB)")
    print(f"""
Next:
  build/bin/preon inspect {OUT}/model.calib
      what calibration learned
  build/bin/preon ranges {OUT}/model.calib --method minmax
      other ranges, without model or data
  build/bin/preon quantize YOUR.onnx -o YOUR.int8.onnx --data SAMPLES
      SAMPLES: .npz, .npy, a folder of images; --help says more
  docs/guide.md""")


if __name__ == "__main__":
    main()
