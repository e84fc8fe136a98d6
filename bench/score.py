#!/usr/bin/env python3
"""Scores models of one task and prints {"MODEL": score, ...}.

  score.py TASK DATA_FOLDER MODEL.onnx...      DATA_FOLDER as prepare_data.py wrote it; the first model is the float one

Where the score is a mean over samples, `each` has the terms: two models are best compared sample by sample.
"""
import json
import pathlib
import sys

import numpy as np

from prepare_data import TASKS, data_root, load
from tasks.task import Evaluation


def main():
    task, folder, models = TASKS[sys.argv[1]], pathlib.Path(sys.argv[2]), [pathlib.Path(m) for m in sys.argv[3:]]
    arrays, truth = load(folder / task.name / "eval.npz"), load(folder / task.name / "truth.npz")
    found = {str(model): task.score(Evaluation(model, models[0], arrays, truth, data_root())) for model in models}
    print(json.dumps({"metric": task.metric, "scores": {model: float(np.mean(values)) for model, values in found.items()},
                      "each": {model: values.tolist() for model, values in found.items() if isinstance(values, np.ndarray)}}))


if __name__ == "__main__":
    main()
