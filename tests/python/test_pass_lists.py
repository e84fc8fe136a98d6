"""AMD Quark's lists of passes, by name and by file."""
import json

import pytest

from key_runs import QUARK, WIDE, Written, key, run, workplace  # noqa: F401: fixtures


def as_keys(run, *settings):
    return run(*QUARK, *[word for setting in settings for word in key(setting)])[0]


def listed(run, workplace, text, option="ShapeShifterYaml", before=QUARK):
    (workplace / "passes.yaml").write_text(text)
    return run(*before, *key(f"{option}=passes.yaml"))[0]


NAMED_OFF = ["ConvertBNToConv=false", "ConvertReduceMeanToGlobalAvgPool=false", "ConvertSplitToSlice=false", "SplitLargeKernelPool=false"]


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
    ("passes: {onnx_xint8_adjust: {}}", 1007, "onnx_xint8_adjust: this version does not have this pass"),
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
    preon.fails(2, 1002, *command, *key("PreprocessYAML=a4w4"), says="wanted a .yaml file, or a8w8")
    preon.fails(1, 7001, *command, *key("PreprocessYAML=none.yaml"), says="none.yaml")
    preon.fails(2, 1001, *command, *key("SimplifyModelOptions={\"skip\": []}"), says="this version has skip_fusion_patterns")


def test_patterns_of_the_simplifier(run):
    options = json.dumps({"skip_fusion_patterns": ["FusionPadConv", "EliminationSlice"]})
    content, result = run(*QUARK, *key(f"SimplifyModelOptions={options}"))
    assert content == run(*QUARK, "--disable-pass", "fold_pad")[0]
    assert [each for each in result["warnings"] if "'EliminationSlice' has no effect" in each]
