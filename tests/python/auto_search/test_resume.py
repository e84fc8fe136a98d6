"""A search that ends early: killed, by Ctrl-C, by its budget; and one that goes on with it."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import onnxruntime
import pytest
from preon import AutoSearchPro, ConfigError
from preon.quantization.auto_search.pro import _seconds
from tiny_search import SPACE

#: More configurations than are tried, so that what comes next depends on what came before.
SCRIPT = """
import signal, sys, numpy as np
from preon import AutoSearchPro
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore it for what runs in the background
model, data, output, space = sys.argv[1:]
searched = AutoSearchPro({"search_space": eval(space), "search_algo": "TPE", "n_trials": 14, "model_input": model,
                          "calib_data_reader": dict(np.load(data)), "output_dir": output, "temp_dir": output + "/temporary",
                          "study_storage_db": "study.db", "load_study_if_exists": True})
searched.run()
"""
MANY = {**SPACE, "activation_params": {"symmetric": [True, False], "calibration_method": ["MinMax", "Percentile", "MinMSE", "Entropy"],
                                       "only_if": "activation"}, "Percentile": [99.0, 99.9, 99.99]}


@pytest.fixture
def started(model, data, tmp_path):
    """started(folder): the search as a process of its own, and the folder of its results."""
    def start(folder):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", SCRIPT, *(str(tmp_path / each) for each in (model, data, folder)), repr(MANY)]
        return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True), tmp_path / folder

    return start


def wait_for(process, folder, text):
    log = folder / "auto_search.log"
    while not log.exists() or text not in log.read_text():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.005)


def trials(folder):
    records = json.loads((folder / "search.json").read_text())["trials"]
    return [(each["params"], each["state"], each["score"]) for each in records]


@pytest.mark.thorough
def test_a_killed_search_goes_on_with_the_same_trials(started):
    whole, expected = started("whole")
    assert whole.wait() == 0
    for index in (2, 11):  # among the random ones at the beginning, and behind them
        process, folder = started("killed")
        wait_for(process, folder, f"trial {index}:")
        process.send_signal(signal.SIGKILL)
        process.wait()
    again, folder = started("killed")
    assert again.wait() == 0, again.communicate()[1]
    assert trials(folder) == trials(expected) and len(trials(folder)) == 14
    assert (folder / "best_model.onnx").read_bytes() == (expected / "best_model.onnx").read_bytes()
    assert (folder / "best_params.json").read_text() == (expected / "best_params.json").read_text()


@pytest.mark.thorough
def test_ctrl_c_keeps_the_best(started):
    process, folder = started("interrupted")
    wait_for(process, folder, "trial 3:")
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0, process.communicate()[1]
    facts = json.loads((folder / "search.json").read_text())
    assert facts["interrupted"] and 4 <= len(facts["trials"]) < 14
    complete = [each["score"] for each in facts["trials"] if each["state"] == "complete"]
    assert facts["best"]["score"] == min(complete)
    onnxruntime.InferenceSession(facts["best_model"], providers=["CPUExecutionProvider"])
    assert not (folder / "temporary").exists()


def test_ctrl_c_before_the_first_score(settings, tmp_path):
    scores = iter([1.0])

    def evaluator(path):
        if path == settings()["model_input"]:
            return next(scores)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        AutoSearchPro(settings(search_evaluator=evaluator)).run()
    assert not (tmp_path / "temporary").exists() and not (tmp_path / "out/best_model.onnx").exists()


@pytest.mark.thorough
def test_the_budget_ends_a_search(settings):
    def evaluator(path):
        time.sleep(0.5)
        return pathlib.Path(path).stat().st_size

    searched = AutoSearchPro(settings(search_evaluator=evaluator, time="3s"))
    searched.run()
    assert 1 <= len(searched.result.trials) <= 6 and not searched.result.interrupted
    assert [_seconds(text) for text in (None, 90, "90s", "1.5m", "2 h")] == [float("inf"), 90, 90, 90, 7200]


def test_a_study_of_something_else_is_refused(settings):
    stored = {"study_storage_db": "study.db", "load_study_if_exists": True}
    AutoSearchPro(settings(**stored, n_trials=2)).run()
    with pytest.raises(ConfigError, match="was made with another seed and another space"):
        AutoSearchPro(settings(**stored, seed=3, search_space=MANY)).run()


@pytest.mark.thorough
def test_more_trials_later(settings):
    stored = {"study_storage_db": "study.db", "load_study_if_exists": True, "search_algo": "Random"}
    first, then = (AutoSearchPro(settings(**stored, n_trials=count)) for count in (3, 6))
    first.run()
    then.run()
    assert then.result.trials[:3] == first.result.trials and len(then.result.trials) == 6


@pytest.mark.thorough
def test_trials_are_given_up_where_they_cannot_win(settings):
    """The same best without giving up. What is best comes first, so that the others can be seen to be worse."""
    space = {**SPACE, "activation_params": {**SPACE["activation_params"], "symmetric": [False, True]}}
    found, data = {}, {"input": np.random.default_rng(5).normal(size=(64, 3, 8, 8)).astype(np.float32)}
    for pruning in (True, False):
        searched = AutoSearchPro(settings(search_space=space, calib_data_reader=data, pruning=pruning))
        searched.run()
        found[pruning] = searched.result
    assert found[True].best["params"] == found[False].best["params"]
    assert "given up" in {each["state"] for each in found[True].trials}
    assert {each["state"] for each in found[False].trials} == {"complete"}
