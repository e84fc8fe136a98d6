"""Each preset of Quark runs, or says what it needs that this version has not: never another failure, never None."""
import re
import warnings

import graph_goldens
import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon.quantization.config import custom_config, get_default_config_mapping  # noqa: E402
from preset_figures import SQNR_DB, least_sqnr_db  # noqa: E402

PRESETS = [*(name for name in vars(custom_config) if name.endswith("_QCONFIG")), *get_default_config_mapping(),
           "XINT8_WEIGHTSONLY_ADAROUND_CONFIG"]
#: Must run, whatever else does.
RUNS = {"XINT8_QCONFIG", "A8W8_QCONFIG", "A16W8_QCONFIG", "BF16_QCONFIG", "BFP16_QCONFIG", "S8S8_AAWS", "U8S8_AAWS", "U8U8_AAWA",
        "S16S8_ASWS", "A8W8", "A16W8", "U16S8_AAWS", "FP16", "BF16", "BFP16", "MX4", "MX6", "MX9", "MXINT8", "MXFP8E5M2", "MXFP8E4M3",
        "MXFP6E3M2", "MXFP6E2M3", "MXFP4E2M1", "BF16_BFP16", "BF16_MXINT8", "MX9_INT8", "INT8_CNN_DEFAULT", "INT16_CNN_DEFAULT",
        "INT8_TRANSFORMER_DEFAULT", "INT16_TRANSFORMER_DEFAULT",
        "MATMUL_NBITS", "UINT8_DYNAMIC_QUANT", "VINT8", "VINT8_QCONFIG", "XINT8_ADAROUND_QCONFIG", "XINT8_ADAQUANT_QCONFIG",
        "A8W8_ADAROUND_QCONFIG", "A8W8_ADAQUANT_QCONFIG", "A16W8_ADAROUND_QCONFIG", "A16W8_ADAQUANT_QCONFIG",
        *(f"{name}_{form}" for name in ("S8S8_AAWS", "U8S8_AAWS", "S16S8_ASWS", "A8W8", "A16W8", "U16S8_AAWS") for form in ("ADAROUND", "ADAQUANT")),
        *(f"INT{bits}_{kind}_ACCURATE" for bits in (8, 16) for kind in ("CNN", "TRANSFORMER"))}
#: What a message must name: an option, a field or an algorithm.
NAMES_IT = re.compile(r"\[E1007\] .*\b(\w+=\w+|[A-Z]\w+: got|use_\w+|include_\w+|enable_\w+|algo_config: '\w+'|--[\w-]+)")


def config_of(name):
    if name.endswith("_QCONFIG"):
        return getattr(custom_config, name)
    if name.endswith("_CONFIG"):
        return preon_package.Config(getattr(custom_config, name))
    return preon_package.QConfig.get_default_config(name)


def run(name, model, reader, tmp_path):
    """Returns why not, or None."""
    return quantized(name, model, reader, tmp_path)[0]


def quantized(name, model, reader, tmp_path):
    """(why not or None, the least SQNR of an output)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantizer = preon_package.ModelQuantizer(config_of(name))
        try:
            quantizer.quantize_model(model, tmp_path / "out.onnx", reader)
        except preon_package.ConfigError as error:
            assert error.number == 1007 and NAMES_IT.search(str(error)), (name, str(error))
            assert not (tmp_path / "out.onnx").exists()
            return str(error), None
    assert (tmp_path / "out.onnx").stat().st_size > 0 and quantizer.result.verb == "quantize"
    assert all(np.isfinite(each["sqnr_db"]) for each in quantizer.result.compare["outputs"].values())
    return None, min(each["sqnr_db"] for each in quantizer.result.compare["outputs"].values())


@pytest.mark.parametrize("name", PRESETS)
def test_on_a_small_model(model, samples, reader, tmp_path, name):
    reason = run(name, tmp_path / model, reader(samples[:2]), tmp_path)
    assert reason is None or name not in RUNS, reason


@pytest.mark.parametrize("name", ["A8W8", "BF16", "BF16_BFP16", "BF16_MXINT8", "MX9", "A16W8_QCONFIG"])
def test_on_a_table(reader, tmp_path, name):
    """What a Gather takes out of a table has the table's scale, if it has one."""
    table, weight = (np.random.default_rng(seed).normal(size=(16, 16)).astype(np.float32) for seed in (1, 2))
    graph = helper.make_graph([helper.make_node("Gather", ["table", "i"], ["row"]), helper.make_node("MatMul", ["row", "w"], ["y"])], "g",
                              [helper.make_tensor_value_info("i", TensorProto.INT64, ["N", 2])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2, 16])],
                              [numpy_helper.from_array(table, "table"), numpy_helper.from_array(weight, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "table.onnx")
    samples = [{"i": np.array([[3, 5]], np.int64)}, {"i": np.array([[0, 15]], np.int64)}]
    assert run(name, tmp_path / "table.onnx", reader(samples), tmp_path) is None


def images_of(shared):
    """CIFAR-10's first records, as the model wants them."""
    records = np.fromfile(shared("images/cifar10_test_jpegq75_dev2000.bin"), np.uint8, 8 * 3073).reshape(-1, 3073)
    pixels = records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    return [{"input": each[np.newaxis]} for each in (pixels - mean[:, None, None]) / deviation[:, None, None]]


def photos_of(shared):
    Image = pytest.importorskip("PIL.Image")
    photos = [np.asarray(Image.open(file).convert("RGB"), np.float32).transpose(2, 0, 1)[np.newaxis] / 255
              for file in sorted(shared("images/imagenet224").glob("*.jpg"))[:4]]
    mean, deviation = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])
    return [{"input": (each - mean[:, None, None]) / deviation[:, None, None]} for each in photos]


def sentences_of(shared):
    rows = np.load(shared("text/sst2_dev_ids_mask_label.npy"))[:8].astype(np.int64)
    return [{"input_ids": row[np.newaxis, :64], "attention_mask": row[np.newaxis, 64:128]} for row in rows]


MODELS = {"resnet20_cifar10": images_of, "mobilenetv2_1.0": photos_of, "sst2_transformer": sentences_of}


@pytest.mark.slow
@pytest.mark.parametrize("model_name", MODELS)
@pytest.mark.parametrize("name", PRESETS)
def test_on_real_models(shared, reader, tmp_path, model_name, name):
    path = shared(f"models/{model_name}.onnx")
    reason, sqnr_db = quantized(name, path, reader(MODELS[model_name](shared)), tmp_path)
    assert reason is None or name not in RUNS, reason
    if reason is None and graph_goldens.adds_in_32_bits():
        assert sqnr_db >= least_sqnr_db(name, list(MODELS).index(model_name))


def test_every_preset_has_a_bound():
    """… and the presets that fit codes those of which they have the types."""
    assert all(np.isfinite(least_sqnr_db(name, index)) for name in PRESETS for index in range(len(MODELS)))
    assert set(SQNR_DB) <= set(PRESETS)


def written_out():
    """The line of Quark's documentation, with an algorithm for every phase."""
    from preon import AdaRoundConfig, CLEConfig, Int8Spec, QConfig, QLayerConfig
    spec = QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec())
    return QConfig(global_config=spec, algo_config=[CLEConfig(cle_steps=2), AdaRoundConfig(learning_rate=0.1, num_iterations=1000)])


@pytest.mark.slow
@pytest.mark.parametrize("model_name", MODELS)
def test_the_documented_line_on_real_models(shared, reader, tmp_path, model_name):
    samples = MODELS[model_name](shared)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantizer = preon_package.ModelQuantizer(written_out())
        quantizer.quantize_model(shared(f"models/{model_name}.onnx"), tmp_path / "out.onnx", reader(samples))
    improved, = quantizer.result.improved
    assert improved["algorithm"] == "adaround" and improved["runs"] == len(samples)
    assert improved["layers_changed"] + improved["layers_kept"] > 10 and improved["sqnr_db_after"] >= improved["sqnr_db_before"]
    told = {entry.key: entry.value for entry in onnx.load(tmp_path / "out.onnx").metadata_props}["preon.options"]
    assert "cle:steps=2" in told and "adaround" in told


@pytest.mark.parametrize("name", ["VINT8", "VINT8_CONFIG", "VINT8_QCONFIG", "INT8_TRANSFORMER_DEFAULT", "INT16_TRANSFORMER_DEFAULT"])
def test_on_the_command_line(preon, model, data, name):
    """They need nothing that is missing."""
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--config", name, "--quiet")
    assert done.returncode == 0, done.stderr


def mixed(name, model, reader, samples, tmp_path):
    assert run(name, tmp_path / model, reader(samples), tmp_path) is None
    return onnx.load(tmp_path / "out.onnx").graph


def test_mixed_types_leave_fused_nodes_fused(model, samples, reader, tmp_path):
    """A rounding between Conv and Relu costs accuracy, and nothing computes with it."""
    graph = mixed("BF16_MIXED_BFP16", model, reader, samples, tmp_path)
    written_by = {output: node.op_type for node in graph.node for output in node.output}
    in_front = {written_by[node.input[0]] for node in graph.node if node.op_type == "Relu"}
    assert in_front == {"Conv"} and "BFPQuantizeDequantize" in written_by.values()


def test_mixed_bytes_are_not_symmetric(model, samples, reader, tmp_path):
    """The preset's layers say symmetric, its key ActivationSymmetric=false goes over that: what is never negative has all codes."""
    graph = mixed("S16S16_MIXED_S8S8", model, reader, samples, tmp_path)
    constants = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    written_by = {output: node for node in graph.node for output in node.output}
    read = [constants[written_by[node.input[0]].input[2]] for node in graph.node if node.op_type == "Conv"]
    assert {zero_point.dtype for zero_point in read} == {np.dtype(np.int8)} and all(read)
