"""Configurations are values: compared, copied, stored, read; never changed by a run."""
import copy
import json
import subprocess
import warnings

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (AdaRoundConfig, AutoMixprecisionConfig, BFP16Spec, CalibMethod, CLEConfig, Int8Spec, Int16Spec,  # noqa: E402
                   MX6Spec, QConfig, QLayerConfig, QuantGranularity, QuantType, UInt8Spec)
from preon.quantization.config import custom_config, data_type  # noqa: E402

PRESETS = [name for name in vars(custom_config) if name.endswith("_QCONFIG")]


def config(**change):
    return QConfig(QLayerConfig(input_tensors=BFP16Spec(), weight=Int8Spec()), **change)


EVERYTHING = {
    "specific_layer_config": {QLayerConfig(input_tensors=Int16Spec()): ["a", (["b"], ["c", "d"])], QLayerConfig(input_tensors=Int16Spec()): ["e"]},
    "layer_type_config": {QLayerConfig(weight=UInt8Spec()): ["MatMul"], None: ["Gemm"]},
    "exclude": ["head", (["x"], ["y"])],
    "algo_config": [CLEConfig(cle_steps=2), AdaRoundConfig(beta_range=(10, 2)),
                    AutoMixprecisionConfig({QLayerConfig(input_tensors=MX6Spec()): ["n"], QLayerConfig(weight=MX6Spec()): []})],
    "use_external_data_format": True,
    "extra_options": {"Percentile": 99.9, "CopySharedInit": None, "RemoveQDQBetweenOps": [("Conv", "Relu")],
                      "TensorQuantOverrides": {"t": [{"quant_type": QuantType.QInt8, "rmin": np.float32(-1), "rmax": np.array([2.0])}]}},
    "preon_options": {"target": "simulate"},
}


@pytest.mark.parametrize("change", [{}, *({name: value} for name, value in EVERYTHING.items()), EVERYTHING])
def test_equal_after_a_round_trip_through_json(change):
    ours = config(**change)
    stored = json.dumps(ours.to_dict())
    again = QConfig.from_dict(json.loads(stored))
    assert again == ours and json.dumps(again.to_dict()) == stored
    assert copy.deepcopy(ours) == ours
    assert (config() == ours) == (change == {})


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_a_round_trip(name):
    preset = getattr(custom_config, name)
    assert QConfig.from_dict(json.loads(json.dumps(preset.to_dict()))) == preset


@pytest.mark.parametrize("each", data_type.ALL)
def test_every_spec_survives_a_round_trip(each):
    spec = getattr(preon_package, f"{each.__name__}Spec")()
    assert type(spec).from_dict(spec.to_dict()) == spec and spec.to_dict()["data_type"] == each.__name__
    assert type(spec)(True) == type(spec)(symmetric=True)


def test_blocks_of_a_spec_are_those_of_the_key(model, samples, reader, tmp_path):
    def quantized(name, size, **extra_options):
        weight = Int8Spec(calibration_method=CalibMethod.MinMax, quant_granularity=QuantGranularity.Group)
        weight.set_block_size(size)
        ours = QConfig(QLayerConfig(input_tensors=UInt8Spec(calibration_method=CalibMethod.MinMax), weight=weight), extra_options=extra_options)
        assert QConfig.from_dict(json.loads(json.dumps(ours.to_dict()))) == ours
        preon_package.ModelQuantizer(ours).quantize_model(tmp_path / model, tmp_path / name, reader(samples))
        return (tmp_path / name).read_bytes()

    assert quantized("own.onnx", 2) == quantized("key.onnx", None, WeightBlockSize=2) != quantized("one.onnx", 1)
    with pytest.raises(ValueError, match="weight.block_size: got 'x'"):
        quantized("none.onnx", "x")


def test_sets_are_lists():
    """ONNX Runtime's quantizer takes recv_nodes as a set alone."""
    pair = {"quant_type": QuantType.QInt16, "recv_nodes": {"b", "a"}}
    stored = config(extra_options={"TensorQuantOverrides": {"t": [{"convert": pair}]}}).to_dict()
    assert stored["extra_options"]["TensorQuantOverrides"]["t"][0]["convert"]["recv_nodes"] == ["a", "b"]


def test_members_of_enumerations_by_name():
    spec = Int8Spec(calibration_method="MinMax", scale_type="ScaleType.PowerOf2")
    assert spec.to_dict()["calibration_method"] == "CalibMethod.MinMax" and spec.to_dict()["scale_type"] == "ScaleType.PowerOf2"
    stored = {**spec.to_dict(), "calibration_method": "Entropy"}
    assert Int8Spec.from_dict(stored).calibration_method is CalibMethod.Entropy


def test_instances_of_types_are_as_good_as_the_types():
    assert Int8Spec(data_type=data_type.Int16()).to_dict()["data_type"] == "Int16"


def test_layers_are_told_apart_as_keys():
    """Two equal layer configs are two entries: the second must not take the first one's place."""
    first, second = QLayerConfig(weight=Int8Spec()), QLayerConfig(weight=Int8Spec())
    assert first == second and len({first: ["a"], second: ["b"]}) == 2


def test_options_read_flat_at_all_times():
    ours = config(extra_options={"Percentile": 99.9})
    ours.extra_options["CalibDataSize"] = 4
    assert ours.extra_options == {"Percentile": 99.9, "CalibDataSize": 4}
    with pytest.warns(DeprecationWarning, match="extra_options="):
        assert config(UseRandomData=True).extra_options == {"UseRandomData": True}
    assert config(extra_options={"A": 1}, A=2, B=3).extra_options == {"A": 1, "B": 3}
    assert config(extra_options=None).extra_options == {}


def test_the_callers_objects_are_never_changed(model, samples, reader, tmp_path):
    options = {"UseRandomData": True, "CopySharedInit": None}
    ours = QConfig(QLayerConfig(activation=UInt8Spec(), weight=Int8Spec()), extra_options=options)
    before = copy.deepcopy(ours)
    quantizer = preon_package.ModelQuantizer(ours)
    for _ in range(2):
        quantizer.quantize_model(tmp_path / model, tmp_path / "out.onnx", reader(samples))
    assert ours == before and options == {"UseRandomData": True, "CopySharedInit": None}
    assert ours.global_config.input_tensors is None


def test_a_preset_can_be_used_twice(model, samples, reader, tmp_path):
    before = repr(preon_package.BFP16_QCONFIG)
    for _ in range(2):
        written = preon_package.ModelQuantizer(preon_package.BFP16_QCONFIG).quantize_model(tmp_path / model, None, reader(samples))
        assert any(node.op_type == "BFPQuantizeDequantize" for node in written.graph.node)
    assert repr(preon_package.BFP16_QCONFIG) == before


def test_nothing_is_written_but_the_model(model, samples, reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = {each.name for each in tmp_path.iterdir()}
    ours = QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()))
    preon_package.ModelQuantizer(ours).quantize_model(model, "out.onnx", reader(samples))
    preon_package.ModelQuantizer(ours).quantize_model(model, None, reader(samples))
    assert {each.name for each in tmp_path.iterdir()} - before == {"out.onnx"}


def test_the_older_form_says_the_same(model, samples, reader, tmp_path):
    """quantize_static, Config and QConfig with the same words give the same bytes."""
    spec = {"calibration_method": CalibMethod.MinMax}
    newer = QConfig(QLayerConfig(input_tensors=UInt8Spec(**spec), weight=Int8Spec(**spec)))
    preon_package.ModelQuantizer(newer).quantize_model(tmp_path / model, tmp_path / "newer.onnx", reader(samples))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        older = preon_package.Config(preon_package.QuantizationConfig(activation_type=QuantType.QUInt8, include_cle=False))
        preon_package.ModelQuantizer(older).quantize_model(tmp_path / model, tmp_path / "older.onnx", reader(samples))
        preon_package.quantize_static(tmp_path / model, tmp_path / "static.onnx", reader(samples), include_cle=False,
                                      activation_type=QuantType.QUInt8)
    assert (tmp_path / "newer.onnx").read_bytes() == (tmp_path / "older.onnx").read_bytes() == (tmp_path / "static.onnx").read_bytes()


def test_types_by_name():
    """As Quark's: an instance, and None for None."""
    assert type(data_type.parse_data_type("Int8")) is data_type.Int8 and data_type.parse_data_type(None) is None
    config = QConfig(QLayerConfig(input_tensors=UInt8Spec(data_type=data_type.parse_data_type("Int16")), weight=Int8Spec()))
    assert config.to_dict()["global_config"]["input_tensors"]["data_type"] == "Int16"
    with pytest.raises(preon_package.ConfigError, match="did you mean 'Int8'"):
        data_type.parse_data_type("Itn8")


def test_every_type_has_a_name_that_preon_knows(preon):
    known = subprocess.run([preon.binary, "doctor", "--json"], capture_output=True, text=True, check=True).stdout
    assert {each.__name__.lower() for each in data_type.ALL} <= set(json.loads(known)["types"])


def test_dynamic_and_integer_operators_of_the_older_form(model, samples, reader, tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        preon_package.quantize_dynamic(tmp_path / model, tmp_path / "dynamic.onnx")
        preon_package.quantize_static(tmp_path / model, tmp_path / "static.onnx", reader(samples), include_cle=False,
                                      quant_format=preon_package.QuantFormat.QOperator, activation_type=QuantType.QUInt8)
    assert "MatMulInteger" in {node.op_type for node in onnx.load(tmp_path / "dynamic.onnx").graph.node}
    assert "QLinearConv" in {node.op_type for node in onnx.load(tmp_path / "static.onnx").graph.node}


def test_layout_and_narrow_weights_of_the_older_form(model, samples, reader, tmp_path):
    """quant_format chooses between the layouts of bytes; reduce_range leaves one bit of constants unused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        preon_package.quantize_static(tmp_path / model, tmp_path / "extended.onnx", reader(samples), include_cle=False, reduce_range=True,
                                      quant_format=preon_package.ExtendedQuantFormat.QDQ)
        preon_package.quantize_static(tmp_path / model, tmp_path / "base.onnx", reader(samples), include_cle=False)
    extended, base = onnx.load(tmp_path / "extended.onnx"), onnx.load(tmp_path / "base.onnx")

    def largest(quantized):
        return max(np.abs(onnx.numpy_helper.to_array(value).astype(np.int32)).max() for value in quantized.graph.initializer
                   if value.data_type == onnx.TensorProto.INT8 and value.name.endswith("_quantized"))

    assert {node.domain for node in extended.graph.node if node.op_type == "QuantizeLinear"} == {"com.microsoft"}
    assert {node.domain for node in base.graph.node if node.op_type == "QuantizeLinear"} == {""}
    assert largest(extended) <= 64 < largest(base)
