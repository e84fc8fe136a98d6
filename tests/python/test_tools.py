"""AMD Quark's command-line tools: each is here; those to floats and of quantizers have tests of their own."""
import importlib
import inspect
import pkgutil
import subprocess
import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
import preon.tools  # noqa: E402

#: Of Quark's release 0.13.
TOOLS = {"convert_fp32_to_fp16", "convert_fp16_to_fp32", "convert_fp32_to_bf16", "convert_fp16_to_bf16", "convert_fp32_to_bfp16",
         "convert_fp16_to_bfp16", "convert_custom_ops", "convert_nchw_to_nhwc", "convert_opset_version", "random_quantize",
         "convert_a8w8_npu_to_a8w8_cpu", "print_a16w8_a8w8_nodes", "convert_u16u8_to_u8u8", "evaluate", "replace_inf_weights", "fix_shapes",
         "convert_bias_int32_to_int16", "remove_qdq_between_ops", "remove_qdq_mul_add", "replace_bfloat16_qdq_cast", "insert_clip_bfloat16_qdq",
         "remove_bf16_cast", "convert_shared_initializer_to_unique", "save_tensor_hist", "save_weights_hist", "convert_customqdq_to_qdq",
         "convert_dynamic_to_fixed", "convert_lstm_to_customlstm", "convert_onnx_to_onnxtxt", "convert_onnxtxt_to_onnx", "convert_qdq_to_qop",
         "convert_quant_to_float", "convert_resize_fs_to_pof2s", "convert_s8s8_to_u8s8", "convert_u16s8_to_s16s8", "remove_initializer_from_input",
         "remove_qdq"}


#: By tool: the function as Quark's sources name it, and those of its parameters that are here.
FUNCTIONS = {"convert_bias_int32_to_int16": ("convert_bias_int32_to_int16", "model"), "convert_customqdq_to_qdq": ("convert_customqdq_to_qdq", "model"),
             "convert_nchw_to_nhwc": ("convert_nchw_to_nhwc", "model"), "convert_opset_version": ("convert_opset_version", "model target_opset"),
             "convert_qdq_to_qop": ("convert_qdq_to_qop", "model"), "convert_quant_to_float": ("convert_quant_to_float", "quant_model float_model"),
             "convert_s8s8_to_u8s8": ("convert_s8s8_to_u8s8", "model"), "convert_shared_initializer_to_unique": ("convert", "onnx_model support_op_types"),
             "convert_u16s8_to_s16s8": ("convert_u16s8_to_s16s8", "model"), "fix_shapes": ("fix_input_and_output_shapes", "model_input fix_shapes"),
             "remove_qdq": ("remove_qdq", "model"), "remove_qdq_between_ops": ("remove_qdq_between_ops", "model between_ops"),
             "remove_qdq_mul_add": ("remove_qdq_mul_add", "onnx_model"), "convert_a8w8_npu_to_a8w8_cpu": ("convert_a8w8_npu_to_a8w8_cpu", "model"),
             "convert_u16u8_to_u8u8": ("convert_u16u8_to_u8u8", "model"), "convert_resize_fs_to_pof2s": ("convert_resize_fs_to_pof2s", "model"),
             "convert_lstm_to_customlstm": ("convert_lstm_to_customlstm", "model"), "insert_clip_bfloat16_qdq": ("insert_clip_bfloat16_qdq", "model"),
             "replace_bfloat16_qdq_cast": ("replace_bfloat16_qdq_cast", "model"), "remove_bf16_cast": ("remove_bf16_cast", "model"),
             "save_tensor_hist": ("save_tensor_hist_figure", "input_model dr output_figure_path"),
             "replace_inf_weights": ("replace_inf_in_onnx_weights", "input_model output_model replace_inf_value")}


def function(name):
    return getattr(importlib.import_module(f"preon.tools.{name}"), FUNCTIONS[name][0])


def tool(name, *arguments):
    """What main() gives."""
    return importlib.import_module(f"preon.tools.{name}").main([str(each) for each in arguments])


def program(name, *arguments):
    return subprocess.run([sys.executable, "-m", f"preon.tools.{name}", *map(str, arguments)], capture_output=True, text=True,
                          env={"PYTHONPATH": ":".join(sys.path)})


def outputs(model, feeds):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def count(model, kind):
    return sum(node.op_type == kind for node in model.graph.node)


@pytest.fixture
def quantized(model, samples, reader, tmp_path):
    """quantized(**options): the tiny model's path after quantization; quantized.feeds is a sample."""
    def made(**options):
        path = tmp_path / "quantized.onnx"
        preon_package.quantize(tmp_path / model, path, reader=reader(samples), progress=False, **{"target": "quark", "method": "minmax", **options})
        return path

    made.feeds = samples[0]
    return made


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_says_what_it_does(name, capsys):
    with pytest.raises(SystemExit) as ended:
        tool(name, "--help")
    assert ended.value.code == 0 and len(capsys.readouterr().out.split()) > 15


def test_every_tool_is_here():
    assert {each.name for each in pkgutil.iter_modules(preon.tools.__path__) if not each.name.startswith("_")} == set(TOOLS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_quark(name):
    assert list(inspect.signature(function(name)).parameters) == FUNCTIONS[name][1].split()


def test_functions_of_pairs(quantized, model, tmp_path):
    path, out = quantized(option=["RemoveQDQConvRelu=false"], activation="int8", symmetric=True), tmp_path / "float.onnx"
    before = count(onnx.load(path), "QuantizeLinear")
    assert count(function("remove_qdq_between_ops")(onnx.load(path), [("Conv", "Relu")]), "QuantizeLinear") == before - 1
    assert count(function("remove_qdq_mul_add")(onnx.load(path)), "QuantizeLinear") == before
    plain = function("convert_quant_to_float")(onnx.load(path))
    assert {node.op_type for node in plain.graph.node} == {node.op_type for node in onnx.load(tmp_path / model).graph.node}
    assert function("convert_quant_to_float")(path, out) is None and onnx.load(out) == plain == function("remove_qdq")(onnx.load(path))
    biases, had = function("convert_bias_int32_to_int16")(onnx.load(path))
    assert had and TensorProto.INT16 in {each.data_type for each in biases.graph.initializer}
    assert not function("convert_bias_int32_to_int16")(biases)[1]
    assert count(function("convert_qdq_to_qop")(onnx.load(path)), "QLinearConv") == 1
    changed = function("convert_s8s8_to_u8s8")(onnx.load(path))
    np.testing.assert_array_equal(outputs(changed, quantized.feeds)[0], outputs(onnx.load(path), quantized.feeds)[0])


def test_functions_of_float_models(model, tmp_path):
    given = small_model((np.inf, -np.inf, 3, 4))
    assert numpy_helper.to_array(function("replace_inf_weights")(given, replace_inf_value=7).graph.initializer[0]).ravel().tolist() == [7, -7, 3, 4]
    onnx.save(small_model((np.inf, 2, 3, 4)), tmp_path / "m.onnx")
    assert function("replace_inf_weights")(tmp_path / "m.onnx", tmp_path / "out.onnx") is None
    assert numpy_helper.to_array(onnx.load(tmp_path / "out.onnx").graph.initializer[0]).ravel().tolist() == [10000, 2, 3, 4]
    unique = function("convert_shared_initializer_to_unique")
    assert [node.input[1] for node in unique(small_model()).graph.node] == ["w", "duplicatedw2", "duplicatedw3"]
    assert [node.input[1] for node in unique(small_model(), ["MatMul"]).graph.node] == ["duplicatedw2", "duplicatedw3", "w"]
    assert function("convert_opset_version")(onnx.load(tmp_path / model), 19).opset_import[0].version == 19
    for option in ("--input_output_name_shapes", "--fix_shapes"):
        main = importlib.import_module("preon.tools.fix_shapes").main
        assert main(["--input_model_path", str(tmp_path / "m.onnx"), "--output_model_path", str(tmp_path / "fixed.onnx"), option, "x:[2,2];y:[2,2]"]) in (0, None)
        assert [dim.dim_value for dim in onnx.load(tmp_path / "fixed.onnx").graph.input[0].type.tensor_type.shape.dim] == [2, 2]
    fixed = function("fix_shapes")(tmp_path / "m.onnx", "x:[2, 2]; y:[2,2]")
    assert [dim.dim_value for dim in fixed.graph.input[0].type.tensor_type.shape.dim] == [2, 2]


@pytest.mark.thorough
def test_as_programs(tmp_path):
    absent = program("convert_fp32_to_bf16", "--input", tmp_path / "a", "--output", tmp_path / "b")
    assert absent.returncode == 2 and "[E2001]" in absent.stderr and "Traceback" not in absent.stderr
    assert program("remove_qdq", "--help").returncode == 0
    missing = program("remove_qdq", "--input_model", tmp_path / "none.onnx", "--output_model", tmp_path / "out.onnx")
    assert missing.returncode == 2 and len(missing.stderr.splitlines()) == 1 and not (tmp_path / "out.onnx").exists()


def test_inputs_are_never_written_to(model, tmp_path, capsys):
    before = (tmp_path / model).read_bytes()
    assert tool("convert_opset_version", tmp_path / model, 18, tmp_path / model) == 2
    assert (tmp_path / model).read_bytes() == before and "inputs are never written to" in capsys.readouterr().err


@pytest.mark.parametrize("name, spelled", [("remove_qdq", ("--input_model", "--output_model")), ("convert_quant_to_float", None)])
def test_without_quantizers(quantized, model, tmp_path, name, spelled):
    path, out = quantized(activation="int8", symmetric=True), tmp_path / "float.onnx"
    assert tool(name, *((spelled[0], path, spelled[1], out) if spelled else (path, out))) == 0
    made = onnx.load(out)
    assert {node.op_type for node in made.graph.node} == {node.op_type for node in onnx.load(tmp_path / model).graph.node}
    wanted, got = outputs(onnx.load(tmp_path / model), quantized.feeds)[0], outputs(made, quantized.feeds)[0]
    assert 0 < np.abs(wanted - got).max() < 0.05 * np.abs(wanted).max()   # weights are still rounded


def test_without_pairs_between_operators(quantized, tmp_path, capsys):
    path, out = quantized(option=["RemoveQDQConvRelu=false"], activation="int8", symmetric=True), tmp_path / "out.onnx"
    before = count(onnx.load(path), "QuantizeLinear")
    given = ("remove_qdq_between_ops", "--input_model", path, "--output_model", out, "--between_ops")
    assert tool(*given, "Conv,Relu") == 0
    made = onnx.load(out)
    assert count(made, "QuantizeLinear") == before - 1
    relu = next(node for node in made.graph.node if node.op_type == "Relu")
    assert [node.op_type for node in made.graph.node if relu.input[0] in node.output] == ["Conv"]
    assert tool(*given, "Conv") == 2 and "wanted 'UPPER,LOWER" in capsys.readouterr().err
    assert tool("remove_qdq_mul_add", "--input_model", path, "--output_model", out) == 0
    assert count(onnx.load(out), "QuantizeLinear") == before   # there is none


def test_pairs_that_are_not_there(quantized, tmp_path, capsys):
    path, out = quantized(activation="int8", symmetric=True), tmp_path / "out.onnx"
    given = ("remove_qdq_between_ops", "--input_model", path, "--output_model", out, "--between_ops")
    for text in ('[("Relu","Conv")]', "Conv,", "Conv,Relu;Mul Add,Add", "3,Conv", ""):
        assert tool(*given, text) == 2 and not out.exists()
        assert f"got '{text}', wanted 'UPPER,LOWER;UPPER,LOWER' with operator types" in capsys.readouterr().err
    assert tool(*given, "Mul,Add;Sub,Div") == 0
    assert capsys.readouterr().err == "preon: warning: no Q/DQ pair between Mul and Add or Sub and Div: nothing was removed\n"
    assert tool("remove_qdq_mul_add", "--input_model", path, "--output_model", out) == 0
    assert "no Q/DQ pair between Mul and Add: nothing was removed" in capsys.readouterr().err
    assert onnx.load(out) == onnx.load(path)


def test_integer_operators(quantized, tmp_path):
    path, out = quantized(activation="uint8", target="ort-cpu", latency=0, always_write=True), tmp_path / "out.onnx"
    assert tool("convert_qdq_to_qop", "--input_model", path, "--output_model", out) == 0
    made = onnx.load(out)
    assert count(made, "QLinearConv") == 1 and count(made, "Conv") == 0
    wanted, got = outputs(onnx.load(path), quantized.feeds)[0], outputs(made, quantized.feeds)[0]
    assert np.abs(wanted - got).max() < 0.02 * np.abs(wanted).max()   # the runtime rounds sums in another place


def test_float16_becomes_float32(model, samples, tmp_path):
    half = onnx.load(tmp_path / model)
    for constant in half.graph.initializer:
        constant.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(constant).astype(np.float16), constant.name))
    for value in (*half.graph.input, *half.graph.output):
        value.type.tensor_type.elem_type = TensorProto.FLOAT16
    onnx.save(half, tmp_path / "half.onnx")
    assert tool("convert_fp16_to_fp32", "--input", tmp_path / "half.onnx", "--output", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    assert {constant.data_type for constant in made.graph.initializer} == {TensorProto.FLOAT} and count(made, "Cast") == 2
    got = outputs(made, {"input": samples[0]["input"].astype(np.float16)})[0]
    np.testing.assert_allclose(got, outputs(onnx.load(tmp_path / model), samples[0])[0], rtol=0.02, atol=0.02)


def test_without_zero_points(quantized, tmp_path):
    """A DequantizeLinear needs none where it is 0."""
    path, out = quantized(activation="int8", symmetric=True), tmp_path / "out.onnx"
    made = onnx.load(path)
    for node in made.graph.node:
        if node.op_type == "DequantizeLinear":
            del node.input[2:]
    onnx.save(made, tmp_path / "without.onnx")
    assert tool("convert_s8s8_to_u8s8", tmp_path / "without.onnx", out) == 0
    np.testing.assert_array_equal(outputs(onnx.load(path), quantized.feeds)[0], outputs(onnx.load(out), quantized.feeds)[0])


@pytest.mark.parametrize("name, before, after", [("convert_s8s8_to_u8s8", "int8", TensorProto.UINT8), ("convert_u16s8_to_s16s8", "uint16", TensorProto.INT16)])
def test_codes_with_an_offset(quantized, tmp_path, capsys, name, before, after):
    path, out = quantized(activation=before, weight="int8", opset=21, option=["UseQDQContribOps=false"]), tmp_path / "out.onnx"
    assert tool(name, path, out) == 0
    types = {t.name: t.data_type for t in onnx.load(out).graph.initializer}
    made = onnx.load(out)
    activations = [node for node in made.graph.node if node.op_type == "QuantizeLinear"]
    assert activations and all(types[node.input[2]] == after for node in activations)
    for wanted, got in zip(outputs(onnx.load(path), quantized.feeds), outputs(made, quantized.feeds)):
        np.testing.assert_array_equal(wanted, got)
    assert tool(name, out, tmp_path / "again.onnx") == 2 and "no activation" in capsys.readouterr().err


def test_images_with_channels_last(model, tmp_path, samples, capsys):
    given = onnx.load(tmp_path / model)
    given.graph.output.append(helper.make_tensor_value_info("r1", TensorProto.FLOAT, ["N", 8, 8, 8]))   # inside, and an image
    onnx.save(given, tmp_path / "two.onnx")
    assert tool("convert_nchw_to_nhwc", tmp_path / "two.onnx", tmp_path / "out.onnx") == 0
    assert tool("convert_nchw_to_nhwc", "--input", tmp_path / "two.onnx", "--output", tmp_path / "same.onnx") == 0
    assert (tmp_path / "same.onnx").read_bytes() == (tmp_path / "out.onnx").read_bytes()
    made = onnx.load(tmp_path / "out.onnx")
    assert [dim.dim_value for dim in made.graph.input[0].type.tensor_type.shape.dim] == [0, 8, 8, 3]
    wanted, got = outputs(given, samples[0]), outputs(made, {"input": samples[0]["input"].transpose(0, 2, 3, 1)})
    np.testing.assert_array_equal(wanted[0], got[0])
    np.testing.assert_array_equal(wanted[1].transpose(0, 2, 3, 1), got[1])
    onnx.save(small_model(), tmp_path / "m.onnx")
    assert tool("convert_nchw_to_nhwc", tmp_path / "m.onnx", tmp_path / "none.onnx") == 2 and "[N, C, H, W]" in capsys.readouterr().err


def test_opset(model, tmp_path):
    assert tool("convert_opset_version", tmp_path / model, 19, tmp_path / "out.onnx") == 0
    assert onnx.load(tmp_path / "out.onnx").opset_import[0].version == 19


def test_text_and_back(model, tmp_path):
    assert tool("convert_onnx_to_onnxtxt", "--input_model", tmp_path / model, "--output_model", tmp_path / "m.onnxtxt") == 0
    assert "op_type: \"Conv\"" in (tmp_path / "m.onnxtxt").read_text()
    assert tool("convert_onnxtxt_to_onnx", "--input_model", tmp_path / "m.onnxtxt", "--output_model", tmp_path / "back.onnx") == 0
    assert onnx.load(tmp_path / "back.onnx") == onnx.load(tmp_path / model)


def test_constants_as_inputs(tmp_path):
    given = small_model()
    given.ir_version = 3
    given.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [2, 2]))
    onnx.save(given, tmp_path / "old.onnx")
    assert tool("remove_initializer_from_input", "--input", tmp_path / "old.onnx", "--output", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    assert [each.name for each in made.graph.input] == ["x"] and made.ir_version == 4


def small_model(values=(1, 2, 3, 4)):
    """x [N,2] -> MatMul w, MatMul w, Add w."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["a"], name="first"), helper.make_node("MatMul", ["a", "w"], ["b"], name="second"),
             helper.make_node("Add", ["b", "w"], ["y"], name="sum")]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 2])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 2])],
                              [numpy_helper.from_array(np.array(values, np.float32).reshape(2, 2), "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_a_constant_for_each_reader(tmp_path):
    onnx.save(small_model(), tmp_path / "m.onnx")
    given = ("convert_shared_initializer_to_unique", "--input", tmp_path / "m.onnx", "--output", tmp_path / "out.onnx")
    assert tool(*given) == 0
    assert [node.input[1] for node in onnx.load(tmp_path / "out.onnx").graph.node] == ["w", "duplicatedw2", "duplicatedw3"]
    assert tool(*given, "--op_types", "MatMul") == 0
    assert [node.input[1] for node in onnx.load(tmp_path / "out.onnx").graph.node] == ["duplicatedw2", "duplicatedw3", "w"]


def test_infinite_constants(tmp_path):
    onnx.save(small_model((np.inf, -np.inf, 3, 4)), tmp_path / "m.onnx")
    given = ("replace_inf_weights", "--input_model", tmp_path / "m.onnx", "--output_model", tmp_path / "out.onnx")
    for more, value in [((), 10000), (("--replace_inf_value", 7), 7)]:
        assert tool(*given, *more) == 0
        assert numpy_helper.to_array(onnx.load(tmp_path / "out.onnx").graph.initializer[0]).ravel().tolist() == [value, -value, 3, 4]


def test_fixed_shapes(tmp_path, capsys):
    onnx.save(small_model(), tmp_path / "m.onnx")
    given = ("fix_shapes", "--input_model_path", tmp_path / "m.onnx", "--output_model_path", tmp_path / "out.onnx", "--input_output_name_shapes")
    assert tool(*given, "x:[2, 2]; y:[2,2]") == 0
    made = onnx.load(tmp_path / "out.onnx")
    shapes = {each.name: [dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in [*made.graph.input, *made.graph.value_info, *made.graph.output]}
    assert shapes == {"x": [2, 2], "a": [2, 2], "b": [2, 2], "y": [2, 2]}
    assert tool(*given, "z:[5]") == 2 and tool(*given, "x:5") == 2 and tool(*given, "x:[5]") == 2
    assert "E1006" in capsys.readouterr().err
    assert tool(*given, "x:[5,2]") == 3 and "the runtime can't load the result" in capsys.readouterr().err   # [5,2] + [2,2]


def test_biases_of_16_bits(quantized, tmp_path):
    path, out = quantized(), tmp_path / "out.onnx"
    assert tool("convert_bias_int32_to_int16", "--input_model_path", path, "--output_model_path", out) == 0
    made = onnx.load(out)
    types = {t.name: t.data_type for t in made.graph.initializer}
    assert types["b1_quantized"] == types["b1_quantized_zero_point"] == TensorProto.INT16 and made.opset_import[0].version >= 21


def test_bits_of_nodes(quantized, capsys):
    assert tool("print_a16w8_a8w8_nodes", quantized(activation="int16", weight="int8")) == 0
    assert capsys.readouterr().out.split() == ["A16W8:", "2", "conv_1", "gemm_1"]


def test_quantizers_of_the_standard(quantized, tmp_path):
    path, out = quantized(activation="int16", weight="int8", option=["UseQDQContribOps=true"]), tmp_path / "out.onnx"
    assert {node.domain for node in onnx.load(path).graph.node if "Quantize" in node.op_type} == {"com.microsoft"}
    assert tool("convert_customqdq_to_qdq", "--input_model", path, "--output_model", out) == 0
    made = onnx.load(out)
    assert {node.domain for node in made.graph.node if "Quantize" in node.op_type} == {""}
    np.testing.assert_array_equal(outputs(onnx.load(path), quantized.feeds)[0], outputs(made, quantized.feeds)[0])


def test_quantizers_of_int32_stay(quantized, tmp_path):
    """The standard has no QuantizeLinear to int32, and no DequantizeLinear of it with a zero point."""
    path, out = quantized(activation="int32", weight="int8"), tmp_path / "out.onnx"
    assert tool("convert_customqdq_to_qdq", "--input_model", path, "--output_model", out) == 0
    domains = {node.name: node.domain for node in onnx.load(out).graph.node}
    assert domains["input_QuantizeLinear"] == domains["input_DequantizeLinear"] == "com.amd.quark" and domains["w1_DequantizeLinear"] == ""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.register_custom_ops_library(preon_package.get_library_path())
    wanted, got = (runtime.InferenceSession(str(each), options, providers=["CPUExecutionProvider"]).run(None, quantized.feeds)[0] for each in (path, out))
    np.testing.assert_array_equal(wanted, got)


@pytest.mark.parametrize("zero", [0, 5])
def test_biases_of_int32(tmp_path, zero):
    nodes = [helper.make_node("ExtendedDequantizeLinear", ["b", "s", "z"], ["bias"], domain="com.amd.quark"), helper.make_node("Add", ["x", "bias"], ["y"])]
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [3]) for name in ("x", "y")]
    constants = {"b": np.array([1, 2, 3], np.int32), "s": np.float32(0.5), "z": np.int32(zero)}
    graph = helper.make_graph(nodes, "g", values[:1], values[1:], [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.amd.quark", 1)]), tmp_path / "m.onnx")
    assert tool("convert_customqdq_to_qdq", "--input_model", tmp_path / "m.onnx", "--output_model", tmp_path / "out.onnx") == 0
    assert onnx.load(tmp_path / "out.onnx").graph.node[0].domain == ("com.amd.quark" if zero else "")


def test_folders_of_outputs(tmp_path, capsys):
    for folder, values in [("a", [3.0, 4.0]), ("b", [3.0, 4.5])]:
        (tmp_path / folder).mkdir()
        np.save(tmp_path / folder / "y.npy", np.array(values))
    assert tool("evaluate", tmp_path / "a", tmp_path / "b") == 0
    assert capsys.readouterr().out == "y.npy: L2 0.5, cosine 0.99846, PSNR 21.07 dB\n"
    (tmp_path / "b/y.npy").unlink()
    assert tool("evaluate", tmp_path / "a", tmp_path / "b") == 2


@pytest.mark.thorough
def test_random_quantize(model, tmp_path):
    done = program("random_quantize", "--input_model_path", tmp_path / model, "--quantized_model_path", tmp_path / "out.onnx", "--exclude_nodes", "gemm_1")
    assert done.returncode == 0, done.stderr
    made = onnx.load(tmp_path / "out.onnx")
    gemm = next(node for node in made.graph.node if node.name == "gemm_1")
    assert count(made, "QuantizeLinear") > 0 and gemm.input[1] == "w2"
