"""Stored runs of Quark's single passes (testdata/quark/shapeshifter), replayed through preon.passes with the same list. What is different is
listed here, with the reason."""
import json
import lzma
import pathlib
from fnmatch import fnmatch

import data_root
import golden_errors
import golden_graphs
import graph_goldens
import numpy as np
import onnx
import pytest

preon = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")

FOLDER = data_root.QUARK / "shapeshifter"
STORED = json.loads(lzma.decompress((FOLDER / "passes.json.xz").read_bytes()))
SAMPLES = np.load(FOLDER / "inputs.npz")
EQUAL_DB = 100  # outputs that differ by the rounding of float32
# Errors that are defects: ours has to have a result with the outputs of the model before, and says what it leaves as it is.
FAILS_THERE = {
    "conv_clip_const_nodes#shapes/convert_clip_to_relu": "",   # bounds from Constant nodes
    "conv_relu_conv@21/convert_opset_version;down13": "the model already has opset 21 and keeps it",
    "split_equal/convert_opset_version;13": "the model already has opset 17 and keeps it",
}
# Results whose outputs are wrong by a defect: ours has to have those of the model before.
WRONG_THERE = "conv_clip6*/convert_clip_to_relu q_*pc/constrain_per_channel_weight_scale*"
# (passes, models, what differs, why): patterns of the shell, and a regular expression for each single difference; any other fails.
_SHAPES = "shapes are inferred, of what reads the input too; equal parts are known from them"
_MEANT = "what can't be meant is an error; there nothing happens"
_FUSED = "folding alone: what the runtime and its simplifier fuse has passes of its own here"
_ROUNDED = "codes are rounded, there cut off, and are constants of other names"
_NHWC = "the output of a model becomes NHWC too, and codes are transposed in place of floats"
_GELU = "Gelu of the standard from opset 20 on, below com.microsoft's; there the other way round and nothing"
DELIBERATE = [
    ("convert_bn_to_conv", "bn_alone bn_alone#shapes bn_inner conv_bn_relu convt_bn", r"structure: (operators BatchNormalization(\{'epsilon': '[\d.]+'\})?: 1→0; "
     r"Conv\{'group': '[34]', 'kernel_shape': '\(1, 1\)'\}: 0→1$|place \('[ny]', [34]\) only in golden$)", _SHAPES),
    ("split_large_kernel_pool", "gap_large#shapes gap_large_inner",
     r"structure: (operators AveragePool\{'kernel_shape': '\(4, 4\)', 'strides': '\(4, 4\)'\}: 0→1$|place \('[rx]_Split', 0\) only ours$)", _SHAPES),
    ("convert_split_to_slice", "split_equal split_equal#shapes", r"structure: (operators Slice: 0→2; Split\{'axis': '1'\}: 1→0$|place \('s[12]', [0-4]\) only ours$)", _SHAPES),
    ("fold_batch_norm", "conv_bn_relu", r"structure: (operators BatchNormalization\{'epsilon': '[\d.]+'\}: 1→0$|place \('(c', [01]|n', [34])\) only in golden$)", "into a convolution, too"),
    ("convert_clip_to_relu", "conv_clip6 conv_clip6_attr", r"structure: (operators Clip(\{'max': '6.0', 'min': '0.0'\})?: 0→1; Relu: 1→0$|place \('k', [12]\) only ours$)",
     "a Clip of a float model stays: Relu alone would lose the upper bound"),
    ("simplify;extra_parameter", "conv_relu", r"error: \[E1001\] onnx_simplify: unknown parameter 'extra'", _MEANT),
    ("simplify;wrong_type", "conv_relu", r"error: \[E1005\] onnx_simplify: simplify: got \"maybe\"", _MEANT),
    ("set_node_attributes;mismatches", "ps_attrs", r"error: \[E1005\] onnx_set_node_attributes: .*attribute perm: got \[0,2.5,3,1\]", _MEANT),
    ("align_scale;Softmax", "q_concat", r"error: \[E1005\] onnx_align_scale: align_scale: got Softmax", _MEANT),
    ("remove_qdq_between_op_types;malformed", "q_res", r"error: \[E1005\] onnx_remove_qdq_between_op_types: .*got \[\"Conv\"\]", _MEANT),
    ("convert_opset_version;missing_parameter", "conv_relu", r"error: \[E1005\] onnx_convert_opset_version: wanted its parameter target_opset_version",
     "without its parameter it can do nothing, and says which it wants; there an unrelated error"),
    ("convert_nchw_to_nhwc", "conv_relu_conv", r"structure: place (\('y', 'output'\)|\('y_nchw', [0-2]\)) only ours$", _NHWC),
    ("convert_nchw_to_nhwc", "conv_relu_conv", r"structure: place (\('y', [12]\)|\('y_transpose', (0|'output')\)) only in golden$", _NHWC),
    ("convert_nchw_to_nhwc", "q_relu", r"names: \('c', 0\): .* → .*'x_scale', 'x_zero_point', |structure: \('x_transpose', 0\): \[\] → \[\('pair', 'DequantizeLinear', 'com.microsoft'\)\]$|"
     r"structure: place \('(y', 'output'\) only ours|y_transpose_DequantizeLinear', 'output'\) only in golden)$", _NHWC),
    ("fix_shapes fix_shapes;batch4", "dynamic_batch", r"structure: place \('(c|conv_c\.[bw]|[fprwx])', 'output'\) only in golden$", "there all tensors become outputs"),
    ("fuse_gelu", "gelu_decomposed", r"structure: (operators Add: 2→1; Div: 1→0; Erf: 1→0; Gelu: 0→1; Mul: 2→0$|place \('g[adem]?', [01]\) only in golden$)", _GELU),
    ("fuse_gelu", "gelu_decomposed@20", r"structure: operators Gelu: 0→1; Gelu: 1→0$", _GELU),
    ("optimize_with_ort", "layernorm_decomposed", r"structure: (operators Add: 0→2; Div: 0→1; LayerNormalization: 1→0; Mul: 0→1; Pow: 0→1; ReduceMean\{'axes': '\(-1,\)'\}: 0→2; "
     r"Sqrt: 0→1; Sub: 0→1$|place \('n', 2\) only in golden$|place \('n([dgpqsv]|mu|ve)', [01]\) only ours$)", _FUSED),
    ("optimize_with_ort", "matmul_const", r"structure: (operators Add: 0→1; Gemm: 1→0; MatMul: 0→1; Reshape: 2→0$|place \('gemm_(in|out)put_reshape_arg', [0-2]\) only in golden$|"
     r"place \('m', [01]\) only ours$)", _FUSED),
    ("simplify", "matmul_const", r"structure: (operators Add: 0→1; Gemm\{'transB': '1'\}: 1→0; MatMul: 0→1; Reshape: 2→0$|place \('m_(gemm|pre_reshape)_out', [0-2]\) only in golden$|"
     r"place \('m', [01]\) only ours$)", _FUSED),
    ("fuse_layer_norm", "layernorm_decomposed@13", r"structure: (operators Add: 2→0; Div: 1→0; LayerNormalization: 0→1; Mul: 1→0; Pow: 1→0; ReduceMean\{'axes': '\(-1,\)'\}: 2→0; "
     r"Sqrt: 1→0; Sub: 1→0$|place \('n', 2\) only ours$|place \('n([dgpqsv]|mu|ve)', [01]\) only in golden$)", "the opset is raised, so that there is such an operator"),
    ("adjust_bias_scale", "q_bias2", r"names: \('c', 2\): .* → \('\*_DequantizeLinear', 'conv_c.b_quantized_1', 'conv_c.b_quantized_scale_1', 'conv_c.b_quantized_zero_point'\)$", _ROUNDED),
    ("adjust_bias_scale", "q_bias_gemm", r"codes by one: \('g', 2\)|names: \('y', 2\): .* → \('\*_DequantizeLinear', 'b2_quantized_1', 'b2_quantized_scale_1', 'b2_quantized_zero_point'\)$", _ROUNDED),
    ("adjust_bias_scale", "q_bias_pc", r"codes by one: \('c', 2\)", _ROUNDED),
    ("constrain_per_channel_weight_scale*", "q_pc q_tiny_pc", r"codes: \('y', 1\)", "codes are rounded again with the scale that is raised; there they stay, and the channel is multiplied"),
]
EQUAL = 94


def in_order(case):
    """The passes in the order of the case's name: those that are stored are sorted."""
    order = case.split("/")[1].split(";")[0].split("+")
    return dict(sorted(STORED[case]["passes"].items(), key=lambda each: order.index(each[0].removeprefix("onnx_")) if len(order) > 1 else 0))


def run(case, out):
    """Differences as (part, text), and what the result says, or None."""
    model, entry, skip = case.split("/")[0], STORED[case], {"error"} if case in FAILS_THERE else set()
    source, said, ours = FOLDER / f"models/{model}.onnx", None, None
    try:
        said = str(preon.passes(source, out, list={"passes": in_order(case)}))
    except preon.PreonError as error:
        ours = str(error)
    apart = golden_errors.difference(entry, skip, ours)
    if apart or "error" in entry:
        return [("error", apart)] if apart else [], said
    before = golden_graphs.from_model(str(source))
    wanted = before if entry.get("unchanged") else golden_graphs.from_golden(entry, before.constants)
    return golden_graphs.compare(wanted, golden_graphs.from_model(str(out))), said


def outputs(model, path):
    """Of the stored sample; an input whose channels a pass puts last gets them so."""
    feeds, loaded = {key.split("/test__")[1]: SAMPLES[key] for key in SAMPLES if key.startswith(f"{model}/test__")}, onnx.load(path)
    dims = {each.name: tuple(dim.dim_value for dim in each.type.tensor_type.shape.dim) for each in loaded.graph.input}
    for name, value in feeds.items():
        if value.ndim == 4 and dims[name] != value.shape and dims[name] == value.transpose(0, 2, 3, 1).shape:
            feeds[name] = value.transpose(0, 2, 3, 1)
    return graph_goldens.outputs(loaded, feeds)


def rows_for(case, difference):
    return golden_graphs.rows_for(DELIBERATE, *case.split("/"), difference)


@pytest.fixture(scope="module")
def replayed(tmp_path_factory):
    """case -> (differences, what the result says or None, the written model)"""
    folder = tmp_path_factory.mktemp("passes")
    return {case: (*run(case, folder / f"{index}.onnx"), folder / f"{index}.onnx") for index, case in enumerate(STORED)}


@pytest.mark.parametrize("case", STORED)
def test_one(case, replayed):
    found = replayed[case][0]
    assert not [each for each in found if not rows_for(case, each)]


def test_as_many_are_equal(replayed, record_property):
    equal = sum(not found for found, _, _ in replayed.values())
    record_property("summary", f"stored runs of passes: {equal} of {len(STORED)} equal")
    assert equal == EQUAL
    assert f"of {len(STORED)} stored runs {EQUAL} are equal" in (pathlib.Path(__file__).resolve().parents[2] / "docs/design/passes.md").read_text()


def test_every_row_is_needed(replayed):
    """And every single pass and model that one names."""
    used = {(row, case) for case, (found, _, _) in replayed.items() for each in found for row in rows_for(case, each)}
    for row, (passes, models, _, _) in enumerate(DELIBERATE):
        cases = [case.split("/") for number, case in used if number == row]
        assert all(any(fnmatch(case[0], model) for case in cases) for model in models.split()), DELIBERATE[row]
        assert all(any(fnmatch(case[1], each) for case in cases) for each in passes.split()), DELIBERATE[row]


def least_db(case, name):
    """What an output has to keep of the model before."""
    if case in FAILS_THERE or any(fnmatch(case, pattern) for pattern in WRONG_THERE.split()):
        return EQUAL_DB
    return min(STORED[case].get("sqnr_db", {}).get(name, EQUAL_DB), EQUAL_DB) - 0.1


@pytest.mark.parametrize("case", [case for case, entry in STORED.items() if entry.get("sqnr_db") or entry.get("unchanged") or case in FAILS_THERE])
def test_outputs_are_as_near_as_there(case, replayed):
    """Also where graphs differ; values of constants show here."""
    found, said, written = replayed[case]
    if said is None:
        assert [part for part, _ in found] == ["error"]
        return
    before, after = (outputs(case.split("/")[0], path) for path in (FOLDER / f"models/{case.split('/')[0]}.onnx", written))
    for name in STORED[case].get("sqnr_db") or before:
        assert graph_goldens.sqnr_db(before[name], after[name]) >= least_db(case, name)


@pytest.mark.parametrize("case", FAILS_THERE)
def test_what_fails_there_says_what_it_leaves(case, replayed):
    assert "error" in STORED[case] and FAILS_THERE[case] in replayed[case][1]


def main():
    import tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    equal = 0
    for case in STORED:
        found, _ = run(case, folder / "out.onnx")
        equal += not found
        if found:
            print(case, "\n   ", "\n    ".join(f"{part}: {text}"[:230] for part, text in found[:3]))
    print(equal, "of", len(STORED), "equal")


if __name__ == "__main__":
    main()
