"""One configuration by every way in gives the same bytes, and its settings have the effect that their description says."""
import json

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ModelQuantizer, QConfig  # noqa: E402


def spec(data_type, method="MinMax", scale="Float32", granularity="Tensor", symmetric=True):
    return {"symmetric": symmetric, "scale_type": f"ScaleType.{scale}", "calibration_method": f"CalibMethod.{method}",
            "quant_granularity": f"QuantGranularity.{granularity}", "data_type": data_type}


@pytest.fixture
def files(preon, model, data):
    return preon


def quantized(preon, *arguments):
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--json", *arguments)
    assert done.returncode == 0, done.stderr
    return (preon.folder / "out.onnx").read_bytes(), json.loads(done.stdout)


def yaml_of(value):
    """JSON is YAML but for what a person writes: blocks and bare words."""
    lines = []
    for key, part in value.items():
        lines.append(f"{key}: {json.dumps(part)}" if not isinstance(part, dict) else
                     f"{key}:\n" + "\n".join(f"  {name}: {json.dumps(inner)}" for name, inner in part.items()) if part else f"{key}: {{}}")
    return "\n".join(lines) + "\n"


CONFIGURATIONS = {
    "global": {"global_config": {"input_tensors": spec("UInt8", symmetric=False), "weight": spec("Int8", granularity="Channel")}},
    "layers": {"global_config": {"input_tensors": spec("UInt8", symmetric=False), "weight": spec("Int8", granularity="Channel")},
               "specific_layer_config": [[{"weight": spec("Int8", "MinMSE")}, ["^conv.*"]]],
               "layer_type_config": [[None, ["Gemm"]]], "exclude": ["pool_1"],
               "extra_options": {"CalibDataSize": 8, "TensorQuantOverrides": {"r1": [{"rmin": 0.0, "rmax": 2.0}]}}},
    "blocks": {"global_config": {"input_tensors": spec("BFP16"), "weight": spec("BFP16")}, "extra_options": {"BFPAttributes": {"block_size": 4}}},
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_json_and_yaml_give_the_same_bytes(files, name):
    config = CONFIGURATIONS[name]
    (files.folder / "c.json").write_text(json.dumps(config))
    (files.folder / "c.yaml").write_text(yaml_of(config))
    by_json, _ = quantized(files, "--config", "c.json")
    by_yaml, _ = quantized(files, "--config", "c.yaml")
    assert by_json == by_yaml


class Reader:
    def __init__(self, path):
        self.samples = iter(np.load(path)["input"])

    def get_next(self):
        sample = next(self.samples, None)
        return None if sample is None else {"input": sample[None]}


def by_python(preon, config):
    ModelQuantizer(config).quantize_model(preon.folder / "model.onnx", preon.folder / "python.onnx", Reader(preon.folder / "calib.npz"))
    return (preon.folder / "python.onnx").read_bytes()


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_python_gives_the_same_bytes(files, name):
    (files.folder / "c.json").write_text(json.dumps(CONFIGURATIONS[name]))
    assert by_python(files, QConfig.from_dict(CONFIGURATIONS[name])) == quantized(files, "--config", "c.json")[0]


@pytest.mark.parametrize("name", ["A8W8_QCONFIG", "A16W8_QCONFIG", "BF16_QCONFIG", "BFP16_QCONFIG", "XINT8_QCONFIG"])
def test_presets_of_python_are_those_of_the_command_line(files, name):
    assert by_python(files, getattr(preon_package, name)) == quantized(files, "--config", name)[0]


def test_where_keys_and_specs_speak_of_the_same(files):
    plain = CONFIGURATIONS["global"]
    (files.folder / "plain.json").write_text(json.dumps(plain))
    keys = {"Int16Scale": True, "WeightSymmetric": not plain["global_config"]["weight"]["symmetric"]}
    (files.folder / "c.json").write_text(json.dumps({**plain, "extra_options": {**plain.get("extra_options", {}), **keys}}))
    by_file, result = quantized(files, "--config", "c.json")
    specs = {role: {**values, "scale_type": "Int16"} for role, values in plain["global_config"].items()}
    (files.folder / "specs.json").write_text(json.dumps({**plain, "global_config": specs}))
    assert by_file == quantized(files, "--config", "specs.json")[0] != quantized(files, "--config", "plain.json")[0]
    assert [each for each in result["warnings"] if each == "WeightSymmetric: has no effect: symmetric of weight overrides it"]


def test_the_command_line_says_the_same(files):
    (files.folder / "c.json").write_text(json.dumps(CONFIGURATIONS["global"]))
    by_file, _ = quantized(files, "--config", "c.json")
    by_flags, _ = quantized(files, "--target", "quark", "--activation", "uint8", "--weight", "int8", "--method", "minmax",
                            "--weight-method", "minmax", "--option", "ActivationSymmetric=false", "--option", "WeightSymmetric=true")
    assert by_file == by_flags


def test_a_preset_is_the_configuration_it_stands_for(files):
    config = {"global_config": {"activation": spec("Int8", "Percentile"), "weight": spec("Int8", "Percentile")},
              "extra_options": {"AlignConcat": True, "AlignSlice": False, "FoldRelu": True, "ForceQuantizeNoInputCheck": True}}
    (files.folder / "c.json").write_text(json.dumps(config))
    assert quantized(files, "--config", "A8W8_QCONFIG")[0] == quantized(files, "--config", "c.json")[0]


def test_what_the_command_line_says_goes_over_the_file(files):
    (files.folder / "c.json").write_text(json.dumps(CONFIGURATIONS["global"]))
    _, result = quantized(files, "--config", "c.json", "--target", "ort-cpu")
    assert result["target"] == "ort-cpu"


def initializer(model, name):
    return next(onnx.numpy_helper.to_array(each) for each in model.graph.initializer if each.name == name)


def test_ranges_of_single_tensors(files):
    (files.folder / "c.json").write_text(json.dumps(CONFIGURATIONS["layers"]))
    model = onnx.load_from_string(quantized(files, "--config", "c.json")[0])
    assert initializer(model, "r1_scale") == pytest.approx(2 / 255)
    assert not any("w2" in each.name and each.name.endswith("_quantized") for each in model.graph.initializer)   # Gemm is left out


def test_one_bound_of_a_range(files):
    config = {"global_config": {"input_tensors": spec("UInt8", symmetric=False), "weight": spec("Int8")},
              "extra_options": {"TensorQuantOverrides": {"input": [{"rmax": 6.0}], "r1": [{"rmin": -1.0}], "w2": [{"rmax": 9.0}]}}}
    (files.folder / "c.json").write_text(json.dumps(config))
    model = onnx.load_from_string(quantized(files, "--config", "c.json")[0])
    low = np.load(files.folder / "calib.npz")["input"].min()
    assert initializer(model, "input_scale") == pytest.approx((6 - low) / 255)   # the other one stays that of the samples
    assert initializer(model, "r1_zero_point") > 0
    assert initializer(model, "w2_scale") == pytest.approx(9 / 127)
    del config["extra_options"]["TensorQuantOverrides"]["w2"]
    (files.folder / "c.json").write_text(json.dumps(config))
    assert initializer(onnx.load_from_string(quantized(files, "--config", "c.json")[0]), "w2_scale") < 9 / 127


def test_one_range_for_all_channels_and_axes_from_the_end(files):
    config = {"global_config": {"input_tensors": spec("UInt8", symmetric=False), "weight": spec("Int8")},
              "extra_options": {"TensorQuantOverrides": {"w1": [{"axis": -4, "rmin": -2.0, "rmax": 2.0}]}}}
    (files.folder / "c.json").write_text(json.dumps(config))
    model = onnx.load_from_string(quantized(files, "--config", "c.json")[0])
    assert initializer(model, "w1_scale") == pytest.approx(np.full(8, 4 / 254))


def test_methods_of_layers(files):
    config = {"global_config": {"input_tensors": spec("UInt8", symmetric=False), "weight": spec("Int8")}}
    scale = {}
    for method in ("MinMax", "Percentile"):
        config["specific_layer_config"] = [[{"input_tensors": spec("UInt8", method, symmetric=False)}, ["conv_1"]]]
        config["extra_options"] = {"Percentile": 90}
        (files.folder / "c.json").write_text(json.dumps(config))
        model = onnx.load_from_string(quantized(files, "--config", "c.json")[0])
        scale[method] = initializer(model, "input_scale")
    assert scale["Percentile"] < 0.8 * scale["MinMax"]


@pytest.mark.parametrize("layer", [{"input_tensors": spec("BFloat16"), "weight": spec("BFloat16")}, {"output_tensors": spec("BFloat16")},
                                   {"input_tensors": spec("BFP16")}, {"weight": spec("MXInt8")}])
def test_layers_of_types_without_scales(files, layer):
    config = {"global_config": {"input_tensors": spec("Int8"), "weight": spec("Int8")}, "layer_type_config": [[layer, ["Gemm", "Conv"]]]}
    (files.folder / "c.json").write_text(json.dumps(config))
    assert quantized(files, "--config", "c.json")[1]["compare"]["outputs"]["logits"]["sqnr_db"] > 15


def test_names_that_the_model_has_not(files):
    for key in ("NodesToQuantize", "NodesToExcludeOutputQuantization"):
        files.fails(2, 1006, "quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "quark", "--option", f"{key}=[\"conv_2\"]",
                    says="did you mean 'conv_1'?")


def test_operator_types_that_the_model_has_not(files):
    _, result = quantized(files, "--target", "quark", "--option", "OpTypesToQuantize=Conv,Convv")
    assert any("'Convv' has no effect" in warning for warning in result["warnings"]), result["warnings"]


def test_external_data_opset_and_value_info(files):
    _, result = quantized(files, "--external-data", "--opset", "20", "--value-info")
    assert len(list(files.folder.glob("out.onnx.*.data"))) == 1
    model = onnx.load(files.folder / "out.onnx")
    assert {each.domain: each.version for each in model.opset_import}[""] == 20
    inside = {output for node in model.graph.node for output in node.output} - {"logits"}
    assert inside <= {info.name for info in model.graph.value_info}


@pytest.mark.parametrize("text, says", [
    ("global_config: [1", "line"),
    ("a: 1\na: 2", "given twice"),
    ("methd: minmax", "did you mean 'method'?"),
    ("global_config: {}", "input_tensors"),
    ("- a", "not a JSON object"),
])
def test_mistakes_in_yaml(files, text, says):
    (files.folder / "c.yaml").write_text(text)
    files.fails(2, 1005, "quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "c.yaml", says=says)


def test_descriptions_are_told_and_counted(preon):
    told = json.loads(preon("doctor", "--options", "--json").stdout)
    theirs = [key for key in told["keys"] if not key["ours"]]
    has = sum(bool(key["here"]) for key in theirs)
    assert has == sum(group["has"] for group in told["reference_keys"]["groups"].values())
    assert len(theirs) - has == len(told["reference_keys"]["missing"])
    assert {"quantize"} <= {verb for option in told["options"] for verb in option["verbs"]}
    assert f"{has} of {len(theirs)} keys of AMD Quark" in preon("doctor", "--options").stdout
