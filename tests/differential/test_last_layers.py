"""A classifier behind pooling gets one row per sample: its codes are fitted to many more samples than those of all layers."""
import numpy as np
import pytest

from conftest import cifar

NPU = ("--target", "npu-cnn")


@pytest.fixture
def resnet(real_model):
    return real_model("resnet20_cifar10")


def improved(model, output, count, *options):
    np.savez(model.preon.folder / "calib.npz", input=cifar(count))
    [told] = model.json("quantize", model.path, "-o", output, "--data", "calib.npz", *options)["improved"]
    return told


@pytest.mark.thorough
def test_xint8_is_much_nearer_to_float_than_by_quarks_rules(resnet):
    np.savez(resnet.preon.folder / "unseen.npz", input=cifar(1100)[300:])
    told = improved(resnet, "npu.onnx", 300, *NPU)
    assert told["runs_of_last_layers"] >= 3 * 64 > told["runs"]
    resnet.quantize("rules.onnx", "--data", "calib.npz", "--config", "XINT8", "--compat", "quark")
    ours, rules = (resnet.json("compare", resnet.path, path, "--data", "unseen.npz")["outputs"]["output"]["sqnr_db"]
                   for path in ("npu.onnx", "rules.onnx"))
    assert ours >= rules + 2


def test_few_samples_are_too_few_rows(resnet):
    told = improved(resnet, "npu.onnx", 60, *NPU)
    assert told["runs"] > 0 and told["runs_of_last_layers"] == 0
