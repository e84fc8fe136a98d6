"""What a task is, and what several of them need."""
import dataclasses
import json
import pathlib
from typing import Callable

import numpy as np

from measure import LIBRARY

Arrays = dict[str, np.ndarray]


@dataclasses.dataclass(frozen=True)
class Prepared:
    """Samples along axis 0 of every array. `truth` holds what only the score needs."""
    calib: Arrays
    eval: Arrays
    truth: Arrays = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Evaluation:
    """A model to score. `reference` is the float model, `data` the root of the models and data."""
    model: pathlib.Path
    reference: pathlib.Path
    arrays: Arrays
    truth: Arrays
    data: pathlib.Path


@dataclasses.dataclass(frozen=True)
class Task:
    name: str
    metric: str
    prepare: Callable[[pathlib.Path, pathlib.Path], Prepared]  # (data root, folder of built models)
    score: Callable[[Evaluation], float | np.ndarray]  # an array: of every sample, the score is their mean
    model: str = ""  # file below models/; the name + ".onnx" unless given
    any_export: bool = False  # the figures hold for another export of the same network
    packaged: bool = False  # the model lies with those that package_models.py fetched

    def model_path(self, data, built):
        """The float model: among the given ones, else among those built on demand."""
        file = self.model or self.name + ".onnx"
        if self.packaged:
            return built.parent / "packages" / file
        given = data / "models" / file
        return given if given.exists() else built / file

    def is_here(self, data, built):
        """Whether the model is, and no other in its place (`./dev data` makes some)."""
        fetched = data / "fetched.json"
        others = json.loads(fetched.read_text())["stand_ins"] if fetched.exists() else {}
        return self.model_path(data, built).exists() and ((self.model or self.name).removesuffix(".onnx") not in others or self.any_export)


def session(path, threads=0):
    import onnxruntime as ort
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    if b"com.amd.quark" in pathlib.Path(path).read_bytes():
        options.register_custom_ops_library(str(LIBRARY))
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def feed_of(sess, arrays, first, last):
    """Samples [first, last) as the model's inputs. Inputs whose own axis 0 is no batch get one sample, unstacked."""
    feed = {}
    for spec in sess.get_inputs():
        values = arrays[spec.name][first:last]
        feed[spec.name] = values[0] if values.ndim == len(spec.shape) + 1 else values
    return feed


def outputs(path, arrays, batch=1):
    """Outputs of a model over all samples, one list entry per output, samples along axis 0."""
    sess = session(path)
    count = len(next(iter(arrays.values())))
    runs = [sess.run(None, feed_of(sess, arrays, i, min(i + batch, count))) for i in range(0, count, batch)]
    return [np.concatenate([run[k] for run in runs]) for k in range(len(runs[0]))]


def top1(evaluation, batch=8):
    """Of every sample whether its largest output is the labelled class, in percent."""
    arrays = {k: v for k, v in evaluation.arrays.items() if k != "label"}
    scores = outputs(evaluation.model, arrays, batch)[-1]
    return 100.0 * (scores.reshape(len(scores), -1).argmax(1) == evaluation.arrays["label"])


def pick(arrays, rows):
    return {name: values[rows] for name, values in arrays.items()}
