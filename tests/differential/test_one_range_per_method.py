"""A method gives one range per tensor, whichever way it is asked: `ranges` of a model, --all-methods, statistics from a
file, quantize, and a candidate of `auto`. On models with SiLU, residual
adds, depthwise convolutions and attention."""
import json

import pytest

MODELS = ["yolox_nano", "mobilenetv2_1.0", "sst2_transformer"]


def ranges_of(answer):
    return {tensor: (entry["min"], entry["max"]) for tensor, entry in answer.items()}


@pytest.mark.parametrize("name", MODELS)
def test_every_method_every_way(real_model, name):
    model = real_model(name)
    together = model.json("ranges", model.path, "--data", "calib.npz", "--all-methods")["methods"]
    assert len(together) >= 9
    model.calibrate("a.calib")
    graph_differs = False
    for method, answer in together.items():
        ranges = ranges_of(answer["tensors"])
        alone = model.json("ranges", model.path, "--data", "calib.npz", "--method", method)
        assert ranges_of(alone["tensors"]) == ranges, method

        from_file = ranges_of(model.json("ranges", "a.calib", "--method", method)["tensors"])
        assert from_file.keys() >= ranges.keys()
        assert {tensor: from_file[tensor] for tensor in ranges} == ranges, method

        aware = model.json("ranges", "a.calib", "--method", method, "--method-option", "GraphAware=true")
        graph_differs |= ranges_of(aware["tensors"]) != from_file
    if name == "yolox_nano":  # else the model would not show that only graph-aware methods look at the graph
        assert graph_differs


@pytest.mark.parametrize("method", ["minmax", "percentile", "minmse", "entropy", "sample-extremes"])
@pytest.mark.parametrize("name", MODELS)
def test_quantize_writes_these_ranges(real_model, name, method):
    model = real_model(name)
    wanted = ranges_of(model.json("ranges", model.path, "--data", "calib.npz", "--method", method)["tensors"])
    bytes_of_data = model.quantize("q.onnx", "--data", "calib.npz", "--method", method, "--save-and-restore", "r.json")
    saved = json.loads((model.preon.folder / "r.json").read_text())["tensors_range"]
    assert saved and {tensor: tuple(ends) for tensor, ends in saved.items()}.items() <= wanted.items()
    model.calibrate("a.calib")
    assert model.quantize("c.onnx", "--calib", "a.calib", "--method", method) == bytes_of_data


@pytest.mark.parametrize("name", ["mobilenetv2_1.0", "resnet20_cifar10", "ultraface_rfb_320", "sst2_transformer"])
def test_a_candidate_is_what_its_words_give(real_model, name):
    model = real_model(name)
    done = model.preon("quantize", model.path, "-o", "auto.onnx", "--data", "calib.npz", "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    (selected,) = [candidate for candidate in answer["tried"] if candidate["chosen"]]
    assert not [node for node in answer["placement"]["float"] if node["reason"] == "accuracy"]
    words = ["--method", selected["method"]]
    for option in filter(None, selected["options"].split(", ")):
        words += ["--method-option", option]
    assert model.quantize("same.onnx", "--data", "calib.npz", *words) == (model.preon.folder / "auto.onnx").read_bytes()
