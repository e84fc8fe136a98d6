"""A tiny search that runs in a second."""
import numpy as np
import pytest
from tiny_search import SPACE

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
pytest.importorskip("optuna", reason="pip install 'preon[search]'")


@pytest.fixture
def settings(model, tmp_path, data):
    """settings(key=value, ...): a dict for AutoSearchPro, with everything below a folder of the test's own."""
    def make(**changes):
        return {"search_space": SPACE, "search_algo": "Grid", "model_input": str(tmp_path / model), "n_trials": 8,
                "calib_data_reader": dict(np.load(tmp_path / data)), "output_dir": str(tmp_path / "out"),
                "temp_dir": str(tmp_path / "temporary"), **changes}

    return make


@pytest.fixture
def search(settings):
    """search(key=value, ...): an AutoSearchPro that has run, with the answer of run() as `answer`."""
    from preon import AutoSearchPro

    def run(**changes):
        searched = AutoSearchPro(settings(**changes))
        searched.answer = searched.run()
        return searched

    return run
