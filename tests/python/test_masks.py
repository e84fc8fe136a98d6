"""Scores with a mask, read by a Softmax: with quark and npu-cnn the mask takes no codes from the scores."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

MASKED = -10000.0


def scale_of(model, tensor):
    node = next(node for node in model.graph.node if node.op_type.endswith("QuantizeLinear") and node.input[0] == tensor)
    return float(next(numpy_helper.to_array(each) for each in model.graph.initializer if each.name == node.input[1]))


def attention(path, add_constant):
    """x · k are scores between -4 and 4; the mask is an input, or a constant."""
    rng = np.random.default_rng(3)
    weight = numpy_helper.from_array(np.eye(8, dtype=np.float32), "w")
    constant = numpy_helper.from_array(np.triu(np.full((8, 8), MASKED, np.float32), 1), "mask")
    nodes = [helper.make_node("MatMul", ["x", "k"], ["scores"], "product"), helper.make_node("Add", ["scores", "mask"], ["sum"], "add"),
             helper.make_node("Softmax", ["sum"], ["p"], "softmax"), helper.make_node("MatMul", ["p", "w"], ["y"], "last")]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [8, 8]) for name in ("x", "k")]
    if not add_constant:
        inputs.append(helper.make_tensor_value_info("mask", TensorProto.FLOAT, [8, 8]))
    graph = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, [8, 8])],
                              [weight, constant] if add_constant else [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), path / "model.onnx")
    x = rng.uniform(-4, 4, size=(64, 8)).astype(np.float32)
    x[0, 0], x[1, 1] = -4, 4
    arrays = {"x": x, "k": np.tile(np.eye(8, dtype=np.float32), (8, 1))}
    if not add_constant:
        arrays["mask"] = np.where(rng.random((64, 8)) < 0.3, MASKED, 0).astype(np.float32)
    np.savez(path / "calib.npz", **arrays)


@pytest.mark.parametrize("add_constant", (False, True))
@pytest.mark.parametrize("options, lowest", [
    (["--target", "quark"], -12), (["--target", "quark", "--method", "percentile"], -12),
    (["--target", "quark", "--activation", "int16"], -20 * 1.5),  # with the room that 16 bits have
    (["--target", "quark", "--compat", "quark", "--method", "minmax"], MASKED)])
def test_codes_go_down_to_what_a_softmax_can_tell_apart(preon, add_constant, options, lowest):
    attention(preon.folder, add_constant)
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--batch", "8", "--latency", "0", "--always-write", *options)
    assert done.returncode == 0, done.stderr
    covered = scale_of(onnx.load(preon.folder / "out.onnx"), "sum") * 2 ** (16 if "int16" in options else 8)
    assert 0.9 * (4 - lowest) <= covered <= 2.1 * (4 - lowest)


@pytest.mark.parametrize("preset, least", [("A8W8_QCONFIG", 28), ("XINT8_QCONFIG", 22), ("BFP16_QCONFIG", 35)])
def test_a_transformer_keeps_its_accuracy(preon, shared, preset, least):
    """8 dB with Quark's rules; in blocks nothing but NaN."""
    rows = np.load(shared("text/sst2_dev_ids_mask_label.npy")).astype(np.int64)
    for name, some in (("calib", rows[:64]), ("unseen", rows[64:264])):
        np.savez(preon.folder / f"{name}.npz", input_ids=some[:, :64], attention_mask=some[:, 64:128])
    model = shared("models/sst2_transformer.onnx")
    done = preon("quantize", model, "-o", "out.onnx", "--data", "calib.npz", "--config", preset, "--latency", "0", "--always-write")
    assert done.returncode == 0, done.stderr
    done = preon("compare", model, "out.onnx", "--data", "unseen.npz", "--latency", "0", "--json")
    assert json.loads(done.stdout)["outputs"]["logits"]["sqnr_db"] >= least


def test_scores_without_codes_are_observed_all_the_same(preon):
    attention(preon.folder, False)
    model = onnx.load(preon.folder / "model.onnx")
    model.graph.node[0].output[0] = "product"
    model.graph.node.insert(1, helper.make_node("Mul", ["product", "one"], ["scores"], "scale"))
    model.graph.initializer.append(numpy_helper.from_array(np.array(1.5, np.float32), "one"))
    onnx.save(model, preon.folder / "model.onnx")
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--batch", "8", "--latency", "0", "--always-write", "--target", "quark",
                 "--disable-pass", "fold_affine", "--option", "RemoveQDQMulAdd=true")
    assert done.returncode == 0, done.stderr
    quantized = onnx.load(preon.folder / "out.onnx")
    assert not any(node.op_type == "QuantizeLinear" and node.input[0] == "scores" for node in quantized.graph.node)
    assert scale_of(quantized, "sum") * 256 <= 2.1 * (6 + 14)


@pytest.mark.parametrize("block", ("bfp16", "mxint8", "mx6", "mxfp8e4m3"))
@pytest.mark.parametrize("add_constant", (False, True))
def test_a_mask_shares_no_block_with_scores(preon, add_constant, block):
    attention(preon.folder, add_constant)
    for compat, quantized in ((["--compat", "quark"], True), ([], False)):
        done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--batch", "8", "--latency", "0", "--always-write", "--target", "quark",
                     "--activation", block, "--weight", block, *compat)
        assert done.returncode == 0, done.stderr
        read = {node.input[0] for node in onnx.load(preon.folder / "out.onnx").graph.node if "QuantizeDequantize" in node.op_type}
        assert "x" in read and "p" in read and ("sum" in read) == quantized


def test_a_mask_keeps_its_range_where_the_sum_stays_float(preon):
    attention(preon.folder, False)
    model = onnx.load(preon.folder / "model.onnx")
    model.graph.input[2].name = "hidden"
    model.graph.node.insert(0, helper.make_node("Mul", ["hidden", "far"], ["mask"], "far_below"))
    model.graph.initializer.append(numpy_helper.from_array(np.array(MASKED, np.float32), "far"))
    onnx.save(model, preon.folder / "model.onnx")
    arrays = dict(np.load(preon.folder / "calib.npz"))
    np.savez(preon.folder / "calib.npz", hidden=arrays.pop("mask") / np.float32(MASKED), **arrays)
    done = preon("calibrate", "model.onnx", "-o", "a.calib", "--data", "calib.npz", "--batch", "8", "--target", "simulate")
    assert done.returncode == 0, done.stderr
    ranges = json.loads(preon("ranges", "a.calib", "--method", "minmax", "--json").stdout)["tensors"]
    assert "sum" not in ranges and ranges["mask"]["min"] == MASKED
