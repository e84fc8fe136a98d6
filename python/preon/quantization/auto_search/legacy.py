"""AutoSearch: the older search, over fields of QuantizationConfig."""
import copy
import os
import pathlib
import random
import time

from ...calibration.data_readers import path_reader
from ...errors import ConfigError, not_yet
from ..config.config import Config
from ..config.legacy import to_qconfig
from .judges import judge_of, libraries_of
from .legacy_settings import AutoSearchConfig, settings_of
from .levels import SearchSpace, joined, split_levels, without_pairs
from .metrics import OF_AUTO_SEARCH, metric_of
from .results import concluded, log_file
from .samples import read_samples
from .space import Space
from .statistics import Statistics
from .study import Budget, Study
from .trials import Trials


class AutoSearch:
    """Searches the configurations of `auto_search_config.search_space`, each put over `config` (docs/search.md).

    all_configs  what search_model tries, in this order; may be replaced
    candidates   of the last run: {"config_index", "difference", "model_path"} of those within the tolerance
    result       of the last run: a preon.Result with all trials

    Raises ConfigError for settings that are not possible.
    """

    def __init__(self, model_input, config, auto_search_config=None, eval_dataloader=None, calibration_data_reader=None,
                 calibration_data_path=None):
        if not isinstance(config, Config):
            raise ConfigError(1002, f"AutoSearch: config: got {type(config).__name__}, wanted Config", exit_status=2)
        self.settings = settings_of(AutoSearchConfig if auto_search_config is None else auto_search_config)
        for name in ("crypto_mode", "use_dynamic_quant"):
            if getattr(config.global_quant_config, name) or name in self.settings["search_space"]:
                raise not_yet(f"AutoSearch with {name}")
        self.metric = metric_of(self.settings["search_metric"], OF_AUTO_SEARCH)
        self.model_input, self.config, self.eval_dataloader = model_input, config, eval_dataloader
        self.reader = calibration_data_reader
        if self.reader is None and calibration_data_path is not None:
            source = path_reader(model_input, calibration_data_path)
            self.reader = source.get("reader", source.get("data"))
        self.all_configs = self.build_all_configs(self.settings["search_space"])
        self.candidates, self.result = [], None

    def build_all_configs(self, search_space_config):
        """The possible configurations of a space; lists of several spaces, one behind the other, may become `all_configs`."""
        space = SearchSpace(search_space_config)
        return space.remove_invalid_configs([without_pairs(each) for each in space.get_all_configs()])

    def search_model(self):
        """The candidates; with two_stage_search [the best configuration], with advanced_fastft_search the best parameters.

        In `search_output_dir`: the candidates' models as iter_N.onnx, best_model.onnx, best_config.json, search.json.
        """
        settings, self.candidates = self.settings, []
        output, cache = (pathlib.Path(settings[name]) for name in ("search_output_dir", "search_cache_dir"))
        for each in (output, cache, pathlib.Path(settings["search_log_path"]).parent):
            each.mkdir(parents=True, exist_ok=True)
        with log_file(settings["search_log_path"]):
            samples = read_samples(self.model_input, self.reader, "calibration_data_reader")
            statistics = Statistics(self.model_input, samples, cache)
            trials = Trials(self._qconfig, statistics, self._judge(samples), self._large_wins(), output)
            name = "search_evaluator" if settings["search_evaluator"] else self.metric.name
            self.result = concluded(trials, name, lambda: self._search(trials))
        if settings["two_stage_search"]:
            return [trials.best_params]
        return dict(trials.best_params["FastFinetune"]) if settings["advanced_fastft_search"] else self.candidates

    def _search(self, trials):
        """Whether Ctrl-C has ended it."""
        if self.settings["two_stage_search"]:
            return self._in_two_stages(trials)
        if self.settings["advanced_fastft_search"]:
            return self._by_sampler(trials)
        configs = list(self.all_configs)
        if self.settings["search_algo"] == "random":
            random.Random(0).shuffle(configs)
        return self._one_by_one(trials, configs)

    def _one_by_one(self, trials, configs):
        stop, begin = self.settings["search_stop_condition"], time.monotonic()
        for params in configs:
            try:
                self._run(trials, params)
            except KeyboardInterrupt:
                return True
            reached = {"find_n_candidates": len(self.candidates), "iteration_limit": len(trials.records),
                       "time_limit": time.monotonic() - begin}
            if any(stop[name] != -1 and value >= stop[name] for name, value in reached.items()):
                break
        return False

    def _in_two_stages(self, trials):
        levels = [split_levels(each) for each in self.all_configs]
        first = _unique(joined({**fields, "include_fast_ft": False}, extra, {}) for fields, extra, _ in levels)
        second = _unique(tuning for *_, tuning in levels if tuning)
        if not second:
            raise ConfigError(1003, "two_stage_search: needs FastFinetune and include_fast_ft in the search space", exit_status=2)
        if self._one_by_one(trials, first):
            return True
        fields, extra, _ = split_levels(trials.best_params)
        return self._one_by_one(trials, [joined({**fields, "include_fast_ft": True}, extra, tuning) for tuning in second])

    def _by_sampler(self, trials):
        """NumIterations and LearningRate between the smallest and the largest of their lists."""
        tuning = split_levels(self.settings["search_space"])[2]
        other = [key for key in tuning if key not in ("NumIterations", "LearningRate")]
        if other or not tuning:
            raise ConfigError(1004, f"advanced_fastft_search: got {', '.join(other) or 'no FastFinetune'}, "
                                    "wanted NumIterations and LearningRate in FastFinetune", exit_status=2)
        group = {key: {"type": "int" if key == "NumIterations" else "float", "low": min(values), "high": max(values),
                       "log": True} for key, values in tuning.items()}
        space = Space({"include_fast_ft": [True], "FastFinetune": {**group, "only_if": "include_fast_ft"}})
        of_study = self.settings["advanced_fastft_params"]
        study = Study(space, of_study["sampler_algo"], 0, "AutoSearch", trials.large_wins)
        maker = trials.maker
        trials.maker = lambda params: maker(joined({"include_fast_ft": True}, {}, params["FastFinetune"]))
        return study.run(trials, Budget(of_study["n_trials"]), self._output)

    def _run(self, trials, params):
        """One trial; its model stays where it is within the tolerance."""
        output = self._output(len(trials.records))
        record = trials.run(params, output)
        difference = record.get("score")
        if difference is None:
            return
        bound = self.settings["search_metric_tolerance"]
        if record["state"] == "complete" and (-difference if trials.large_wins else difference) <= bound:
            self.candidates.append({"config_index": record["index"], "difference": difference,
                                    "model_path": os.fspath(output)})
        else:
            output.unlink(missing_ok=True)

    def _output(self, index):
        return pathlib.Path(self.settings["search_output_dir"]) / f"iter_{index}.onnx"

    def _qconfig(self, params):
        """`config` with the values of `params`."""
        fields, extra, tuning = split_levels(params)
        config = copy.deepcopy(self.config.global_quant_config)
        for name, value in fields.items():
            if not hasattr(config, name):
                raise ConfigError(1001, f"search_space: no field '{name}' in QuantizationConfig", exit_status=2)
            setattr(config, name, value)
        config.extra_options = {**(config.extra_options or {}), **extra}
        if tuning:
            config.extra_options["FastFinetune"] = {**config.extra_options.get("FastFinetune", {}), **tuning}
        return to_qconfig(config)

    def _judge(self, samples):
        evaluator, loader = self.settings["search_evaluator"], self.eval_dataloader
        if evaluator is None and loader is not None:
            samples = read_samples(self.model_input, loader, "eval_dataloader")
        libraries = libraries_of((self.config.global_quant_config.extra_options or {}).get("UserCustomOpLibPath"))
        return judge_of(self.model_input, samples, self.metric, evaluator, libraries=libraries)

    def _large_wins(self):
        return self.settings["search_evaluator"] is None and self.metric.large_score_wins


def _unique(configs):
    found = []
    for each in configs:
        if each not in found:
            found.append(each)
    return found
