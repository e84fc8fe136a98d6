#!/usr/bin/env python3
"""Writes, per model, the samples to calibrate on and those to judge on as .npz files that `preon --data` reads.

  prepare_data.py OUT [MODEL...]       OUT/MODEL/{calib,eval,truth}.npz, only what is missing

calib.npz  one array per model input, samples along axis 0
eval.npz   the same, other samples; `label` where the task is a classification
truth.npz  what else the score needs
Models and data come from $PREON_DATA, ../shared/data or what `./dev data` fetched (scripts/data_root.py); models built on demand from OUT/minilm.
A model that stands in for another has no task: its figures would be taken for the other's.
"""
import argparse
import json
import pathlib
import sys

import numpy as np

from tasks import TASKS

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
from data_root import data_root  # noqa: E402


def built_models(folder):
    return folder / "minilm"


def save(path, arrays):
    """Whole or absent, so that a run that was interrupted is made good by the next one."""
    part = path.with_suffix(".part.npz")
    np.savez(part, **arrays)
    part.replace(path)


def prepare(task, folder):
    """Makes what is missing below folder/NAME and returns that folder; None where the model is absent."""
    data, target = data_root(), folder / task.name
    if not task.is_here(data, built_models(folder)):
        return None
    if not (target / "eval.npz").exists():
        target.mkdir(parents=True, exist_ok=True)
        prepared = task.prepare(data, built_models(folder))
        save(target / "calib.npz", prepared.calib)
        save(target / "truth.npz", prepared.truth)
        save(target / "eval.npz", prepared.eval)
    return target


def load(path):
    with np.load(path) as file:
        return dict(file)


def folder_and_model(task, work):
    """Folder and model of a task; ends the process where the model is absent."""
    folder = prepare(task, work)
    if folder is None:
        sys.exit(f"{task.name}: the model is not here; ./dev data fetches some")
    return folder, str(task.model_path(data_root(), built_models(work)))


def all_samples(folder):
    """Inputs by name: those that calibrate, then those that judge."""
    calib, held = load(folder / "calib.npz"), load(folder / "eval.npz")
    return {name: np.concatenate([values, held[name]]) for name, values in calib.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("models", nargs="*", choices=[[], *TASKS], default=[])
    parser.add_argument("--list", action="store_true", help="only print which models are here, as JSON")
    args = parser.parse_args()
    if args.list:
        here = [name for name, task in TASKS.items() if task.is_here(data_root(), built_models(args.out))]
        print(json.dumps({"models": here, "absent": [name for name in TASKS if name not in here],
                          "packaged": [name for name, task in TASKS.items() if task.packaged]}))
        return
    for name in args.models or TASKS:
        target = prepare(TASKS[name], args.out)
        if target is None:
            print(f"{name}: not here, skipped")
            continue
        for part in ("calib", "eval"):
            print(f"{target / part}.npz:", ", ".join(f"{k}{list(v.shape)}" for k, v in load(target / f"{part}.npz").items()))


if __name__ == "__main__":
    main()
