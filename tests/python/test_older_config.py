"""Fields of QuantizationConfig: which of Quark's quantizers they ask for."""
import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (CalibrationMethod, Config, ExtendedQuantFormat, ExtendedQuantType, Int16Method, LayerWiseMethod,  # noqa: E402
                   ModelQuantizer, PowerOfTwoMethod, QuantFormat, QuantizationConfig, QuantType)

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
SYMMETRIC = {"ActivationSymmetric": True}


@pytest.fixture
def run(model, samples, reader, tmp_path):
    """run(**fields): preon's Result, with the quantized model."""
    def quantized(**fields):
        quantizer = ModelQuantizer(Config(QuantizationConfig(**{"include_cle": False, "extra_options": SYMMETRIC, **fields})))
        quantizer.quantize_model(tmp_path / model, None, reader(samples))
        return quantizer.result

    return quantized


def told(result, start):
    return [warning for warning in result.warnings if warning.startswith(start)]


@pytest.mark.parametrize("fields, why", [
    ({"calibrate_method": CalibrationMethod.MinMax}, "with float32 scales"),
    ({"calibrate_method": LayerWiseMethod.LayerWisePercentile}, "with float32 scales"),
    ({"calibrate_method": CalibrationMethod.MinMax, "per_channel": True}, "with float32 scales"),
    ({"calibrate_method": CalibrationMethod.MinMax, "quant_format": QuantFormat.QOperator, "activation_type": QuantType.QUInt8}, "with float32 scales"),
    ({"calibrate_method": PowerOfTwoMethod.NonOverflow, "quant_format": ExtendedQuantFormat.QDQ}, "in Quark's extended format"),
    ({"calibrate_method": CalibrationMethod.MinMax, "quant_format": ExtendedQuantFormat.QDQ, "activation_type": ExtendedQuantType.QInt16},
     "in Quark's extended format"),
])
def test_where_enable_npu_cnn_has_no_effect(run, fields, why):
    with_flag, without = run(**fields, enable_npu_cnn=True), run(**fields)
    assert with_flag.target == "quark" and with_flag.model.graph == without.model.graph
    assert why in told(with_flag, "EnableNPUCnn: has no effect")[0] and not told(without, "EnableNPUCnn")


def test_where_enable_npu_cnn_has_an_effect(run):
    assert run(calibrate_method=PowerOfTwoMethod.MinMSE, enable_npu_cnn=True).target == "npu-cnn"
    assert run(calibrate_method=PowerOfTwoMethod.MinMSE).target == "quark"
    overrides = {**SYMMETRIC, "TensorQuantOverrides": {"input": [{"quant_type": QuantType.QInt16}]}}
    result = run(calibrate_method=PowerOfTwoMethod.MinMSE, enable_npu_cnn=True, extra_options=overrides)
    assert result.target == "quark" and told(result, "settings of single layers or tensors")
    result = run(calibrate_method=Int16Method.MinMax, enable_npu_cnn=True)
    assert (result.target, result.scale_type) == ("npu-cnn", "power-of-two") and told(result, "scale_type Int16: has no effect")


def quantized_inputs(model):
    """Of which operators the inputs are quantized."""
    made = {output: node for node in model.graph.node for output in node.output}
    return {node.op_type for node in model.graph.node for name in node.input
            if name in made and made[name].op_type == "DequantizeLinear" and "Quantize" not in node.op_type}


@pytest.mark.parametrize("fields, target", [
    ({"calibrate_method": CalibrationMethod.MinMax}, "npu-transformer"),
    ({"calibrate_method": CalibrationMethod.MinMax, "activation_type": QuantType.QInt16}, "quark"),
    ({"calibrate_method": PowerOfTwoMethod.NonOverflow}, "quark"),
    ({"calibrate_method": Int16Method.MinMax}, "quark"),
    ({"calibrate_method": PowerOfTwoMethod.NonOverflow, "enable_npu_cnn": True}, "npu-cnn"),
    ({"calibrate_method": CalibrationMethod.MinMax, "quant_format": ExtendedQuantFormat.QDQ}, "quark"),
])
def test_enable_npu_transformer(run, fields, target):
    result = run(**fields, enable_npu_transformer=True)
    assert result.target == target and quantized_inputs(result.model) == {"Gemm"}
    scales = [value for value in map(onnx.numpy_helper.to_array, result.model.graph.initializer) if value.dtype == np.float32 and value.size == 1]
    powers = all(np.log2(scale).item().is_integer() for scale in scales)
    assert powers == isinstance(fields["calibrate_method"], PowerOfTwoMethod)


@pytest.mark.parametrize("key", ["ActivationSymmetric", "WeightSymmetric"])
def test_symmetry_is_true_or_false(run, key):
    with pytest.raises(preon_package.ConfigError, match=f"{key}: got 'yes', wanted true or false"):
        run(extra_options={key: "yes"})


def test_weights_in_blocks_have_no_other_symmetry(run):
    blocks = {"UseMatMulNBits": True, "MatMulNBitsParams": {"GroupSize": 32}}
    result = run(extra_options={**blocks, "WeightSymmetric": False, "EnableNPUCnn": True})
    assert told(result, "WeightSymmetric: has no effect with --target matmul-nbits")
    assert told(result, "EnableNPUCnn: has no effect with UseMatMulNBits=true")


@pytest.mark.parametrize("key, value", [("UseRandomData", True), ("RandomDataReaderNumSamples", 3), ("RandomDataReaderSeed", 4)])
def test_random_samples_beside_a_reader(run, key, value):
    with pytest.warns(UserWarning, match=f"{key}: has no effect: there are samples"):
        run(extra_options={**SYMMETRIC, key: value})


def test_float8(run):
    fields = {"activation_type": QuantType.QFLOAT8E4M3FN, "weight_type": QuantType.QFLOAT8E4M3FN}
    whole = run(**fields, calibrate_method=CalibrationMethod.Distribution, extra_options={})
    third = run(**fields, calibrate_method=CalibrationMethod.Distribution, extra_options={"Scenario": "p3"})
    plain = run(**fields, extra_options={})
    for result in (whole, third, plain):
        types = [each.data_type for each in result.model.graph.initializer]
        assert (result.target, result.activation, result.weight) == ("quark", "float8e4m3fn", "float8e4m3fn") and onnx.TensorProto.FLOAT8E4M3FN in types
    assert len({result.model.SerializeToString() for result in (whole, third, plain)}) == 3
