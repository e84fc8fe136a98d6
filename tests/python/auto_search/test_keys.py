"""Each key of AutoSearchPro has an effect, or is named in a message."""
import json
import pathlib
import re
import warnings

import numpy as np
import onnx
import pytest
from preon import AutoSearchPro, ConfigError, ModelQuantizer, QConfig, get_auto_search_config
from preon.quantization.auto_search.configs import to_qconfig
from preon.quantization.auto_search.pro import _SETTINGS
from preon.quantization.auto_search.space import Interval, Space
from preon.quantization.auto_search.study import _suggested
from tiny_search import SPACE

#: What other tests of this folder or of this file show; `model_input` and `calib_data_reader` are in every search.
SHOWN_ELSEWHERE = {"model_input", "calib_data_reader", "time", "load_study_if_exists", "pruning", "two_stage_search"}


def scores(searched):
    return [each["score"] for each in searched.result.trials]


def configs(searched):
    return [json.dumps(each["params"], sort_keys=True) for each in searched.result.trials]


def test_the_grid_runs_all_and_takes_the_best(search, tmp_path):
    searched = search()
    best = min(searched.result.trials, key=lambda each: each["score"])
    assert len(set(configs(searched))) == 8 and searched.result.best["index"] == best["index"]
    assert searched.answer == best["params"]
    out = tmp_path / "out"
    assert {each.name for each in out.iterdir()} == {
        "auto_search.log", "best_config.json", "best_model.onnx", "best_params.json", "search.json",
        *(f"quantized_model{index}.onnx" for index in range(8))}
    assert json.loads((out / "best_params.json").read_text()) == searched.answer
    assert json.loads((out / "search.json").read_text())["trials"] == searched.result.trials
    assert (out / "auto_search.log").read_text().count("trial ") >= 8
    assert not (tmp_path / "temporary").exists()


def test_the_best_configuration_makes_the_best_model(search, settings, tmp_path):
    """Without samples, as trials are made: from the statistics of the same samples."""
    searched = search()
    config = QConfig.from_dict(json.loads((tmp_path / "out/best_config.json").read_text()))
    assert config == to_qconfig(searched.answer)
    given = settings()["calib_data_reader"]["input"]
    reader = iter([{"input": given[row:row + 1]} for row in range(len(given))])
    made = ModelQuantizer(config).quantize_model(
        str(tmp_path / "model.onnx"), None, type("Reader", (), {"get_next": lambda self: next(reader, None)})())
    best = onnx.load(searched.result.best_model)
    assert [node.op_type for node in made.graph.node] == [node.op_type for node in best.graph.node]


def test_misspelt_keys_are_named(search):
    with pytest.warns(UserWarning, match="'serch_metric' is not a key, it is taken as 'search_metric'"):
        searched = search(serch_metric="L1", n_trials=1)
    assert searched.result.metric == "L1"
    space = {("activaton" if name == "activation" else name): value for name, value in SPACE.items()}
    with pytest.warns(UserWarning, match="'activaton' is not a key, it is taken as 'activation'"):
        assert "activation" in search(search_space=space, n_trials=1).answer


@pytest.mark.parametrize("changes, says", [
    ({"zzz": 1}, "unknown key 'zzz'"), ({"search_space": {"zzz": [1]}}, "unknown key 'zzz'"),
    ({"search_algo": "tpe"}, "did you mean 'TPE'"), ({"search_metric": "l2"}, "did you mean 'L2'"),
    ({"direction": "up"}, "minimize or maximize"), ({"base_framework": "torch"}, "wanted onnx"),
    ({"n_trials": 0}, "at least 1"), ({"n_trials": "3"}, "wanted int"), ({"n_trials": True}, "wanted int"), ({"time": "soon"}, "time:"),
    ({"model_input": None}, "'model_input' can not be None"), ({"calib_data_reader": None}, "can not None"),
    ({"keep_models": 1}, "wanted bool"), ({"search_metric": "top1"}, "needs samples with an array 'label'")])
def test_settings_that_are_wrong(search, changes, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        search(**changes)


@pytest.mark.thorough
def test_every_metric(search):
    of_metric = {name: search(search_metric=name) for name in ("L2", "L1", "cos", "psnr", "ssim", "sqnr", "agreement")}
    for name, searched in of_metric.items():
        best, values = searched.result.best["score"], [each["score"] for each in searched.result.trials if each["state"] == "complete"]
        assert best == (min if name in ("L1", "L2") else max)(values), name
    assert len({tuple(scores(each)) for each in of_metric.values()}) == len(of_metric)


def test_labels_are_judged_by(search, settings):
    inputs = settings()["calib_data_reader"]["input"]
    searched = search(search_metric="top1", eval_data_reader={"input": inputs, "label": np.zeros(len(inputs), np.int64)})
    assert all(0 <= each <= 1 for each in scores(searched))


def test_direction_and_evaluator(search, settings):
    """The score is that of the float model less that of the quantized one."""
    sizes = lambda path: pathlib.Path(path).stat().st_size
    smallest, largest = (search(search_evaluator=sizes, direction=direction) for direction in ("maximize", "minimize"))
    float_size = sizes(settings()["model_input"])
    assert scores(smallest) == [float_size - sizes(each["model"]) for each in smallest.result.trials]
    assert smallest.result.best["score"] == max(scores(smallest)) > min(scores(largest)) == largest.result.best["score"]
    with pytest.warns(UserWarning, match="direction: no effect: L2 is small"):
        search(direction="maximize", n_trials=1)


def test_samples_to_judge_on(search, settings):
    inputs = settings()["calib_data_reader"]["input"]
    assert scores(search()) != scores(search(eval_data_reader={"input": 2 * inputs}))


@pytest.mark.thorough
@pytest.mark.parametrize("sampler", ["TPE", "Random", "CmaEs", "NSGAII", "QMC"])
def test_every_sampler_tries_each_configuration_once(search, sampler):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Optuna, about parameters that a sampler leaves to another one
        searched = search(search_algo=sampler, n_trials=20)
    assert len(searched.result.trials) == len(set(configs(searched))) == 8  # all there are
    assert searched.answer["weight"] == "Int8Spec" and "weight_params_quant_granularity" in searched.answer


def test_seed_and_number_of_trials(search):
    orders = [configs(search(search_algo="Random", seed=seed, n_trials=4)) for seed in (0, 0, 1)]
    assert orders[0] == orders[1] != orders[2] and len(orders[0]) == 4


def test_numbers_between_bounds(search):
    space = {**SPACE, "weight_params": {"quant_granularity": ["Channel"], "only_if": "weight"}, "algorithms": ["adaround"],
             "adaround_params": {"learning_rate": {"type": "float", "low": 0.01, "high": 0.1, "log": True}, "only_if": {"algorithms": "adaround"}}}
    rates = [each["params"]["adaround_params"]["learning_rate"] for each in search(search_space=space, search_algo="TPE", n_trials=3).result.trials]
    assert len(set(rates)) == 3 and all(0.01 <= rate <= 0.1 for rate in rates)


@pytest.mark.thorough
def test_folders_and_names(search, tmp_path):
    search(output_dir=str(tmp_path / "a"), temp_dir=str(tmp_path / "b"), keep_models=False, study_storage_db="x.db", n_trials=2)
    assert {each.name for each in (tmp_path / "a").iterdir()} == {
        "auto_search.log", "best_config.json", "best_model.onnx", "best_params.json", "search.json", "x.db"}
    with pytest.raises(ConfigError, match="has a study 'AutoSearch' already"):
        search(output_dir=str(tmp_path / "a"), study_storage_db="x.db")
    search(output_dir=str(tmp_path / "a"), study_storage_db="x.db", study_name="Another", n_trials=1)


def test_keys_without_effect_are_named(search):
    with pytest.warns(UserWarning, match="n_jobs: no effect"):
        search(n_jobs=2, n_trials=1)
    with pytest.warns(UserWarning, match="cle_params: no effect"):
        search(search_space={**SPACE, "cle_params": {"cle_steps": [1], "only_if": "cle_algo"}}, n_trials=1)
    space = {**SPACE, "algorithms": ["adaround"], "adaround_params": {"num_iterations": [5], "only_if": {"algorithms": "adaround"}}}
    assert "warning: adaround: num_iterations: has no effect" in repr(search(search_space=space, n_trials=1).result)


def test_plots(search, tmp_path):
    """Plotly is a package of its own."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        search(plot_results=True)
    assert (tmp_path / "out/opt_history.html").exists() or any("plot_results" in str(each.message) for each in caught)


def test_two_stages(search):
    """First the grid without algorithms, then these on the best."""
    space = {**SPACE, "algorithms": ["adaround", "adaquant"],
             "adaround_params": {"num_iterations": [10], "only_if": {"algorithms": "adaround"}}}
    searched = search(search_space=space, search_algo="TPE", two_stage_search=True)
    first, second = searched.result.trials[:8], searched.result.trials[8:]
    best = min(first, key=lambda each: each["score"])["params"]
    assert len(second) == 2 and all("algorithms" not in each["params"] for each in first)
    assert all({**each["params"], **best} == each["params"] for each in second)
    assert {each["params"]["algorithms"] for each in second} == {"adaround", "adaquant"}


def test_the_number_of_trials_is_that_of_each_stage(search):
    space = {**SPACE, "algorithms": ["adaround"], "adaround_params": {"num_iterations": [5, 10, 15], "only_if": {"algorithms": "adaround"}}}
    with pytest.warns(UserWarning, match="n_trials: the first 2 of the 8 configurations of the first stage are tried; n_trials=8 tries all"):
        searched = search(search_space=space, search_algo="TPE", two_stage_search=True, n_trials=2)
    assert ["algorithms" in each["params"] for each in searched.result.trials] == [False, False, True, True]


@pytest.mark.parametrize("name", ["ADVANCED_SEARCH", "XINT8_SEARCH", "A8W8_SEARCH", "A16W8_SEARCH"])
def test_bounds_that_no_step_meets(name):
    """Optuna is told the largest value, and has nothing to warn of."""
    import optuna

    space, trial = Space(get_auto_search_config(name)["search_space"]), optuna.create_study().ask()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        numbers = [_suggested(trial, f"{group}_{key}", choices) for group, keys in space.groups.items()
                   for key, choices in keys.items() if isinstance(choices, Interval)]
    assert len(numbers) >= 4
    assert [Interval(*each, False, isinstance(each[2], int)).last() for each in ((3000, 20000, 3000), (3000, 30000, 3000), (0, 1, 0.3), (0.1, 0.3, 0.1))] \
        == [18000, 30000, 0.9, 0.3]


def test_every_key_is_tested():
    """Those of the ready-made configurations, and preon's own."""
    text = pathlib.Path(__file__).read_text()
    assert set(get_auto_search_config("A8W8_SEARCH")) <= set(_SETTINGS)
    assert [key for key in _SETTINGS if not re.search(rf'\b{key}=|"{key}":', text) and key not in SHOWN_ELSEWHERE] == []


@pytest.mark.parametrize("name", ["ADVANCED_SEARCH", "XINT8_SEARCH", "A8W8_SEARCH", "A16W8_SEARCH"])
def test_ready_made_spaces(search, name):
    config = get_auto_search_config(name)
    config["search_space"].pop("algorithms")
    for algorithm in ("adaround", "adaquant"):
        config["search_space"].pop(f"{algorithm}_params")
    searched = search(search_space=config["search_space"], search_algo="Random", n_trials=2)
    assert [each["state"] for each in searched.result.trials] == ["complete"] * 2, searched.result
    assert get_auto_search_config(name) == get_auto_search_config(name) != config
    with pytest.raises(ConfigError, match="did you mean"):
        get_auto_search_config(name + "X")


@pytest.mark.parametrize("params, differs", [
    ({"activation": "Int16Spec"}, "global_config"), ({"activation_params": {"scale_type": "PowerOf2"}}, "global_config"),
    ({"activation_params": {"data_type": "UInt8"}}, "global_config"), ({"weight_params": {"calibration_method": "MinMSE"}}, "global_config"),
    ({"algorithms": "adaround", "adaround_params": {"NumIterLR": [7, 0.5]}}, "algo_config"),
    ({"cle_algo": "cle", "cle_params": {"cle_steps": 3}}, "algo_config"), ({"exclude": ["conv_1"]}, "exclude"),
    ({"specific_layer_config": {}}, None), ({"layer_type_config": {}}, None), ({"use_external_data_format": True}, "use_external_data_format"),
    ({"preon_options": {"target": "ort-cpu"}}, "preon_options"), ({"Percentile": 99.0}, "extra_options")])
def test_every_name_of_the_space(params, differs):
    plain = {"activation": "Int8Spec", "weight": "Int8Spec"}
    before, after = (to_qconfig(each).to_dict() for each in (plain, {**plain, **params}))
    assert [key for key in {**before, **after} if before.get(key) != after.get(key)] == ([differs] if differs else [])


@pytest.mark.parametrize("params, says", [
    ({"activation": "Int9Spec"}, "did you mean"), ({"activation_params": {"symetric": True}}, "did you mean 'symmetric'"),
    ({"weight_params": {"scale_type": "Float"}}, "ScaleType"), ({"algorithms": "adaraund"}, "did you mean 'adaround'"),
    ({"algorithms": "adaround", "adaround_params": {"NumIterLR": 3}}, "number of iterations"),
    ({"algorithms": "adaround", "adaround_params": {"iterations": 3}}, "iterations")])
def test_values_that_are_wrong(params, says):
    with pytest.raises(ConfigError, match=says):
        to_qconfig({"activation": "Int8Spec", "weight": "Int8Spec", **params})
