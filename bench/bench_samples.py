#!/usr/bin/env python3
"""Writes the samples of `bench calibrate` and prints where they are: all of a task's samples, repeated to the number asked for.

  bench_samples.py WORK TASK COUNT CHUNK
"""
import json
import pathlib
import sys

import numpy as np

from prepare_data import TASKS, built_models, data_root, load, prepare, save


def main():
    work, task = pathlib.Path(sys.argv[1]), TASKS[sys.argv[2]]
    count, chunk = int(sys.argv[3]), int(sys.argv[4])
    folder = prepare(task, work)
    if folder is None:
        sys.exit(f"{task.name}: the model is not here; ./dev data fetches some")
    paths = {"samples": folder / f"samples{count}.npz", "chunk": folder / f"samples{chunk}.npz"}
    for path, number in ((paths["samples"], count), (paths["chunk"], chunk)):
        if not path.exists():
            calib, held = load(folder / "calib.npz"), load(folder / "eval.npz")
            both = {name: np.concatenate([values, held[name]]) for name, values in calib.items()}
            save(path, {name: values[np.arange(number) % len(values)] for name, values in both.items()})
    print(json.dumps({"model": str(task.model_path(data_root(), built_models(work))),
                      **{name: str(path) for name, path in paths.items()}}))


if __name__ == "__main__":
    main()
