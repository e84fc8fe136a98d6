"""AutoSearchPro: the best configuration of a space, by samplers, in a study that can be gone on with."""
import difflib
import hashlib
import itertools
import os
import pathlib
import re
import time
import warnings

from ...errors import ConfigError
from ...progress import display
from . import configs
from .configs import NAMES, labels, to_qconfig
from .files import write_json
from .judges import judge_of, libraries_of
from .metrics import OF_AUTO_SEARCH_PRO, metric_of
from .presets import get_auto_search_config
from .results import concluded, log_file
from .samples import read_samples
from .space import ONLY_IF, Space, flat
from .statistics import Statistics
from .study import GRID, Budget, Study
from .trials import Trials

#: Settings, with their defaults; those of the last line are preon's own.
_SETTINGS = {"search_space": None, "search_algo": "TPE", "n_trials": 20, "n_jobs": 1, "base_framework": "onnx",
             "search_metric": None, "search_evaluator": None, "direction": "minimize", "two_stage_search": False,
             "model_input": None, "calib_data_reader": None, "eval_data_reader": None, "output_dir": "./output",
             "temp_dir": "./temp_dir", "study_storage_db": None, "load_study_if_exists": False, "study_name": "AutoSearch",
             "plot_results": False,
             "time": None, "seed": 0, "pruning": True, "keep_models": True}
_KINDS = {"n_trials": int, "n_jobs": int, "seed": int, **dict.fromkeys(
    ("load_study_if_exists", "two_stage_search", "plot_results", "pruning", "keep_models"), bool)}
_TUNING = ("algorithms", "adaround_params", "adaquant_params")   # of the second stage
_UNITS = {"s": 1, "m": 60, "h": 3600}


class AutoSearchPro:
    """Searches the space that `config` describes (docs/search.md). The dict is not changed.

    result  of the last run: a preon.Result with all trials

    Raises ConfigError for a setting that is not known or not possible, ImportError without Optuna or ONNX Runtime.
    """

    def __init__(self, config):
        self.config = _checked(config)
        self.result = None
        space = self.config["search_space"] or get_auto_search_config("ADVANCED_SEARCH")["search_space"]
        self.search_space = {key if key[:1].isupper() else _near(key, NAMES, "search_space"): value
                             for key, value in space.items()}
        for name in Space(self.search_space).never():
            warnings.warn(f"search_space: {name}: no effect: what its only_if names is not in the space", UserWarning, 2)

    def run(self):
        """The best parameters: with search_algo "Grid" as generate_all_configs() has them, else {"group_key": value}.

        Also in `output_dir`: best_params.json, best_config.json (for `preon quantize --config`), best_model.onnx,
        search.json with all trials, auto_search.log. Ctrl-C ends the search with the best so far.
        """
        grid = self.config["search_algo"] == GRID
        stages = [(self.search_space, self.config["search_algo"], self.config["n_trials"])]
        if self.config["two_stage_search"]:
            first = {name: value for name, value in self.search_space.items() if name not in _TUNING}
            most, size = self.config["n_trials"], _capped(Space(first), None)
            if size is not None and size > most:
                warnings.warn(f"n_trials: the first {most} of the {size} configurations of the first stage are tried; n_trials={size} tries all", UserWarning, 2)
            first_stage = (first, GRID, most)
            stages = [first_stage, *stages] if "algorithms" in self.search_space else [first_stage]
            grid = grid or len(stages) == 1
        best = self._search(stages)
        params = best if grid else flat(best)
        write_json(pathlib.Path(self.config["output_dir"], "best_params.json"), labels(params))
        return params

    def grid_search(self, grid_search_space, search_len=None):
        """The best of the first `search_len` configurations of a space of lists."""
        return self._search([(grid_search_space, GRID, search_len)])

    process_joint_numiter_lr = staticmethod(configs.process_joint_numiter_lr)

    def _search(self, stages):
        settings, begin = self.config, time.monotonic()
        folder, temporary = (pathlib.Path(settings[key]) for key in ("output_dir", "temp_dir"))
        for each in (folder, temporary):
            each.mkdir(parents=True, exist_ok=True)
        with log_file(folder / "auto_search.log"):
            samples = read_samples(settings["model_input"], settings["calib_data_reader"], "calib_data_reader")
            judge, judging = self._judge(samples)
            statistics = Statistics(settings["model_input"], samples, temporary)
            trials = Trials(to_qconfig, statistics, judge, self._large_wins(), folder)
            made_of = {"model": _digest_of_model(settings["model_input"]), "samples": _digest(samples),
                       "judging samples": _digest(judging), "metric": self._metric_name(), "seed": settings["seed"]}
            try:
                self.result = concluded(trials, self._metric_name(), lambda: self._run(stages, trials, made_of, begin))
            finally:
                _remove_if_empty(temporary)
        return trials.best_params

    def _run(self, stages, trials, made_of, begin):
        """Whether Ctrl-C has ended it."""
        settings = self.config
        seconds = _seconds(settings["time"])
        for index, (space, sampler, count) in enumerate(stages):
            if index > 0:
                space = _fixed(space, trials.best_params)
            checked = Space(space)
            budget = Budget(_capped(checked, count), seconds, begin)
            name = settings["study_name"] + ("-calibration" if index + 1 < len(stages) else "")
            study = Study(checked, sampler, settings["seed"], name, trials.large_wins, self._storage(),
                          settings["load_study_if_exists"], {**made_of, "space": repr(labels(space)), "sampler": sampler})
            infix = "" if sampler == GRID else "_"
            interrupted = self._run_study(study, trials, budget, infix)
            if settings["plot_results"]:
                self._plot(study)
            if interrupted or trials.best is None:
                return interrupted
        return False

    def _run_study(self, study, trials, budget, infix):
        folder, shown = pathlib.Path(self.config["output_dir"]), display()
        name = f"quantized_model{infix}{{}}.onnx" if self.config["keep_models"] else "quantized_model.onnx"
        try:
            return study.run(trials, budget, lambda index: folder / name.format(index), shown)
        finally:
            if shown is not None:
                shown.close()
            if not self.config["keep_models"]:
                (folder / name).unlink(missing_ok=True)

    def _judge(self, samples):
        """The judge, and the samples that it runs on."""
        settings = self.config
        model, evaluator, reader = settings["model_input"], settings["search_evaluator"], settings["eval_data_reader"]
        if evaluator is not None:
            return judge_of(model, (), None, evaluator), ()
        if reader is not None and reader is not settings["calib_data_reader"]:
            samples = read_samples(model, reader, "eval_data_reader")
        metric = metric_of(settings["search_metric"], OF_AUTO_SEARCH_PRO)
        libraries = libraries_of(self.search_space.get("UserCustomOpLibPath"))
        return judge_of(model, samples, metric, gives_up=settings["pruning"], libraries=libraries), samples

    def _metric_name(self):
        is_own = self.config["search_evaluator"] is not None
        return "search_evaluator" if is_own else self.config["search_metric"] or "L2"

    def _large_wins(self):
        if self.config["search_evaluator"] is not None:
            return self.config["direction"] == "maximize"
        metric = metric_of(self.config["search_metric"], OF_AUTO_SEARCH_PRO)
        if self.config["direction"] == "maximize" and not metric.large_score_wins:
            warnings.warn(f"direction: no effect: {metric.name} is small where outputs are near", UserWarning, 4)
        return metric.large_score_wins

    def _storage(self):
        file = self.config["study_storage_db"]
        return None if file is None else f"sqlite:///{pathlib.Path(self.config['output_dir']).resolve() / file}"

    def _plot(self, study):
        folder = pathlib.Path(self.config["output_dir"])
        try:
            from optuna import visualization

            visualization.plot_optimization_history(study.study).write_html(folder / "opt_history.html")
            visualization.plot_param_importances(study.study).write_html(folder / "param_importance.html")
        except (ImportError, ValueError, RuntimeError) as error:  # packages of plots, or too few trials
            warnings.warn(f"plot_results: {error}", UserWarning, 4)


def _checked(config):
    if not isinstance(config, dict):
        raise ConfigError(1002, f"AutoSearchPro: got {type(config).__name__}, wanted a dict", exit_status=2)
    given = {_near(key, [*_SETTINGS], "AutoSearchPro"): value for key, value in config.items()}
    settings = {**_SETTINGS, **{key: value for key, value in given.items() if value is not None}}
    if settings["model_input"] is None:
        raise ConfigError(1003, "Please input the onnx model! 'model_input' can not be None.", exit_status=2)
    if settings["calib_data_reader"] is None:
        raise ConfigError(1003, "calib_data_reader in Auto Search Pro can not None!", exit_status=2)
    for key, kind in _KINDS.items():
        if not isinstance(settings[key], kind) or kind is int and isinstance(settings[key], bool):
            raise ConfigError(1002, f"{key}: got {settings[key]!r}, wanted {kind.__name__}", exit_status=2)
    for key, choices in (("direction", ("minimize", "maximize")), ("base_framework", ("onnx",))):
        if settings[key] not in choices:
            raise ConfigError(1002, f"{key}: got {settings[key]!r}, wanted {' or '.join(choices)}", exit_status=2)
    if settings["n_trials"] < 1:
        raise ConfigError(1002, f"n_trials: got {settings['n_trials']}, wanted at least 1", exit_status=2)
    if settings["n_jobs"] > 1:
        warnings.warn("n_jobs: no effect: trials run one after the other, each on all processors", UserWarning, 3)
    if settings["search_evaluator"] is None:
        metric_of(settings["search_metric"], OF_AUTO_SEARCH_PRO)
    _seconds(settings["time"])
    return settings


def _near(key, known, where):
    """The known key that a misspelt one is for."""
    if key in known:
        return key
    near = difflib.get_close_matches(key, known, 1)
    if not near:
        raise ConfigError(1001, f"{where}: unknown key '{key}', wanted one of {', '.join(known)}", exit_status=2)
    warnings.warn(f"{where}: '{key}' is not a key, it is taken as '{near[0]}'", UserWarning, 4)
    return near[0]


def _seconds(limit):
    """Seconds of 90, "90s", "5m", "2h"; None: no limit."""
    if limit is None:
        return float("inf")
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh]?)", str(limit))
    if not match or isinstance(limit, bool):
        raise ConfigError(1002, f"time: got {limit!r}, wanted seconds or a text such as 5m", exit_status=2)
    return float(match[1]) * _UNITS[match[2] or "s"]


def _capped(space, count):
    """The number of trials: at most as many as there are configurations."""
    if not space.is_countable():
        return count
    return sum(1 for _ in itertools.islice(space.configs(), count))


def _fixed(space, params):
    """The space of the second stage: what the first has found, and the choices of algorithms."""
    fixed = {name: value for name, value in space.items() if name in _TUNING}
    for name, value in params.items():
        is_group = isinstance(space[name], dict)
        fixed[name] = {**{key: [each] for key, each in value.items()}, ONLY_IF: space[name][ONLY_IF]} if is_group else [value]
    return fixed


def _remove_if_empty(folder):
    try:
        folder.rmdir()
    except OSError:
        pass  # other files are there


def _digest(samples):
    content = hashlib.sha256()
    for inputs, label in samples:
        for array in (*inputs.values(), label):
            content.update(b"" if array is None else memoryview(array.copy(order="C")).cast("B"))
    return content.hexdigest()


def _digest_of_model(model):
    is_in_memory = hasattr(model, "SerializeToString")
    content = model.SerializeToString() if is_in_memory else pathlib.Path(os.fsdecode(model)).read_bytes()
    return hashlib.sha256(content).hexdigest()
