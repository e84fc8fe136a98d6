"""Every flag may be off, every parameter at its default; nor is naming what the model does not have an error."""
import json

import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ConfigError, Int8Spec, ModelQuantizer, QConfig, QLayerConfig, UInt8Spec  # noqa: E402


def run(tmp_path, model, reader, samples, **changes):
    quantizer = ModelQuantizer(QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()), **changes))
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(samples[:2]))
    return quantizer.result


@pytest.fixture
def keys(preon):
    """AMD Quark's."""
    told = json.loads(preon("doctor", "--options", "--json").stdout)["keys"]
    return [key for key in told if "." not in key["name"] and not key["ours"]]


def test_every_flag_may_be_off(tmp_path, model, reader, samples, keys):
    for key in keys:
        if key["type"] == "true or false":
            run(tmp_path, model, reader, samples, extra_options={key["name"]: False}, preon_options={"always-write": True})


@pytest.mark.parametrize("target", ["quark", "ort", "ort-cpu", "simulate", "npu-transformer", "tensorrt"])
def test_what_npus_need_may_be_off_elsewhere(preon, model, data, target):
    told = json.loads(preon("doctor", "--options", "--json").stdout)["keys"]
    flags = [key["name"] for key in told if key["group"] == "NPU" and key["type"] == "true or false"]
    assert len(flags) == 22
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", target, *(word for flag in flags for word in ("--option", f"{flag}=false")))
    assert done.returncode == 0 and "no effect" not in done.stdout, (done.stdout, done.stderr)


@pytest.mark.parametrize("target, flag", [("npu-cnn", "AlignTranspose"), ("npu-cnn", "AlignReshape"), ("quark", "RefineBlockAxis"), ("ort-cpu", "RefineBlockAxis"),
                                          ("ort-cpu", "MatMulConstBOnly"), ("simulate", "MatMulConstBOnly")])
def test_what_a_target_does_not_do_may_be_off(preon, model, data, target, flag):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", target, "--option", f"{flag}=false", "--always-write")
    assert done.returncode == 0 and "no effect" not in done.stdout, (done.stdout, done.stderr)


def test_every_parameter_may_be_at_its_default(tmp_path, model, reader, samples, keys):
    for key in keys:
        if key["name"] != "MatMulNBitsParams":  # a table, which asks for UseMatMulNBits even where it is empty
            run(tmp_path, model, reader, samples, extra_options={key["name"]: key["default"]}, preon_options={"always-write": True})


def test_a_flag_of_a_table_may_be_off(tmp_path, model, reader, samples):
    run(tmp_path, model, reader, samples, extra_options={"GPTQParams": {}, "FastFinetune": None})


@pytest.mark.parametrize("layers", [{None: ["MatMul", "LSTM"]}, {None: ["LayerNormalization"]}, {None: ["SomebodysOperator"]},
                                    {QLayerConfig(weight=UInt8Spec()): ["MatMul"]}])
def test_operator_types_that_the_model_does_not_have(tmp_path, model, reader, samples, layers):
    run(tmp_path, model, reader, samples, layer_type_config=layers)
    assert (tmp_path / "o.onnx").exists()


def test_the_same_on_the_command_line(preon, model, data):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--exclude-type", "MatMul", "--exclude-type", "Attention")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("typed, meant", [("Convv", "Conv"), ("MatMull", "MatMul"), ("Sofmax", "Softmax")])
def test_a_misspelt_type_is_told(tmp_path, model, reader, samples, typed, meant):
    with pytest.raises(ConfigError, match=rf"no operator of type '{typed}'; did you mean '{meant}'"):
        run(tmp_path, model, reader, samples, layer_type_config={None: [typed]})


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["ort-cpu", "quark", "ort", "simulate", "npu-cnn", "npu-transformer", "tensorrt"])
def test_every_flag_may_be_off_on_the_command_line(preon, model, data, keys, target):
    """Each runs; one without effect says so by its name, and nothing but a flag's own effect is left out."""
    refused = {"npu-cnn": {"ActivationSymmetric", "WeightSymmetric"}, "tensorrt": {"ActivationSymmetric", "WeightSymmetric"}}.get(target, set())   # they have no zero points
    failed = set()
    for flag in (key["name"] for key in keys if key["type"] == "true or false"):
        done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", target, "--effort", "fast", "--always-write", "--json", "--option", f"{flag}=false")
        if done.returncode:
            failed.add(flag)
            assert "no zero points" in done.stderr, (flag, done.stderr)
            continue
        without = [text for text in json.loads(done.stdout)["warnings"] if "has no effect" in text and "--always-write" not in text]
        assert all(text.startswith(flag) for text in without), (flag, without)
    assert failed == refused


@pytest.mark.parametrize("target", ["ort-cpu", "dynamic"])
def test_weights_are_codes_anyway(preon, model, data, target):
    common = ["quantize", model, "-o", "out.onnx", "--data", data, "--target", target, "--always-write"]
    done = preon(*common, "--option", "AddQDQPairToWeight=false")
    assert done.returncode == 0 and "no effect" not in done.stdout, (done.stdout, done.stderr)
    preon.fails(2, 1004, *common, "--option", "AddQDQPairToWeight=true", says="AddQDQPairToWeight: has no effect with --target")
