"""`preon retarget` on models that ONNX Runtime's quantizer wrote: another form, the same codes."""
import json

import onnx
import pytest
from onnx import TensorProto, numpy_helper
from onnxruntime.quantization import QuantFormat, QuantType, quantize_static

from ort_models import Feeds, model_path, quantized, random_feeds


def retarget(preon, source, *arguments):
    done = preon("retarget", source, "-o", "out.onnx", *arguments, "--json", "--quiet", "--latency", 0)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), onnx.load(preon.folder / "out.onnx")


def operators(model):
    return {node.op_type for node in model.graph.node}


def activation_types(model):
    constants = {each.name: each.data_type for each in model.graph.initializer}
    return {constants[node.input[2]] for node in model.graph.node if node.op_type == "QuantizeLinear" and node.input[0] not in constants}


def integer_operators(folder, source, kind):
    """The path of `source` in ONNX Runtime's form of integer operators."""
    result = folder / "integer.onnx"
    quantize_static(source, result, Feeds(random_feeds(source)), quant_format=QuantFormat.QOperator, activation_type=kind, weight_type=QuantType.QInt8)
    return result


@pytest.mark.parametrize("there, back", [("int8", "uint8"), ("uint8", "int8")])
def test_signs_go_there_and_back(preon, model, data, there, back):
    source = quantized(preon.folder, preon.folder / model, back)
    result, changed = retarget(preon, source, "--activation", there, "--data", data)
    assert result["lossless"] and len(result["changes"]) == 1
    assert activation_types(changed) == {getattr(TensorProto, there.upper())}
    (preon.folder / "out.onnx").rename(preon.folder / "there.onnx")
    again, returned = retarget(preon, "there.onnx", "--activation", back)
    assert again["lossless"] and again["random_data"]
    codes = lambda model: sorted(numpy_helper.to_array(each).tobytes() for each in model.graph.initializer)
    assert codes(returned) == codes(onnx.load(source))


@pytest.mark.parametrize("kind", [QuantType.QInt8, QuantType.QUInt8])
def test_integer_operators_become_pairs_and_back(preon, model, data, kind):
    source = integer_operators(preon.folder, preon.folder / model, kind)
    assert any(op.startswith("QLinear") for op in operators(onnx.load(source)))
    result, pairs = retarget(preon, source, "--format", "qdq", "--data", data)
    assert result["changes"] == ["qdq"] and not any(op.startswith("QLinear") or op == "QGemm" for op in operators(pairs))
    assert all(output["sqnr_db"] > 25 for output in result["compare"]["outputs"].values())
    (preon.folder / "out.onnx").rename(preon.folder / "pairs.onnx")
    back, integer = retarget(preon, "pairs.onnx", "--format", "qoperator", "--data", data)
    assert back["changes"] == ["qoperator"] and operators(integer) == operators(onnx.load(source))
    constants = {each.name: numpy_helper.to_array(each) for each in onnx.load(source).graph.initializer}
    for each in integer.graph.initializer:
        if each.name in constants:
            assert (numpy_helper.to_array(each) == constants[each.name]).all(), each.name


def test_what_cpu_runs_fast(preon, model, data):
    source = quantized(preon.folder, preon.folder / model, "int8")
    result, changed = retarget(preon, source, "--target", "ort-cpu", "--data", data)
    assert "unsigned_activations" in result["changes"] and activation_types(changed) == {TensorProto.UINT8}


def test_wide_codes_in_the_standards_operators(preon, model, data):
    source = preon.folder / "wide.onnx"
    quantize_static(preon.folder / model, source, Feeds(random_feeds(preon.folder / model)), activation_type=QuantType.QUInt16,
                    weight_type=QuantType.QInt8, extra_options={"UseQDQContribOps": True})
    assert any(node.domain == "com.microsoft" for node in onnx.load(source).graph.node)
    result, changed = retarget(preon, source, "--target", "ort-cpu", "--data", data)
    assert "standard_quantizers" in result["changes"] and result["lossless"]
    assert not any(node.domain == "com.microsoft" for node in changed.graph.node)
    assert next(each.version for each in changed.opset_import if each.domain == "") >= 21


def test_opset(preon, model):
    source = quantized(preon.folder, preon.folder / model, "uint8")
    result, changed = retarget(preon, source, "--opset", 21)
    assert result["changes"] == ["opset"] and result["lossless"]
    assert next(each.version for each in changed.opset_import if each.domain == "") == 21
    preon.fails(2, 1002, "retarget", "out.onnx", "-o", "low.onnx", "--opset", 13, says="can't be lowered")


def test_what_is_asked_wrongly(preon, model):
    source = quantized(preon.folder, preon.folder / model, "uint8")
    preon.fails(2, 2014, "retarget", model, "-o", "out.onnx", "--format", "qdq", says="no node is quantized")
    preon.fails(2, 1003, "retarget", source, "-o", "out.onnx", says="wanted --activation, --format, --opset or --target")
    preon.fails(2, 1002, "retarget", source, "-o", "out.onnx", "--activation", "int4", says="int8 or uint8")
    preon.fails(2, 1002, "retarget", source, "-o", "out.onnx", "--target", "quark", says="cannot move quantizers")
    preon.fails(5, 5601, "retarget", source, "-o", "out.onnx", "--activation", "uint8", says="has this form already")
    assert not (preon.folder / "out.onnx").exists()


@pytest.mark.thorough
def test_as_a_function(preon, model, monkeypatch):
    preon_module = pytest.importorskip("preon")
    monkeypatch.chdir(preon.folder)
    source = quantized(preon.folder, preon.folder / model, "uint8")
    result = preon_module.retarget(source, "signed.onnx", activation="int8", progress=False)
    assert result.facts["lossless"] and activation_types(onnx.load("signed.onnx")) == {TensorProto.INT8}


@pytest.mark.parametrize("name", ["mobilenetv2_1.0", "resnet20_cifar10", "sst2_transformer"])
def test_real_models(preon, name):
    source = quantized(preon.folder, model_path(name), "int8")
    result, _ = retarget(preon, source, "--activation", "uint8")
    assert result["lossless"]
    integer = integer_operators(preon.folder, preon.folder / "prepared.onnx", QuantType.QUInt8)
    result, pairs = retarget(preon, integer, "--format", "qdq")
    assert all(output["sqnr_db"] > 25 for output in result["compare"]["outputs"].values())
    assert not any(op.startswith("QLinear") for op in operators(pairs))
