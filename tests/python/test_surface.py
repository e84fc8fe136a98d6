"""Names, signatures, values and presets against AMD Quark's, as its release 0.13 has them."""
import dataclasses
import enum
import importlib
import inspect
import json
import pathlib
import subprocess
import sys

import onnx
import pytest

#: What differs on purpose: "Name", "Name.parameter", "Name.attribute" or "path:Name", and why.
DIFFERENCES = {
    "VitisExtendedQuantizer": "does not exist there either, which breaks the star import",
    "QConfig.extra_options": "a real parameter, so that it is flat from the beginning",
    "QConfig.preon_options": "options that only preon has",
    "AdaRoundConfig.writes": "all parameters reach the option, seven are lost there",
    "AdaQuantConfig.writes": "all parameters reach the option, seven are lost there",
    "PathDataReader.load_data": "internal there",
    "PathDataReader.load_npy_data": "internal there",
    "AdaRoundConfig.bases": "a base of both fine-tuning classes is between",
    "quantization.config.algorithm:ScreenLogger": "internal there",
    "quantization.config.algorithm:add_method_to_subclasses": "internal there",
    "quantization.config.algorithm:config_to_dict": "internal there",
    "quantization.config.algorithm:from_dict": "internal there: a method of each class",
    "quantization.config.spec:ScreenLogger": "internal there",
    "quantization.config.spec:config_to_dict": "internal there",
    "quantization.config.data_type:k": "a loop variable that leaked",
    "calibration:calibrate_model": "internal there",
    "calibration:fake_calibration": "internal there",
    "calibration:get_data_reader": "internal there",
    "calibration:nearest_non_passthrough_ancestor_mapping": "internal there",
    "calibration:run_calibration": "internal there",
    "calibration:save_tensor_hist_fig": "internal there",
    "calibration:update_tensors_range_with_dependencies": "internal there",
}
#: What scripts call is `search_model` and `build_all_configs`, and SearchSpace's constructor with `get_all_configs`: the rest are their steps there.
STEPS_OF_SEARCH = {
    "AutoSearch": ("build_evaluator", "build_quantize_instance", "create_objective", "fastft_search", "include_two_stage_config",
                   "objective", "optimize_parallel", "process_joint_param", "quantize_one_time", "runner", "sampler", "two_stage_search"),
    "SearchSpace": ("build_search_space", "three_level_spaces", "verify_one_config", "verify_one_config_base"),
}
DIFFERENCES |= {f"{name}.{step}": "a step of the search, internal there" for name, steps in STEPS_OF_SEARCH.items() for step in steps}
OF_ONNX_RUNTIME = ("CalibraterBase", "MinMaxCalibrater", "write_calibration_table")


@pytest.fixture(scope="module")
def surface(vectors):
    return json.loads((vectors / "api_surface.json").read_text())


@pytest.fixture(scope="module")
def presets(vectors):
    return json.loads((vectors / "presets.json").read_text())


def told(value):
    """As the vectors write it."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, (list, tuple)):
        return [told(each) for each in value]
    return {name: told(each) for name, each in value.items()} if isinstance(value, dict) else value


def parameters(function):
    """[(name, default or "<required>")] as the vectors write them."""
    found = []
    for name, each in inspect.signature(function).parameters.items():
        factory = type(each.default).__name__ == "_HAS_DEFAULT_FACTORY_CLASS"
        field = next((f for f in dataclasses.fields(function) if f.name == name), None) if dataclasses.is_dataclass(function) else None
        default = told(field.default_factory()) if factory else told(each.default)
        found.append((name, "<required>" if each.default is inspect.Parameter.empty else default))
    return [each for each in found if each[0] not in ("kwargs", "self")]


def expected(entry):
    params = entry.get("init", entry.get("params"))
    return [(p["name"], "<required>" if p.get("required") else p["default"]) for p in params if p.get("kind") != "var_keyword"]


def test_every_name_of_the_root(package, surface):
    missing = [name for name in surface["exports"] if not hasattr(package, name) and name not in DIFFERENCES]
    assert missing == []
    assert set(surface["exports"]) - set(DIFFERENCES) <= set(package.__all__)


def test_every_import_path(package, surface):
    missing = []
    for path, names in surface["import_paths"].items():
        path = path.removeprefix("quark.onnx").removeprefix(".")
        module = importlib.import_module(f"preon.{path}" if path else "preon")
        missing += [f"{path}:{name}" for name in names if not hasattr(module, name) and f"{path}:{name}" not in DIFFERENCES]
    assert missing == []


def test_further_import_paths(package):
    from preon.operators.custom_ops import _COP_DOMAIN, _COP_VERSION, get_library_path
    from preon.quantization import ModelQuantizer, QConfig

    assert ModelQuantizer is package.ModelQuantizer and QConfig is package.QConfig and get_library_path is package.get_library_path
    assert (_COP_DOMAIN, _COP_VERSION) == ("com.amd.quark", 1)


def test_signatures_and_defaults(package, surface):
    wrong = {}
    for name, entry in surface["exports"].items():
        if entry["kind"] not in ("class", "function") or name in OF_ONNX_RUNTIME:
            continue
        ours = [each for each in parameters(getattr(package, name)) if f"{name}.{each[0]}" not in DIFFERENCES]
        wanted = expected(entry)
        if "<factory>" in [default for _, default in wanted]:
            wanted = [(n, dict(ours).get(n) if default == "<factory>" else default) for n, default in wanted]
        if ours != wanted and entry.get("init", True):
            wrong[name] = (ours, wanted)
    assert wrong == {}


def test_classes_have_their_bases_and_methods(package, surface):
    missing = []
    for name, entry in surface["exports"].items():
        if entry["kind"] != "class" or name in OF_ONNX_RUNTIME:
            continue
        ours = getattr(package, name)
        bases = {base.__name__ for base in ours.__mro__}
        missing += [f"{name}({base})" for base in entry["bases"] if base not in bases | {"ABC"}]
        for method, described in entry.get("methods", {}).items():
            if f"{name}.methods" in DIFFERENCES or f"{name}.{method}" in DIFFERENCES:
                continue
            given = [p.split("=")[0] for p in described["params"]]
            if not hasattr(ours, method) or [p for p, _ in parameters(getattr(ours, method))][:len(given)] != given:
                missing.append(f"{name}.{method}{given}")
    assert missing == []


def test_enumerations_have_the_references_numbers(package, surface):
    for name, entry in surface["exports"].items():
        if entry["kind"] == "enum":
            ours = {member.name: member.value for member in getattr(package, name)}
            assert {member: ours.get(member) for member in entry["members"]} == entry["members"], name
            assert all(value > max(entry["members"].values()) for member, value in ours.items() if member not in entry["members"]), name


def test_data_types_have_the_references_attributes(package, surface):
    for name, entry in surface["exports"].items():
        for attribute, wanted in entry.get("class_attributes", {}).items():
            ours = told(getattr(getattr(package, name), attribute))
            if attribute == "onnx_proto_dtype":
                ours = onnx.TensorProto.DataType.Name(ours)
            assert ours == wanted, f"{name}.{attribute}"


def test_constants(package, surface):
    assert {name: getattr(package, name) for name, entry in surface["exports"].items() if entry["kind"] == "constant"} == {
        name: entry["value"] for name, entry in surface["exports"].items() if entry["kind"] == "constant"}


def test_algorithms_write_the_references_options(package, surface):
    for name, entry in surface["algo_configs"].items():
        kind = getattr(package, name)
        layer = package.QLayerConfig(input_tensors=package.Int8Spec())
        ours = kind(layer) if name == "AutoMixprecisionConfig" else kind()
        assert ours.name == entry["serial_name"]
        wanted, options = entry["writes_options"], told(ours.get_options())
        if name == "AutoMixprecisionConfig":
            assert options["AutoMixprecision"].pop("TargetLayerConfig") is layer and wanted["AutoMixprecision"].pop("TargetLayerConfig")
        if f"{name}.writes" in DIFFERENCES:
            options = {key: {k: v for k, v in value.items() if k in wanted[key]} for key, value in options.items()}
        assert options == wanted, name


def test_presets_as_they_are_stored(package, presets):
    for name, entry in presets["qconfig_presets"].items():
        ours = getattr(package, name)
        assert ours.to_dict() == entry["to_dict"], name
        for role, spec in entry["global_config"].items():
            assert type(getattr(ours.global_config, role)).__name__ == spec["class"]


def test_older_presets(package, presets):
    from preon.quantization.config import QuantizationConfig, custom_config, get_default_config

    defaults = presets["legacy_defaults"]
    assert told(vars(QuantizationConfig())) == defaults
    assert list(sorted(custom_config.get_default_config_mapping())) == sorted(presets["legacy_presets"])
    constants = {entry["constant"]: (get_default_config(name), entry) for name, entry in presets["legacy_presets"].items()}
    constants.update({name: (getattr(custom_config, name), entry) for name, entry in presets["constants_only"].items()})
    for constant, (ours, entry) in constants.items():
        assert ours == getattr(custom_config, constant)
        wanted = {**defaults, **{field: value for field, value in entry.items() if field != "constant"}}
        assert told(vars(ours)) == wanted, constant


def test_names_from_the_preset_list_only(package):
    assert package.QConfig.get_default_config("XINT8").global_quant_config.enable_npu_cnn
    with pytest.raises(ValueError, match="did you mean 'XINT8'"):
        package.QConfig.get_default_config("XINT9")


def test_star_import(package):
    code = "from preon import *\nprint(ModelQuantizer, A8W8_QCONFIG, BaseDataType, _COP_DOMAIN)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0 and "com.amd.quark" in done.stdout, done.stderr


def test_members_of_onnx_runtime_are_as_good(package):
    quantization = pytest.importorskip("onnxruntime.quantization")
    assert package.QuantType.QUInt8 == quantization.QuantType.QUInt8 and quantization.QuantFormat.QDQ == package.QuantFormat.QDQ
    assert package.CalibrationMethod.MinMax in (quantization.CalibrationMethod.MinMax,)
    assert package.QuantType.QInt8 != quantization.QuantType.QUInt8 and package.QuantType.QInt8 != package.ExtendedQuantType.QInt8
    assert issubclass(package.MinMaxCalibrater, package.CalibraterBase)


def test_stub_of_the_module(package, tmp_path):
    """python/preon/_preon.pyi is what nanobind makes of the module."""
    pytest.importorskip("nanobind")
    done = subprocess.run([sys.executable, "-m", "nanobind.stubgen", "-m", "preon._preon", "-o", tmp_path / "made.pyi"],
                          capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0, done.stderr
    kept = pathlib.Path(package.__file__).parent / "_preon.pyi"
    assert kept.read_text() == (tmp_path / "made.pyi").read_text()
