"""Stored runs of Quark's single passes (testdata/quark/shapeshifter), replayed through preon.passes with the same list. What is different is
listed here, with the reason."""
import json
import lzma
from fnmatch import fnmatch

import data_root
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
# (cases, why): compared and different
DELIBERATE = [
    ("bn_alone*/convert_bn_to_conv bn_inner/convert_bn_to_conv convt_bn/convert_bn_to_conv conv_bn_relu/convert_bn_to_conv gap_large#shapes/* gap_large_inner/* "
     "split_equal*/convert_split_to_slice", "shapes are inferred, of what reads the input too; equal parts are known from them"),
    ("conv_bn_relu/fold_batch_norm", "into a convolution, too"),
    ("conv_clip6*/convert_clip_to_relu", "a Clip of a float model stays: Relu alone would lose the upper bound"),
    ("conv_clip_const_nodes#shapes/*", "bounds from Constant nodes are an error there"),
    ("conv_relu/simplify;extra_parameter conv_relu/simplify;wrong_type ps_attrs/*;mismatches q_concat/align_scale;Softmax q_res/*;malformed",
     "what can't be meant is an error; there nothing happens"),
    ("*;down13 split_equal/convert_opset_version;13", "an older opset is an error there"),
    ("conv_relu_conv/convert_nchw_to_nhwc q_relu/convert_nchw_to_nhwc", "the output of a model becomes NHWC too, and codes are transposed in place of floats"),
    ("dynamic_batch/fix_shapes dynamic_batch/fix_shapes;batch4", "there all tensors become outputs"),
    ("gelu_decomposed/fuse_gelu gelu_decomposed@20/fuse_gelu", "Gelu of the standard from opset 20 on, below com.microsoft's; there the other way round and nothing"),
    ("layernorm_decomposed/optimize_with_ort matmul_const/*", "folding alone: what the runtime and its simplifier fuse has passes of its own here"),
    ("layernorm_decomposed@13/fuse_layer_norm", "the opset is raised, so that there is such an operator"),
    ("q_bias2/adjust_bias_scale q_bias_gemm/adjust_bias_scale q_bias_pc/adjust_bias_scale", "codes are rounded, there cut off, and are constants of other names"),
    ("q_pc/constrain_per_channel_weight_scale;ratio2 q_tiny_pc/constrain_per_channel_weight_scale*",
     "codes are rounded again with the scale that is raised; there they stay, and the channel is multiplied"),
]


def in_order(case):
    """The passes in the order of the case's name: those that are stored are sorted."""
    order = case.split("/")[1].split(";")[0].split("+")
    return dict(sorted(STORED[case]["passes"].items(), key=lambda each: order.index(each[0].removeprefix("onnx_")) if len(order) > 1 else 0))


def run(case, out):
    """Differences as texts; an error of ours is one."""
    model, entry = case.split("/")[0], STORED[case]
    source = FOLDER / f"models/{model}.onnx"
    try:
        preon.passes(source, out, list={"passes": in_order(case)})
    except preon.PreonError as error:
        return [] if "error" in entry else [f"error: {error}"]
    if "error" in entry:
        return ["error: there it is one"]
    before = golden_graphs.from_model(str(source))
    wanted = before if entry.get("unchanged") else golden_graphs.from_golden(entry, before.constants)
    return [f"{part}: {text}" for part, text in golden_graphs.compare(wanted, golden_graphs.from_model(str(out)), set())]


def outputs(model, path):
    """Of the stored sample; an input whose channels a pass puts last gets them so."""
    feeds, loaded = {key.split("/test__")[1]: SAMPLES[key] for key in SAMPLES if key.startswith(f"{model}/test__")}, onnx.load(path)
    dims = {each.name: tuple(dim.dim_value for dim in each.type.tensor_type.shape.dim) for each in loaded.graph.input}
    for name, value in feeds.items():
        if value.ndim == 4 and dims[name] != value.shape and dims[name] == value.transpose(0, 2, 3, 1).shape:
            feeds[name] = value.transpose(0, 2, 3, 1)
    return graph_goldens.outputs(loaded, feeds)


def rows_for(case):
    return [row for row, (cases, _) in enumerate(DELIBERATE) if any(fnmatch(case, pattern) for pattern in cases.split())]


@pytest.mark.parametrize("case", STORED)
def test_one(case, tmp_path):
    found = run(case, tmp_path / "out.onnx")
    assert not found or rows_for(case), found
    assert found or not rows_for(case), "equal, and yet listed"


@pytest.mark.parametrize("case", [case for case, entry in STORED.items() if entry.get("sqnr_db") or entry.get("unchanged")])
def test_outputs_are_as_near_as_there(case, tmp_path):
    """Also where graphs differ; values of constants show here."""
    model, stored = case.split("/")[0], STORED[case].get("sqnr_db")
    try:
        preon.passes(FOLDER / f"models/{model}.onnx", tmp_path / "out.onnx", list={"passes": in_order(case)})
    except preon.PreonError:
        assert rows_for(case)
        return
    before, after = outputs(model, FOLDER / f"models/{model}.onnx"), outputs(model, tmp_path / "out.onnx")
    for name in stored or before:
        assert graph_goldens.sqnr_db(before[name], after[name]) >= min((stored or {}).get(name, EQUAL_DB), EQUAL_DB) - 0.1


def main():
    import pathlib
    import tempfile
    folder = pathlib.Path(tempfile.mkdtemp())
    equal = 0
    for case in STORED:
        found = run(case, folder / "out.onnx")
        equal += not found
        if found:
            print(case, "\n   ", "\n    ".join(text[:230] for text in found[:3]))
    print(equal, "of", len(STORED), "equal")


if __name__ == "__main__":
    main()
