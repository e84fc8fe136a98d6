#!/usr/bin/env python3
"""Deals a task's samples at random into some to calibrate on and the rest, and prints where they are.

  split_samples.py WORK TASK COUNT SEED
"""
import json
import pathlib
import sys

import numpy as np

from prepare_data import TASKS, built_models, data_root, load, prepare, save
from tasks.task import pick


def main():
    work, task, count, seed = pathlib.Path(sys.argv[1]), TASKS[sys.argv[2]], int(sys.argv[3]), int(sys.argv[4])
    folder = prepare(task, work)
    if folder is None:
        sys.exit(f"{task.name}: the model is not here; ./dev data fetches some")
    calib, held = load(folder / "calib.npz"), load(folder / "eval.npz")
    both = {name: np.concatenate([values, held[name]]) for name, values in calib.items()}
    order = np.random.default_rng(seed).permutation(len(next(iter(both.values()))))
    paths = {"calib": folder / "split.calib.npz", "unseen": folder / "split.unseen.npz"}
    save(paths["calib"], pick(both, order[:count]))
    save(paths["unseen"], pick(both, order[count:]))
    print(json.dumps({"model": str(task.model_path(data_root(), built_models(work))), **{name: str(path) for name, path in paths.items()}}))


if __name__ == "__main__":
    main()
