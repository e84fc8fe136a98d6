#!/usr/bin/env python3
"""Nanoseconds per element of the tight loops, beside the scalar reference and what memory allows.

Runs the Google Benchmark programs build/bin/preon_*_bench. A bench named X/reference (or X_reference) is the scalar form of
X; BM_Memcpy and BM_PlainSum tell how fast values can be moved and read at all, BM_Cycle how long the processor's cycle takes
(longer than its data sheet says where a virtual machine gets a share of it).
"""
import argparse
import json
import os
import re
import subprocess

from measure import ROOT, save, table


def run(program, repetitions, pattern):
    command = [program, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}", f"--benchmark_filter={pattern}",
               "--benchmark_min_time=0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["benchmarks"]


def ns_per_element(entries):
    """Name -> {median, min, max} over the repetitions; benches that count no elements are left out."""
    samples = {}
    for entry in entries:
        if entry.get("run_type") == "iteration" and entry.get("items_per_second"):
            samples.setdefault(entry["run_name"], []).append(1e9 / entry["items_per_second"])
    return {name: {"median": sorted(v)[len(v) // 2], "min": min(v), "max": max(v)} for name, v in samples.items()}


def reference_of(name, figures):
    """The scalar bench that belongs to this one: the same name with `reference` in it."""
    bare = lambda text: re.sub(r"[/_]reference", "", text)
    return next((figures[other] for other in figures if other != name and bare(other) == bare(name)), None)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench kernels", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filter", default=".", help="regular expression on the bench's name")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--out", help="JSON file; default below build/")
    args = parser.parse_args()
    figures = {}
    for program in sorted((ROOT / "build/bin").glob("preon_*_bench")):
        if os.access(program, os.X_OK):
            figures.update(ns_per_element(run(program, args.repetitions, args.filter)))
    cycle = figures.get("BM_Cycle", {}).get("min")
    # Benches of arrays that no cache holds end with "/memory" and are held against a memcpy of the same arrays.
    limits = {suffix: figures.get("BM_Memcpy" + suffix, {}).get("median") for suffix in ("", "/memory")}
    rows = []
    for name, figure in figures.items():
        if "reference" in name:
            continue
        scalar, limit = reference_of(name, figures), limits["/memory" if name.endswith("/memory") else ""]
        rows.append([name.removeprefix("BM_"), f"{figure['median']:.3f}", f"{figure['min']:.3f}-{figure['max']:.3f}",
                     f"{scalar['median']:.3f}" if scalar else "", f"{scalar['median'] / figure['median']:.1f}x" if scalar else "",
                     f"{figure['median'] / limit:.1f}" if limit else "", f"{figure['min'] / cycle:.2f}" if cycle else ""])
    table(["kernel", "ns/element", "(min-max)", "reference", "faster", "x memcpy", "cycles (min)"], rows)
    save("kernels", figures, args.out)


if __name__ == "__main__":
    main()
