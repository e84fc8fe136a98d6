"""AMD Quark's lists of passes, by name and by file."""
import json
import warnings

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import data_root
from key_runs import QUARK, SAMPLES, WIDE, Written, key, run, workplace  # noqa: F401: fixtures


def as_keys(run, *settings):
    return run(*QUARK, *[word for setting in settings for word in key(setting)])[0]


def listed(run, workplace, text, option="ShapeShifterYaml", before=QUARK):
    (workplace / "passes.yaml").write_text(text)
    return run(*before, *key(f"{option}=passes.yaml"))[0]


NAMED_OFF = ["ConvertBNToConv=false", "ConvertReduceMeanToGlobalAvgPool=false", "ConvertSplitToSlice=false", "SplitLargeKernelPool=false"]


@pytest.mark.thorough
@pytest.mark.parametrize("option", ["ShapeShifterYaml", "PreprocessYAML"])
def test_by_name(run, option):
    general = as_keys(run, "ConvertOpsetVersion=21", "FuseInstanceNorm=true", "FuseL2Norm=true", *NAMED_OFF)
    for name in ("a8w8", "A16W8", "bf16", "bfp16"):
        assert run(*QUARK, *key(f"{option}={name}"))[0] == general
    assert run(*WIDE, *key(f"{option}=xint8"))[0] == run(*WIDE, *key("ConvertOpsetVersion=21"))[0]   # the four conversions are on there


def test_what_a_file_does_not_name_is_off(run, workplace):
    off = ["SimplifyModel=false", "OptimizeModel=false", "FoldBatchNorm=false", "FuseGelu=false", "FuseLayerNorm=false", "FuseInstanceNorm=false",
           "FuseL2Norm=false", "RemoveInputInit=false", *NAMED_OFF]
    assert listed(run, workplace, "passes:\n  onnx_convert_opset_version: {target_opset_version: 22}\n") == as_keys(run, "ConvertOpsetVersion=22", *off)


def test_passes_with_parameters(run, workplace):
    text = """
input_model_path: in.onnx
preprocess_passes:
  onnx_fix_shapes: {input_output_name_shapes: {x: [1, 4, 8, 8]}}
  onnx_copy_bias_init: {shared_bias_op_types: [Conv]}
  onnx_simplify: {simplify: true, simplify_Options: {skip_fusion_patterns: [FusionPadConv]}}
postprocess_passes:
  onnx_remove_qdq_between_op_types: {remove_qdq_between_op_types: [[Mul, Add]]}
"""
    made = Written(listed(run, workplace, text))
    assert "mul" not in made.pairs and "add" in made.pairs and len(made.graph.value_info) > 10


@pytest.mark.parametrize("text, number, says", [
    ("passes: {onnx_fuse_gellu: {}}", 1001, "onnx_fuse_gellu: unknown pass; did you mean 'onnx_fuse_gelu'"),
    ("passes: {onnx_remove_bfloat16_cast: {remove_bfloat16_cast: 1}}", 1005, "remove_bfloat16_cast: got 1, wanted true or false"),
    ("passes: {onnx_fuse_gelu: {fuse_gelu: maybe}}", 1005, "fuse_gelu: got \"maybe\", wanted true or false"),
    ("passes: {onnx_align_scale: {align_scale: Softmax}}", 1005, "align_scale: got Softmax, wanted Concat"),
    ("passes: {onnx_fuse_gelu: {fuse: true}}", 1001, "unknown parameter 'fuse'; wanted fuse_gelu"),
    ("passes: {onnx_copy_shared_init: {}}", 1005, "wanted its parameter shared_init_op_types"),
    ("passes: [onnx_fuse_gelu]", 1005, "passes: wanted a mapping"),
    ("pases: {}", 1005, "unknown key 'pases'"),
    ("passes: {}\npreprocessed_model_path: p.onnx", 1007, "does not write the float model"),
])
def test_files_that_can_not_be_used(preon, workplace, text, number, says):
    preon.folder = workplace
    (workplace / "passes.yaml").write_text(text)
    preon.fails(2, number, "quantize", "mixed.onnx", "-o", "no.onnx", "--data", "calib.npz", *QUARK, *key("ShapeShifterYaml=passes.yaml"), says=says)


def test_names_that_are_none(preon, workplace):
    preon.folder = workplace
    command = ["quantize", "mixed.onnx", "-o", "no.onnx", "--data", "calib.npz", *QUARK]
    preon.fails(2, 1002, *command, *key("PreprocessYAML=a4w4"), says="wanted a .yaml or .json file, or a8w8")
    preon.fails(2, 1008, *command, *key("PreprocessYAML=none.yaml"), says="none.yaml")
    preon.fails(2, 1001, *command, *key("SimplifyModelOptions={\"skip\": []}"), says="this version has skip_fusion_patterns")


def test_patterns_of_the_simplifier(run):
    options = json.dumps({"skip_fusion_patterns": ["FusionPadConv", "EliminationSlice"]})
    content, result = run(*QUARK, *key(f"SimplifyModelOptions={options}"))
    assert content == run(*QUARK, "--disable-pass", "fold_pad")[0]
    assert [each for each in result["warnings"] if "'EliminationSlice' has no effect" in each]


NET = {"passes": {"onnx_set_node_attributes": {"node_attribute_updates": [{"node_name": "n_concat", "attributes": {"axis": -3}}]}, "onnx_fuse_gelu": {},
                  "onnx_convert_split_to_slice": {"convert_split_to_slice": False}}}


def rewritten(preon, workplace, *words):
    preon.folder = workplace
    done = preon("passes", "mixed.onnx", "-o", "rewritten.onnx", *words, "--json")
    assert done.returncode == 0, done.stderr
    return onnx.load(workplace / "rewritten.onnx"), json.loads(done.stdout)


@pytest.mark.parametrize("form", ["yaml", "json", "text"])
def test_a_list_of_the_verb(preon, workplace, form):
    text = json.dumps(NET)
    (workplace / f"list.{form}").write_text(text)
    model, told = rewritten(preon, workplace, "--list", text if form == "text" else f"list.{form}")
    concat = next(node for node in model.graph.node if node.name == "n_concat")
    assert concat.attribute[0].i == -3
    assert [(each["name"], each["changed"]) for each in told["passes"]] == [
        ("onnx_set_node_attributes", True), ("onnx_fuse_gelu", False), ("onnx_convert_split_to_slice", False)]


def test_a_list_of_its_names(preon, workplace):
    model, told = rewritten(preon, workplace, "--list", "XINT8")
    assert model.opset_import[0].version == 21 and len(told["passes"]) == 14
    assert told["passes"][0] == {"name": "onnx_convert_opset_version", "changed": model.opset_import[0].version != onnx.load(workplace / "mixed.onnx").opset_import[0].version}


def test_passes_over_a_quantized_model(preon, workplace, run):
    """What XINT8 does in one go, pass by pass, on a model without limits and simulation."""
    preon.folder = workplace
    done = preon("quantize", "mixed.onnx", "-o", "xint8.onnx", "--data", "calib.npz", "--config", "XINT8", "--latency", "0", "--effort", "fast",
                 *key("NPULimitationCheck=false"), *key("SimulateDPU=false"))
    assert done.returncode == 0, done.stderr
    done = preon("passes", "xint8.onnx", "-o", "dpu.onnx", "--list", json.dumps({"passes": {"onnx_xint8_simulate": {}, "onnx_xint8_adjust": {}}}), "--json")
    assert done.returncode == 0, done.stderr
    leaky = next(node for node in onnx.load(workplace / "dpu.onnx").graph.node if node.op_type == "LeakyRelu")
    assert (leaky.attribute[0].f * 256).is_integer()
    assert {each["name"]: each["changed"] for each in json.loads(done.stdout)["passes"]} == {"onnx_xint8_simulate": True, "onnx_xint8_adjust": True}


@pytest.mark.parametrize("given, number, says", [
    ({"passes": {"onnx_set_node_attributes": {"node_attribute_updates": [{"node_name": "n_leeky", "attributes": {"alpha": 0.5}}]}}}, 1006, "no node 'n_leeky'; did you mean 'n_leaky'"),
    ({"passes": {"onnx_set_node_attributes": {"node_attribute_updates": [{"node_name": "n_concat", "attributes": {"axis": 0.5}}]}}}, 1002,
     "attribute axis: got a number with a decimal point, wanted a whole number"),
    ({"passes": {"onnx_xint8_ajust": {}}}, 1001, "onnx_xint8_ajust: unknown pass; did you mean 'onnx_xint8_adjust'"),
])
def test_lists_that_can_not_be_run(preon, workplace, given, number, says):
    preon.folder = workplace
    preon.fails(2, number, "passes", "mixed.onnx", "-o", "no.onnx", "--list", json.dumps(given), says=says)
    assert not (workplace / "no.onnx").exists()


def test_images_of_a_quantized_model(preon, workplace, run):
    """The sizes of inner tensors are known there, and are checked against those in front of the Transpose."""
    onnxruntime = pytest.importorskip("onnxruntime")
    run(*QUARK)
    preon.folder = workplace
    done = preon("passes", "out.onnx", "-o", "nhwc.onnx", "--list", json.dumps({"passes": {"onnx_convert_nchw_to_nhwc": {"convert_nchw_to_nhwc": True}}}))
    assert done.returncode == 0, done.stderr
    nchw, nhwc = ([session.run(None, {"x": images})[0] for images in made] for session, made in (
        (onnxruntime.InferenceSession(workplace / "out.onnx"), SAMPLES[:, None]), (onnxruntime.InferenceSession(workplace / "nhwc.onnx"), SAMPLES[:, None].transpose(0, 1, 3, 4, 2))))
    np.testing.assert_array_equal(nchw, nhwc)


def one_pass(name, **parameters):
    return json.dumps({"passes": {f"onnx_{name}": parameters}})


def both_ways(preon, workplace, text):
    """The list by the verb, and before a quantization: what is written and told."""
    preon.folder = workplace
    (workplace / "passes.json").write_text(text)
    (workplace / "passes.yaml").write_text(text)   # JSON is YAML
    return [preon("passes", "mixed.onnx", "-o", "out.onnx", "--list", "passes.json", "--json"),
            preon("quantize", "mixed.onnx", "-o", "out.onnx", "--data", "calib.npz", *QUARK, *key("PreprocessYAML=passes.yaml"),
                  "--json")]


@pytest.mark.parametrize("text, says", [
    (one_pass("simplify", simplify_Options={"skip_fusion_pattern": []}),
     "unknown entry 'skip_fusion_pattern'; this version has skip_fusion_patterns; did you mean 'skip_fusion_patterns'"),
    (one_pass("simplify", simplify_Options={"skip_fusion_patterns": "FusionGelu"}),
     "skip_fusion_patterns: got '\"FusionGelu\"', wanted a list of names"),
    (one_pass("convert_opset_version", target_opset_version=-3), "target_opset_version: got -3, wanted 7 to "),
    (one_pass("convert_opset_version", target_opset_version=99), "target_opset_version: got 99, wanted 7 to "),
    (one_pass("cross_layer_equalization", nodes_to_quantize=["n_c11"]), "cle: nodes: the model has no node 'n_c11'; did you mean 'n_c1'"),
    (one_pass("cross_layer_equalization", nodes_to_exclude=["n_lucky"]),
     "cle: exclude: the model has no node 'n_lucky'; did you mean 'n_leaky'"),
    (one_pass("cross_layer_equalization", cle_balance_method="min"), "cle: balance: got 'min', wanted one of max"),
    (one_pass("convert_nchw_to_nhwc", convert_nchw_to_nhwc=[]),
     "convert_nchw_to_nhwc: got [], wanted true, false or names of inputs and outputs"),
    (one_pass("convert_nchw_to_nhwc", convert_nchw_to_nhwc=["xx"]), "'xx' is not an input or output of the model; did you mean 'x'"),
    (one_pass("remove_qdq_between_op_types", remove_qdq_between_op_types=["Mul", "Add"]),
     "got \"Mul\", wanted two operator types, for example [Mul, Add]"),
    (one_pass("convert_fp16_to_fp32", subgraphs_to_include=["n_c1"]), "subgraphs_to_include: got \"n_c1\", wanted [[FIRST NODES], [LAST NODES]]"),
    (one_pass("convert_fp16_to_fp32", subgraphs_to_include=[[["n_c11"], []]]),
     "subgraphs_to_include: the model has no node 'n_c11'; did you mean 'n_c1'"),
])
def test_what_a_list_can_not_mean(preon, workplace, text, says):
    for done in both_ways(preon, workplace, text):
        assert done.returncode == 2 and says in done.stderr, done.stderr


@pytest.mark.parametrize("text, says", [
    (one_pass("simplify", simplify_Options={"skip_fusion_patterns": ["FusionGel"]}),
     "SimplifyModelOptions: 'FusionGel' has no effect: preon has no such pass; did you mean 'FusionGelu'?"),
    (one_pass("copy_shared_init", shared_init_op_types=["Convv"]),
     "CopySharedInit: 'Convv' has no effect: neither the model nor ONNX has such an operator; did you mean 'Conv'?"),
    (one_pass("copy_bias_init", shared_bias_op_types=["Gem"]),
     "CopyBiasInit: 'Gem' has no effect: neither the model nor ONNX has such an operator; did you mean 'Gemm'?"),
    (one_pass("cross_layer_equalization", op_types_to_quantize=["Convv"]),
     "cle: op-types: 'Convv' has no effect: neither the model nor ONNX has such an operator; did you mean 'Conv'?"),
    (one_pass("convert_fp16_to_fp32", subgraphs_to_include=[[["n_c1"], []]]),
     "subgraphs_to_include: has no effect: nothing in these parts is float16"),
    (json.dumps({"passes": {}}), "the list of passes is empty: no pass runs"),
])
def test_what_of_a_list_has_no_effect(preon, workplace, text, says):
    for done in both_ways(preon, workplace, text):
        assert done.returncode == 0, done.stderr
        assert [each for each in json.loads(done.stdout)["warnings"] if "has no effect" in each or "is empty" in each] == [says]


@pytest.mark.parametrize("unlike", [{"nodes_to_exclude": ["n_c4"]}, {"nodes_to_quantize": ["n_c3"]}, {"op_types_to_quantize": ["Gemm"]}])
def test_layers_that_are_not_equalized(run, preon, workplace, unlike):
    """n_c3 and n_c4 are the only pair; --per-tensor, as weights have a scale per channel otherwise."""
    tensor = [*QUARK, "--per-tensor"]

    def quantized(**parameters):
        return listed(run, workplace, one_pass("cross_layer_equalization", **parameters), before=tensor)

    assert quantized(**unlike) == quantized(cross_layer_equalization=False) != quantized()
    assert rewritten(preon, workplace, "--list", one_pass("cross_layer_equalization", **unlike))[1]["passes"] == [
        {"name": "onnx_cross_layer_equalization", "changed": False}]


@pytest.mark.parametrize("target", ["quark", "npu-cnn"])
def test_an_image_that_becomes_nhwc(preon, tmp_path, target):
    """One of two, in a run of quantize as by the verb."""
    onnxruntime = pytest.importorskip("onnxruntime")
    rng = np.random.default_rng(7)
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="n_c"), helper.make_node("Relu", ["c"], ["y"], name="n_y")]
    graph = helper.make_graph(nodes, "images",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 5, 8, 8])],
                              [numpy_helper.from_array(rng.normal(size=(5, 3, 1, 1)).astype(np.float32), "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "images.onnx")
    images = rng.normal(size=(4, 3, 8, 8)).astype(np.float32)
    np.savez(tmp_path / "images.npz", x=images)
    preon.folder = tmp_path
    made = []
    for names in (False, ["x"], ["y"], True):
        (tmp_path / "passes.yaml").write_text(one_pass("convert_nchw_to_nhwc", convert_nchw_to_nhwc=names))
        done = preon("quantize", "images.onnx", "-o", "out.onnx", "--data", "images.npz", "--target", target, "--always-write",
                     *key("PreprocessYAML=passes.yaml"))
        assert done.returncode == 0, done.stderr
        session = onnxruntime.InferenceSession(tmp_path / "out.onnx")
        nhwc = names is True or "x" in (names or []), names is True or "y" in (names or [])
        x = images[:1].transpose(0, 2, 3, 1) if nhwc[0] else images[:1]
        y = session.run(None, {"x": x})[0]
        made.append(y.transpose(0, 3, 1, 2) if nhwc[1] else y)
        assert y.shape == ((1, 8, 8, 5) if nhwc[1] else (1, 5, 8, 8))
    for other in made[1:]:
        np.testing.assert_array_equal(made[0], other)


def test_parts_in_float32_or_the_whole_model(preon, tmp_path):
    (tmp_path / "passes.yaml").write_text(one_pass("convert_fp16_to_fp32", subgraphs_to_include=[[["conv_c"], ["relu"]]]))
    preon.folder = tmp_path
    done = preon("quantize", data_root.QUARK / "shapeshifter/models/ps_fp16.onnx", "-o", "out.onnx", "--data", "random:2",
                 *QUARK, *key("PreprocessYAML=passes.yaml"), "--float16", "convert")
    assert done.returncode == 2
    assert "--float16: only 'off' goes with subgraphs_to_include" in done.stderr and not (tmp_path / "out.onnx").exists()


def test_parts_of_a_float16_model(preon, tmp_path):
    """What lies between conv_c and relu has codes, all else stays float16."""
    onnxruntime = pytest.importorskip("onnxruntime")
    model = onnx.load(data_root.QUARK / "shapeshifter/models/ps_fp16.onnx")
    onnx.save(model, tmp_path / "half.onnx")
    images = np.random.default_rng(2).normal(size=(8, 4, 6, 6)).astype(np.float16)
    np.savez(tmp_path / "half.npz", x=images)
    (tmp_path / "passes.yaml").write_text(one_pass("convert_fp16_to_fp32", subgraphs_to_include=[[["conv_c"], ["relu"]]]))
    preon.folder = tmp_path
    done = preon("quantize", "half.onnx", "-o", "out.onnx", "--data", "half.npz", *QUARK, "--always-write",
                 *key("PreprocessYAML=passes.yaml"), "--json")
    assert done.returncode == 0, done.stderr
    assert {"conv_c", "relu", "conv_y"} & {each["node"] for each in json.loads(done.stdout)["placement"]["float"]} == {"conv_y"}
    written = onnx.load(tmp_path / "out.onnx")
    types = {each.name: each.data_type for each in written.graph.initializer}
    assert types["w2"] == TensorProto.FLOAT16 and types["w_quantized"] in (TensorProto.INT8, TensorProto.UINT8)
    assert {node.name for node in written.graph.node} >= {"_subgraph_entry_cast_0", "_subgraph_exit_cast_1"}
    wanted, got = (onnxruntime.InferenceSession(tmp_path / name).run(None, {"x": images[:1]})[0] for name in ("half.onnx", "out.onnx"))
    error = np.square(wanted.astype(float) - got).sum()
    assert got.dtype == np.float16 and 10 * np.log10(np.square(wanted, dtype=float).sum() / error) > 25


@pytest.mark.parametrize("name", ["PreprocessYAML", "ShapeShifterYaml"])
def test_a_list_wins_over_skip_preprocess(package, model, samples, reader, tmp_path, name):
    def result_of(**keys):
        types = package.QLayerConfig(input_tensors=package.UInt8Spec(), weight=package.Int8Spec())
        quantizer = package.ModelQuantizer(package.QConfig(types, extra_options={name: "xint8", **keys}))
        quantizer.quantize_model(tmp_path / model, None, reader(samples))
        return quantizer.result

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone, both = result_of(), result_of(SkipPreprocess=True)
    assert alone.model.graph == both.model.graph
    assert f"SkipPreprocess: has no effect with {name}" in both.warnings and not any("SkipPreprocess" in each for each in alone.warnings)
