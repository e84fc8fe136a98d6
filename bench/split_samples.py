#!/usr/bin/env python3
"""Deals a task's samples at random into some to calibrate on and the rest, and prints where they are.

  split_samples.py WORK TASK COUNT SEED
"""
import json
import pathlib
import sys

import numpy as np

from prepare_data import TASKS, all_samples, folder_and_model, save
from tasks.task import pick


def main():
    count, seed = int(sys.argv[3]), int(sys.argv[4])
    folder, model = folder_and_model(TASKS[sys.argv[2]], pathlib.Path(sys.argv[1]))
    samples = all_samples(folder)
    order = np.random.default_rng(seed).permutation(len(next(iter(samples.values()))))
    paths = {"calib": folder / "split.calib.npz", "unseen": folder / "split.unseen.npz"}
    save(paths["calib"], pick(samples, order[:count]))
    save(paths["unseen"], pick(samples, order[count:]))
    print(json.dumps({"model": model, **{name: str(path) for name, path in paths.items()}}))


if __name__ == "__main__":
    main()
