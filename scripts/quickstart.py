#!/usr/bin/env python3
"""Quantizes the shipped example with the built binary and prints float against INT8. Run by `./dev quickstart`."""
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLE, OUT = "examples/glyphs", "build/quickstart"
REPEAT = 5  # passes over the test pictures per latency measurement


def preon(*arguments, show=True):
    """Runs one command from the project's root, shows it, and returns the object that it prints."""
    command = ["build/bin/preon", *arguments]
    if show:
        print("$", shlex.join(command), flush=True)
    done = subprocess.run([*command, "--json", "--quiet"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"quickstart: '{shlex.join(command)}' ended with status {done.returncode}")
    return json.loads(done.stdout)


def latency(model):
    """Median milliseconds per picture at one thread; the better of two runs, since other work only ever slows it down."""
    runs = [preon("run", model, "--data", f"{EXAMPLE}/test.npz", "--threads", "1", "--repeat", str(REPEAT), show=False)
            for _ in range(2)]
    return min(run["latency_ms"]["p50"] for run in runs)


def megabytes(size):
    return f"{size / 1e6:.2f} MB"


def main():
    (ROOT / OUT).mkdir(parents=True, exist_ok=True)
    source, result, calib = f"{EXAMPLE}/model.onnx", f"{OUT}/model.int8.onnx", f"{EXAMPLE}/calib.npz"
    quantized = preon("quantize", source, "-o", result, "--data", calib)
    compared = preon("compare", source, result, "--data", f"{EXAMPLE}/test.npz")
    calibrated = preon("calibrate", source, "-o", f"{OUT}/model.calib", "--data", calib)
    plain = preon("run", source, "--data", calib)
    accuracy, size = compared["accuracy"], quantized["size_bytes"]
    float_ms, int8_ms = latency(source), latency(result)
    rows = [
        ("", "float", "INT8"),
        ("top-1 on 940 pictures", *(f"{100 * accuracy[kind]['top1']:.2f} %" for kind in ("float", "quantized"))),
        ("file", megabytes(size["float"]), megabytes(size["quantized"])),
        ("latency, 1 thread", f"{float_ms:.3f} ms", f"{int8_ms:.3f} ms"),
        ("multiplications in integers", "0 %", f"{100 * quantized['placement']['integer_macs_share']:.1f} %"),
    ]
    print()
    for label, *cells in rows:
        print(f"  {label:<28}" + "".join(f"{cell:>12}" for cell in cells))
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
