"""Messages of ModelQuantizer call a setting what the user's configuration calls it, not by preon's option."""
import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ConfigError, ModelError, ModelQuantizer, PowerOfTwoMethod, QConfig, QuantType  # noqa: E402
from preon.quantization.config.spec import QLayerConfig, XInt8Spec  # noqa: E402

pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]
NPU = "(here --target npu-cnn)"


@pytest.fixture
def run(model, samples, reader, tmp_path):
    """run(config): preon's Result."""
    def quantized(config):
        quantizer = ModelQuantizer(config)
        quantizer.quantize_model(tmp_path / model, None, reader(samples))
        return quantizer.result

    return quantized


def older(preset, extra_options=None, **fields):
    config = QConfig.get_default_config(preset)
    for name, value in fields.items():
        setattr(config.global_quant_config, name, value)
    config.global_quant_config.extra_options = {**config.global_quant_config.extra_options, **(extra_options or {})}
    return config


@pytest.mark.parametrize("preset", ["A8W8", "S16S8_ASWS", "XINT8"])
def test_blocks_with_an_older_preset_in_any_format(run, preset):
    result = run(older(preset, {"UseMatMulNBits": True}))
    assert result.target == "matmul-nbits" and any(node.op_type == "MatMulNBits" for node in result.model.graph.node)
    told = [warning for warning in result.warnings if "extended" in warning]
    assert told == ([] if preset == "XINT8" else
                    ["quant_format: has no effect as extended with --target matmul-nbits; only --target quark has it (here --format)"])
    assert not any("zero point" in warning for warning in result.warnings)  # of activations, which stay float


@pytest.mark.parametrize("fields, says", [
    ({"extra_options": {"ActivationSymmetric": False}}, f"EnableNPUCnn: got ActivationSymmetric false, wanted true: NPUs have no zero points {NPU}"),
    ({"reduce_range": True}, f"EnableNPUCnn: got reduce_range true, wanted all codes: a shift has no bit in reserve {NPU}"),
    ({"weight_type": QuantType.QUInt8}, f"EnableNPUCnn: got weight_type uint8, wanted int8 {NPU}"),
    ({"weight_type": QuantType.QInt16}, "weight_type: target npu-cnn does not support type 'int16'; it supports: int8, uint8 (here --weight)"),
    ({"per_channel": True}, "EnableNPUCnn: got one scale per channel"),
])
def test_fields_of_an_older_configuration(run, fields, says):
    with pytest.raises(ConfigError) as raised:
        run(older("XINT8", calibrate_method=PowerOfTwoMethod.MinMSE, **fields))
    assert raised.value.message.startswith(says)


def test_fields_of_a_spec_and_the_way_out(run):
    asymmetric = XInt8Spec()
    asymmetric.set_symmetric(False)
    config = QConfig(QLayerConfig(input_tensors=asymmetric, weight=XInt8Spec()))
    with pytest.raises(ConfigError) as raised:
        run(config)
    assert raised.value.message == f"scale_type PowerOf2: got symmetric of input_tensors false, wanted true: NPUs have no zero points {NPU}"
    assert raised.value.hint == "EnableNPUCnn=false: powers of two without the rules of NPUs"
    config.extra_options["EnableNPUCnn"] = False
    assert run(config).target == "quark"


@pytest.mark.parametrize("keys, says", [
    ({"MaxLoopNum": "x"}, "extra_options: MaxLoopNum: got 'x', wanted an integer of at least 1 and at most 1000"),
    ({"MaxLoopNm": 3}, "extra_options: unknown key 'MaxLoopNm'; did you mean 'MaxLoopNum'?")])
def test_values_of_keys(run, keys, says):
    with pytest.raises(ConfigError) as raised:
        run(older("A8W8", keys))
    assert raised.value.message == says


@pytest.mark.parametrize("keys, says", [
    ({"RandomDataReaderInputShape": {}}, "RandomDataReaderInputShape: has no effect: there are samples"),
    ({"UseRandomData": True}, "UseRandomData: has no effect: there are samples"),
    ({"UseRandomData": "true"}, "UseRandomData: has no effect: there are samples")])
def test_what_has_no_effect_is_in_the_result(run, keys, says):
    assert says in run(older("A8W8", keys)).warnings and says not in run(older("A8W8")).warnings
    assert not any("Random" in each for each in run(older("A8W8", dict.fromkeys(keys))).warnings)


def test_operators_that_are_not_there(run):
    with pytest.raises(ModelError) as raised:
        run(older("A8W8", {"OpTypesToQuantize": ["Foo", "Cnov"]}))
    assert raised.value.number == 2010 and "nothing is left to quantize" in raised.value.message
    for says in ("OpTypesToQuantize: 'Foo' has no effect: no such operator is left after the rewrites",
                 "OpTypesToQuantize: 'Cnov' has no effect: no such operator is left after the rewrites; did you mean 'Conv'?",
                 "these options select nodes: "):
        assert says in raised.value.hint


def test_float16_that_stays(proto, samples, reader):
    half = float16_of(proto)
    halves = [{name: array.astype(np.float16) for name, array in sample.items()} for sample in samples]
    assert ModelQuantizer(older("A8W8")).quantize_model(half, None, reader(halves)).graph.node
    with pytest.raises(ModelError) as raised:
        ModelQuantizer(older("A8W8", {"QuantizeFP16": False})).quantize_model(half, None, reader(halves))
    assert raised.value.number == 2010
    assert raised.value.hint == "QuantizeFP16=false (--float16 off) leaves float16 nodes as they are; without it they are quantized"


def float16_of(model):
    half = onnx.ModelProto.FromString(model.SerializeToString())
    for index, tensor in enumerate(half.graph.initializer):
        values = onnx.numpy_helper.to_array(tensor)
        if values.dtype == np.float32:
            half.graph.initializer[index].CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), tensor.name))
    for value in (*half.graph.input, *half.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16
    del half.graph.value_info[:]
    return half
