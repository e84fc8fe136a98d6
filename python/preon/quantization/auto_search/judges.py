"""Scores of quantized models: by their outputs, or by a function of the user's."""
import dataclasses
import math
import os

from ...errors import ConfigError, NotFound

#: Models are compared with the best one after that many runs, twice as many, and so on.
_FEWEST_RUNS = 16
#: A model is given up where its mean is worse than the best one's by more than this many standard errors, or where it is
#: worse in this share of the runs, too: the distances of single runs have long tails.
_STANDARD_ERRORS, _WORSE_SHARE = 4, 0.95


@dataclasses.dataclass(frozen=True)
class Verdict:
    score: float
    values: tuple       #: of single runs
    is_complete: bool   #: False: given up early; the score is that of the runs until then


class OutputJudge:
    """Compares outputs with those of the float model, which runs once."""

    def __init__(self, model, samples, metric, gives_up=True, libraries=()):
        if metric.needs_labels and any(label is None for _, label in samples):
            raise ConfigError(1003, f"search_metric: {metric.name}: needs samples with an array 'label' next to the inputs",
                              exit_status=2)
        self.metric, self.samples, self.gives_up, self.libraries = metric, samples, gives_up, libraries
        session = open_session(model, libraries)
        self.floats = [session.run(None, inputs) for inputs, _ in samples]

    def judge(self, path, best_values=()):
        """`best_values`: those of the best model so far; a model that can't reach it is given up."""
        session, values = open_session(path, self.libraries), []
        for run, (inputs, label) in enumerate(self.samples):
            if self._is_stop(run) and best_values and self._is_hopeless(values, best_values):
                return Verdict(self.metric.score(self.floats, values), tuple(values), False)
            values.append(self.metric.value(self.floats[run], session.run(None, inputs), label))
        score = self.metric.score(self.floats, values)
        if not math.isfinite(score):
            raise ConfigError(1002, f"{self.metric.name}: got {score} for the outputs", exit_status=1)
        return Verdict(score, tuple(values), True)

    def _is_stop(self, run):
        parts, rest = divmod(run, _FEWEST_RUNS)
        return self.gives_up and rest == 0 and parts > 0 and parts & (parts - 1) == 0

    def _is_hopeless(self, values, best_values):
        """The same runs of two models differ less than different runs of one, so that pairs tell soon."""
        import numpy as np

        worse = np.subtract(values, best_values[:len(values)]) * (1 if self.metric.small_values_win else -1)
        bound = 0 if (worse > 0).mean() >= _WORSE_SHARE else _STANDARD_ERRORS * worse.std() / math.sqrt(len(values))
        return worse.mean() > bound


class FunctionJudge:
    """`evaluator(path)` of the float model less that of the quantized one."""

    def __init__(self, model, evaluator):
        self.evaluator, self.of_float = evaluator, float(evaluator(model))

    def judge(self, path, best_values=()):
        return Verdict(self.of_float - float(self.evaluator(path)), (), True)


def judge_of(model, samples, metric, evaluator=None, gives_up=True, libraries=()):
    """A FunctionJudge where there is an evaluator, else an OutputJudge. `model`: a path or a ModelProto; `libraries`: of
    custom operators that it needs."""
    if not hasattr(model, "SerializeToString"):
        model = os.fspath(model)
    return OutputJudge(model, samples, metric, gives_up, libraries) if evaluator is None else FunctionJudge(model, evaluator)


def libraries_of(paths):
    """The files that UserCustomOpLibPath names: None, a path, or lists of them, as in a search space; each once."""
    if paths is None:
        return ()
    if isinstance(paths, (list, tuple)):
        return tuple(dict.fromkeys(file for each in paths for file in libraries_of(each)))
    return (os.fspath(paths),)


def open_session(model, libraries=()):
    """A session for a path or model, with the operators for types that ONNX has not, and those of the user's libraries.

    Raises ImportError without ONNX Runtime.
    """
    try:
        import onnxruntime
    except ImportError:
        raise ImportError("the search runs models in onnxruntime: pip install 'preon[search]'") from None
    from ...deploy import get_library_path

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    try:
        options.register_custom_ops_library(get_library_path())
    except NotFound:
        pass  # models of standard operators need none
    for library in libraries:
        options.register_custom_ops_library(os.fspath(library))
    return onnxruntime.InferenceSession(model if isinstance(model, str) else model.SerializeToString(), options,
                                        providers=["CPUExecutionProvider"])
