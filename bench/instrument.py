#!/usr/bin/env python3
"""Serving an instrumented model against serving the float model, in one Python process with the default session options.

Runs of both take turns; reported are the medians of the pairs' ratios. Several rounds of sessions: where the runtime's threads
and buffers lie differs from one to the next.
"""
import argparse
import pathlib
import tempfile
import time

import numpy as np
import onnxruntime as ort

from measure import ROOT, add_places, helper, preon, save, spread, table

MODELS = ["mobilenetv2_1.0", "resnet50v2_stage3_probe", "sst2_transformer"]
LIBRARY = ROOT / "build/lib/libpreon_observers.so"


def session(path, threads, library=None):
    options = ort.SessionOptions()
    if threads:
        options.intra_op_num_threads = threads
    if library:
        options.register_custom_ops_library(str(library))
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def timed(run, feed):
    start = time.perf_counter()
    run(None, feed)
    return time.perf_counter() - start


def measure(model, instrumented, feeds, threads, args):
    ratios, plain_ms, served_ms = [], [], []
    for _ in range(args.rounds):
        pair = [session(model, threads), session(instrumented, threads, LIBRARY)]
        for feed in feeds[:3]:
            for each in pair:
                each.run(None, feed)
        for index in range(args.pairs):
            feed, first = feeds[index % len(feeds)], index % 2
            times = [0.0, 0.0]
            for which in (first, 1 - first):
                times[which] = timed(pair[which].run, feed)
            ratios.append(times[1] / times[0])
            plain_ms.append(1000 * times[0])
            served_ms.append(1000 * times[1])
    return {"ratio": spread(ratios), "plain_ms": spread(plain_ms), "served_ms": spread(served_ms)}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench instrument", description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--pairs", type=int, default=100, help="per round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=16)
    add_places(parser)
    args = parser.parse_args()
    results = {}
    for name in args.models:
        paths = helper("bench_samples.py", args.work, name, args.samples, args.samples)
        model, data = paths["model"], paths["samples"]
        with np.load(data) as arrays, tempfile.TemporaryDirectory() as folder:
            rows = {key: arrays[key] for key in arrays.files if key != "label"}
            feeds = [{key: values[index:index + 1] for key, values in rows.items()} for index in range(args.samples)]
            instrumented = pathlib.Path(folder) / "served.onnx"
            preon("instrument", model, "-o", instrumented, "--data", data)
            for threads in args.threads:
                results[f"{name}, {threads} threads"] = measure(model, instrumented, feeds, threads, args)
    print()
    table(["model", "float ms", "instrumented ms", "ratio", "(min-max)"],
          [[name, f"{r['plain_ms']['median']:.2f}", f"{r['served_ms']['median']:.2f}", f"{r['ratio']['median']:.3f}",
            f"{r['ratio']['min']:.2f}-{r['ratio']['max']:.2f}"] for name, r in results.items()])
    save("instrument", results, args.out)


if __name__ == "__main__":
    main()
