#!/usr/bin/env python3
"""Writes the samples of `bench calibrate` and prints where they are: all of a task's samples, repeated to the number asked for.

  bench_samples.py WORK TASK COUNT CHUNK
"""
import json
import pathlib
import sys

import numpy as np

from prepare_data import TASKS, all_samples, folder_and_model, save


def main():
    count, chunk = int(sys.argv[3]), int(sys.argv[4])
    folder, model = folder_and_model(TASKS[sys.argv[2]], pathlib.Path(sys.argv[1]))
    paths = {"samples": folder / f"samples{count}.npz", "chunk": folder / f"samples{chunk}.npz"}
    for path, number in ((paths["samples"], count), (paths["chunk"], chunk)):
        if not path.exists():
            save(path, {name: values[np.arange(number) % len(values)] for name, values in all_samples(folder).items()})
    print(json.dumps({"model": model, **{name: str(path) for name, path in paths.items()}}))


if __name__ == "__main__":
    main()
