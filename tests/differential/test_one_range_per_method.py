"""A method gives one range per tensor, whichever way it is asked: `ranges` of a model, --all-methods, statistics from a
file, quantize, and a candidate of `auto`. On models with SiLU, residual
adds, depthwise convolutions and attention."""
import json

import numpy as np
import onnx
import pytest
from conftest import cifar

METHODS = ["minmax", "percentile", "layerwise-percentile", "minmse", "entropy", "sample-extremes", "nonoverflow", "distribution"]
MODELS = ["yolox_nano", "mobilenetv2_1.0", "sst2_transformer"]


def ranges_of(answer):
    return {tensor: (entry["min"], entry["max"]) for tensor, entry in answer.items()}


@pytest.mark.parametrize("name", MODELS)
def test_every_method_every_way(real_model, name):
    model = real_model(name)
    together = model.json("ranges", model.path, "--data", "calib.npz", "--all-methods")["methods"]
    assert together.keys() == {"auto", *METHODS}
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


OPTIONS = {
    "quark": ["--target", "quark", "--activation", "int8"],  # symmetric, because the target says so
    "simulate": ["--target", "simulate", "--activation", "int16"],
    "float8": ["--activation", "float8e4m3fn"],
    "made uint8": ["--target", "ort-cpu", "--activation", "int8"],  # what its kernels take
    "per tensor": ["--config", "tensors.json"],
}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", ["mobilenetv2_1.0", "sst2_transformer"])
def test_statistics_know_what_they_were_made_for(real_model, name, options):
    """`ranges` of a file needs none of the options that made it."""
    model = real_model(name)
    answer = model.json("ranges", model.path, "--data", "calib.npz", "--method", "minmax")
    own = list(answer["tensors"])[1:4]
    (model.preon.folder / "tensors.json").write_text(json.dumps({"target": "simulate", "overrides": {
        own[0]: {"type": "int16"}, own[1]: {"symmetric": True, "method": "percentile"}, own[2]: {"scale_type": "power-of-two"}}}))
    words = OPTIONS[options]
    for method in ("minmax", "minmse"):
        model.calibrate("a.calib", *words)
        for of_ranges in ([], ["--scale-type", "power-of-two"]):  # which calibrate has not
            wanted = model.json("ranges", model.path, "--data", "calib.npz", "--method", method, *words, *of_ranges)
            known = model.json("ranges", "a.calib", "--method", method, *of_ranges)
            assert wanted["tensors"].items() <= known["tensors"].items() and wanted["tensors"]
    if "--activation" in words:  # the same type, asked for again
        same = model.json("ranges", "a.calib", "--method", method, *of_ranges, *words[words.index("--activation"):])
        assert same["tensors"] == known["tensors"]
    told = model.json("ranges", "a.calib", "--method", "minmax", "--activation", "uint16", "--scale-type", "float32")
    assert told["activation"] == "uint16" and told["scale_type"] == "float32"


def written_scales(path):
    """tensor -> scale of the QuantizeLinear that reads it."""
    graph = onnx.load(path).graph
    values = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
    return {node.input[0]: float(values[node.input[1]]) for node in graph.node
            if node.op_type == "QuantizeLinear" and node.input[0] not in values and values[node.input[1]].size == 1}


@pytest.mark.parametrize("name, method", [pytest.param(name, method, marks=() if name == "yolox_nano" or method in ("minmax", "minmse") else pytest.mark.slow)
                                          for name in MODELS for method in METHODS])
def test_quantize_writes_these_ranges(real_model, name, method):
    model = real_model(name)
    answer = model.json("ranges", model.path, "--data", "calib.npz", "--method", method)["tensors"]
    bytes_of_data = model.quantize("q.onnx", "--data", "calib.npz", "--method", method, "--budget", "0", "--save-and-restore", "r.json")
    saved = json.loads((model.preon.folder / "r.json").read_text())["tensors_range"]
    assert saved and {tensor: tuple(ends) for tensor, ends in saved.items()}.items() <= ranges_of(answer).items()
    scales = written_scales(model.preon.folder / "q.onnx")
    same = [tensor for tensor in scales.keys() & answer.keys() if scales[tensor] == pytest.approx(answer[tensor]["scale"], rel=1e-6)]
    assert len(same) == len(scales.keys() & answer.keys()) > 3
    model.calibrate("a.calib")
    assert model.quantize("c.onnx", "--calib", "a.calib", "--method", method, "--budget", "0") == bytes_of_data


def candidates(model):
    """The candidates of auto, each with the options that are said to give the same."""
    done = model.preon("quantize", model.path, "-o", "auto.onnx", "--data", "calib.npz", "--budget", 0, "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert not [node for node in answer["placement"]["float"] if node["reason"] == "accuracy"]
    for candidate in answer["candidates"]:
        words = ["--method", candidate["method"]]
        for option in filter(None, candidate["options"].split(", ")):
            words += ["--method-option", option]
        yield candidate, words


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["mobilenetv2_1.0", "resnet20_cifar10", "ultraface_rfb_320", "sst2_transformer"])
def test_a_candidate_is_what_its_words_give(real_model, name):
    model = real_model(name)
    ((selected, words),) = [each for each in candidates(model) if each[0]["selected"]]
    model.quantize("same.onnx", "--data", "calib.npz", "--budget", "0", *words)
    auto, same = (onnx.load(model.preon.folder / name).graph for name in ("auto.onnx", "same.onnx"))
    assert auto == same


def test_candidates_that_are_clearly_worse_end_early(real_model):
    """The same ones for any number of threads; the others ran on all samples, and the best of them is selected."""
    model = real_model("resnet20_cifar10")
    np.savez(model.preon.folder / "calib.npz", input=cifar(80))
    answers = []
    for threads in (1, 3):
        done = model.preon("quantize", model.path, "-o", "auto.onnx", "--data", "calib.npz", "--budget", 0, "--threads", threads, "--json")
        answers.append(json.loads(done.stdout)["candidates"])
    assert answers[0] == answers[1]
    (selected,) = [candidate for candidate in answers[0] if candidate["selected"]]
    assert not selected["ended_early"] and selected["sqnr_db"] == max(candidate["sqnr_db"] for candidate in answers[0])
    ended = [candidate for candidate in answers[0] if candidate["ended_early"]]
    assert ended and all(candidate["sqnr_db"] < selected["sqnr_db"] - 1 for candidate in ended)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["yolox_nano", "mobilenetv2_1.0", "resnet20_cifar10", "sst2_transformer"])
def test_a_trial_ran_what_would_be_written(real_model, name):
    """Its noise is that of the written model on the same samples."""
    model = real_model(name)
    for candidate, words in candidates(model):
        if candidate["ended_early"]:
            continue  # on some samples
        done = model.preon("quantize", model.path, "-o", "q.onnx", "--data", "calib.npz", "--budget", 0, "--disable-algorithm", "adaquant", *words, "--json", timeout=300)
        assert done.returncode == 0, done.stderr
        (output,) = json.loads(model.preon("compare", model.path, "q.onnx", "--data", "calib.npz", "--json").stdout)["outputs"].values()
        assert output["sqnr_db"] == pytest.approx(candidate["sqnr_db"], abs=0.05), words
