"""AutoSearch over fields of QuantizationConfig: each setting has an effect, or is named in a message."""
import json
import re

import numpy as np
import pytest
from preon import AutoSearch, ConfigError, QConfig
from preon.calibration.methods import CalibrationMethod
from preon.quantization.auto_search import AutoSearchConfig
from preon.quantization.config.config import Config
from preon.quantization.config.legacy import QuantizationConfig

SPACE = {"calibrate_method": [CalibrationMethod.MinMax, CalibrationMethod.Percentile], "per_channel": [False, True],
         "extra_options": {"ActivationSymmetric": [True, False], "Percentile": [99.0, 99.9]}}
TUNED = {"calibrate_method": [CalibrationMethod.MinMax], "per_channel": [False, True], "include_fast_ft": [True, False],
         "extra_options": {"FastFinetune": {"NumIterations": [5, 10], "LearningRate": [0.1, 0.01]}}}


@pytest.fixture
def search(model, data, tmp_path):
    """search(name=value, ...): an AutoSearch that has run, with what search_model() gave as `answer`."""
    def run(**changes):
        fields = {"search_space": SPACE, "search_cache_dir": str(tmp_path / "cache"), "search_output_dir": str(tmp_path / "out"),
                  "search_log_path": str(tmp_path / "log/search.log"), **changes}
        base = Config(QuantizationConfig(include_cle=False))
        searched = AutoSearch(str(tmp_path / model), base, type("Settings", (AutoSearchConfig,), fields),
                              calibration_data_reader=dict(np.load(tmp_path / data)))
        searched.answer = searched.search_model()
        return searched

    return run


def differences(searched):
    return [each["score"] for each in searched.result.trials if "score" in each]


def test_all_that_make_sense_are_tried(search, tmp_path):
    """Percentile counts with its method alone: 2 symmetries of MinMax, 4 of Percentile, each with and without channels."""
    searched = search()
    assert len(searched.all_configs) == len(searched.result.trials) == 12
    assert {each["config_index"] for each in searched.answer} == {
        each["index"] for each in searched.result.trials if each["state"] == "complete"}
    assert all((tmp_path / "out" / f"iter_{each['config_index']}.onnx").exists() for each in searched.answer)
    assert searched.result.best["score"] == min(differences(searched))
    QConfig.from_dict(json.loads((tmp_path / "out/best_config.json").read_text()))
    assert (tmp_path / "log/search.log").read_text().count("trial ") >= 12 and list((tmp_path / "cache").iterdir()) == []


def test_spaces_one_behind_the_other(model, data, tmp_path):
    """As in Quark's examples: a class of their own with several spaces, whose configurations become all_configs."""
    class Settings:
        search_space = SPACE
        search_space_advanced = {**SPACE, "calibrate_method": [CalibrationMethod.Entropy]}
        search_cache_dir = search_output_dir = str(tmp_path)
        search_log_path = str(tmp_path / "search.log")
        search_stop_condition = {"iteration_limit": 5}

    searched = AutoSearch(str(tmp_path / model), Config(QuantizationConfig(include_cle=False)), Settings(),
                          calibration_data_reader=dict(np.load(tmp_path / data)))
    further = searched.build_all_configs(Settings.search_space_advanced)
    assert {each["calibrate_method"] for each in further} == {CalibrationMethod.Entropy} and len(searched.all_configs) == 12
    searched.all_configs = further + searched.all_configs
    searched.search_model()
    tried = [each["params"]["calibrate_method"] for each in searched.result.trials]
    assert len(tried) == 5 and tried[0] == "CalibrationMethod.Entropy"
    Settings.other = 1
    with pytest.raises(ConfigError, match="unknown attribute 'other'"):
        AutoSearch(str(tmp_path / model), Config(QuantizationConfig()), Settings())


def test_tolerance(search, tmp_path):
    bound = sorted(differences(search()))[3]
    searched = search(search_metric_tolerance=bound, search_output_dir=str(tmp_path / "few"))
    assert searched.answer and all(each["difference"] <= bound for each in searched.answer)
    assert len(list((tmp_path / "few").glob("iter_*.onnx"))) == len(searched.answer) < 12


def test_stop_conditions(search):
    count = lambda **stop: len(search(search_stop_condition=stop).result.trials)
    assert count(iteration_limit=3) == 3 and count(time_limit=0) == 1 and count() == 12
    assert len(search(search_stop_condition={"find_n_candidates": 2}).answer) == 2
    with pytest.warns(UserWarning, match="find_best_candidate: no effect"):
        assert count(find_best_candidate=1, iteration_limit=1) == 1
    with pytest.raises(ConfigError, match="did you mean 'time_limit'"):
        count(time_limits=3)


@pytest.mark.thorough
def test_order_metric_and_evaluator(search):
    order = lambda **changes: [json.dumps(each["params"], sort_keys=True) for each in search(**changes).result.trials]
    assert order() != order(search_algo="random") and sorted(order()) == sorted(order(search_algo="random"))
    best = {metric: search(search_metric=metric).result.best["score"] for metric in ("L1", "L2", "cos", "psnr", "ssim")}
    assert len(set(best.values())) == 5 and 0.9 < best["cos"] <= 1
    evaluated = search(search_evaluator=staticmethod(lambda path: 3.0 if path.endswith("model.onnx") else 1.0))
    assert set(differences(evaluated)) == {2.0} and evaluated.result.metric == "search_evaluator"


def test_two_stages(search):
    """Two configurations without fine-tuning, then the four of fine-tuning on the better one."""
    searched = search(search_space=TUNED, two_stage_search=True)
    first, second = searched.result.trials[:2], searched.result.trials[2:]
    assert not any(each["params"]["include_fast_ft"] for each in first) and len(second) == 4
    best = min(first, key=lambda each: each["score"])["params"]
    assert all(each["params"]["per_channel"] == best["per_channel"] and each["params"]["include_fast_ft"] for each in second)
    assert [each["per_channel"] for each in searched.answer] == [best["per_channel"]]
    with pytest.raises(ConfigError, match="two_stage_search: needs FastFinetune"):
        search(two_stage_search=True)


def test_fine_tuning_by_a_sampler(search):
    parameters = {"sampler_algo": "Random", "n_trials": 3}
    searched = search(search_space=TUNED, advanced_fastft_search=True, advanced_fastft_params=parameters)
    assert len(searched.result.trials) == 3 and 5 <= searched.answer["NumIterations"] <= 10 and 0.01 <= searched.answer["LearningRate"] <= 0.1
    with pytest.warns(UserWarning, match="direction: no effect"):
        search(search_space=TUNED, advanced_fastft_search=True, advanced_fastft_params={"n_trials": 1, "direction": "maximize"})
    with pytest.raises(ConfigError, match="no FastFinetune"):
        search(advanced_fastft_search=True)


@pytest.mark.parametrize("changes, says", [
    ({"search_algo": "grid"}, "grid_search or random"), ({"search_metric": "cosine"}, "did you mean 'cos'"), ({"serch_metric": "L2"}, "unknown attribute"),
    ({"search_space": {"per_chanel": [True]}}, "no field 'per_chanel'"), ({"search_space": {"crypto_mode": [True]}}, "crypto_mode"),
    ({"advanced_fastft_params": {"trials": 3}}, "unknown key 'trials'")])
def test_settings_that_are_wrong(search, changes, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        search(**changes)


def test_lists_are_wanted(search):
    with pytest.raises(TypeError, match="per_channel: got bool, wanted a list"):
        search(search_space={"per_channel": True})


def test_settings_without_effect_are_named(search):
    with pytest.warns(UserWarning, match="n_jobs: no effect") as caught:
        search(n_jobs=4, search_devices="cpu", search_stop_condition={"iteration_limit": 1})
    assert any("search_devices: no effect" in str(each.message) for each in caught)


def test_samples_of_a_folder_and_others_to_judge_on(model, data, tmp_path):
    """With a class that is no AutoSearchConfig, as many scripts have it."""
    inputs = np.load(tmp_path / data)["input"]
    (tmp_path / "samples").mkdir()
    for row, sample in enumerate(inputs):
        np.save(tmp_path / f"samples/{row}.npy", sample[None])

    class Settings:
        search_space = {"per_channel": [True, False]}
        search_cache_dir = search_output_dir = str(tmp_path / "out")
        search_log_path = str(tmp_path / "out/search.log")

    base = Config(QuantizationConfig(include_cle=False))
    scores = []
    for judged in (None, {"input": 2 * inputs}):
        searched = AutoSearch(str(tmp_path / model), base, Settings, judged, calibration_data_path=str(tmp_path / "samples"))
        assert len(searched.search_model()) == 2
        scores.append(differences(searched))
    assert scores[0] != scores[1]
