#!/usr/bin/env python3
"""What Python costs: preon.calibrate() with a reader of arrays against the same samples that the library reads itself.

Both run in this process, over the same arrays in memory and in a file, taking turns at going first. Reported are the medians of
the pairs' ratios of wall time and of processor time, and the share of a run that was spent in Python between the library's
question for a sample and its answer; "!": above the limit.
"""
import argparse
import resource
import sys
import time

from measure import ROOT, add_places, helper, save, spread, table

sys.path.insert(0, str(ROOT / "build/python"))
LIMIT = 1.02
MODELS = ["mobilenetv2_1.0"]


class Reader:
    """Views of arrays, without a copy, and how long they took."""

    def __init__(self, arrays):
        self.arrays, self.place = arrays, 0

    def get_next(self):
        self.place += 1
        if self.place > len(next(iter(self.arrays.values()))):
            return None
        return {name: array[self.place - 1:self.place] for name, array in self.arrays.items()}

    def rewind(self):
        self.place = 0


def timed(function):
    """Wall and processor seconds of a call."""
    used = lambda: sum(getattr(resource.getrusage(resource.RUSAGE_SELF), field) for field in ("ru_utime", "ru_stime"))
    begin, before = time.perf_counter(), used()
    function()
    return time.perf_counter() - begin, used() - before


def watch_samples(core):
    """Adds up the seconds that answers to the library take in Python."""
    spent = [0.0]
    answer = core._Samples.__call__

    def watched(self, index):
        begin = time.perf_counter()
        try:
            return answer(self, index)
        finally:
            spent[0] += time.perf_counter() - begin

    core._Samples.__call__ = watched
    return spent


def measure(name, args):
    import numpy as np
    import preon
    from preon import core

    paths = helper("bench_samples.py", args.work, name, args.samples, 16)
    arrays = {key: array for key, array in np.load(paths["samples"]).items() if not key.startswith("label")}
    target = f"{args.work}/{name}/python.calib"
    common = {"samples": args.samples, "threads": args.threads, "progress": False}
    spent = watch_samples(core)
    by_file = lambda: preon.calibrate(paths["model"], target, data=paths["samples"], **common)
    by_reader = lambda: preon.calibrate(paths["model"], target, reader=Reader(arrays), **common)
    by_file()  # brings the model and the samples into the page cache
    pairs, shares = [], []
    for i in range(args.pairs):
        order = [by_file, by_reader][:: 1 if i % 2 == 0 else -1]
        spent[0] = 0.0
        results = {action: timed(action) for action in order}
        pairs.append((results[by_file], results[by_reader]))
        shares.append(spent[0] / results[by_reader][0])
    return {"wall_ratio": spread([reader[0] / file[0] for file, reader in pairs]),
            "processor_ratio": spread([reader[1] / file[1] for file, reader in pairs]),
            "share_in_python": spread(shares), "reader_s": spread([reader[0] for _, reader in pairs])}


def main():
    parser = argparse.ArgumentParser(prog="./dev bench python", description=__doc__)
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--pairs", type=int, default=7)
    add_places(parser)
    args = parser.parse_args()
    results = {name: measure(name, args) for name in args.models}
    print(f"\n{args.samples} samples, {args.threads} threads; medians of {args.pairs} pairs\n")
    table(["model", "reader s", "wall ratio", "(min-max)", "processor ratio", "in Python", "limit"],
          [[name, f"{r['reader_s']['median']:.3f}", f"{r['wall_ratio']['median']:.3f}",
            f"{r['wall_ratio']['min']:.2f}-{r['wall_ratio']['max']:.2f}", f"{r['processor_ratio']['median']:.3f}",
            f"{100 * r['share_in_python']['median']:.2f} %", f"{LIMIT}{' !' if r['wall_ratio']['median'] > LIMIT else ''}"]
           for name, r in results.items()])
    save("python", results, args.out)


if __name__ == "__main__":
    main()
