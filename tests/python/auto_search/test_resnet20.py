"""A search on a trained network."""
import numpy as np
import onnxruntime
import pytest
from preon import AutoSearchPro
from tiny_search import SPACE


@pytest.fixture(scope="module")
def images(shared):
    """CIFAR-10 as the network was trained on it."""
    pixels = np.fromfile(shared("images/cifar10_test_jpegq75_dev2000.bin"), np.uint8).reshape(-1, 3073)[:400, 1:]
    mean, deviation = (np.float32(each).reshape(3, 1, 1) for each in ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)))
    return ((pixels.reshape(-1, 3, 32, 32) / np.float32(255) - mean) / deviation).astype(np.float32)


@pytest.mark.thorough
def test_the_best_is_at_least_as_good_as_the_default_on_unseen_samples(shared, images, tmp_path):
    """That it holds where the default is in the space is sure for the samples that chose; these are others."""
    network = str(shared("models/resnet20_cifar10.onnx"))
    search = AutoSearchPro({"search_space": SPACE, "search_algo": "Grid", "model_input": network, "n_trials": 8,
                            "calib_data_reader": {"input": images[:64]}, "output_dir": str(tmp_path), "temp_dir": str(tmp_path / "t")})
    search.run()
    default = next(each for each in search.result.trials
                   if each["params"]["activation_params"] == {"symmetric": True, "calibration_method": "Percentile"}
                   and each["params"]["weight_params"] == {"quant_granularity": "Tensor"})
    assert search.result.best["score"] <= default["score"]
    floats = outputs(network, images[64:])
    error = lambda path: np.square(outputs(path, images[64:]) - floats).mean()
    assert error(search.result.best_model) <= error(default["model"])


def outputs(path, images):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(None, {"input": images})[0]
