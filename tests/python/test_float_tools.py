"""Tools that give a model 16-bit floats, or bfloat16 quantizers another form: exact on small graphs, near on whole models."""
import importlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")

FORMS = ["customqdq", "with_cast", "simulate_bf16", "bf16"]


def module(name):
    return importlib.import_module(f"preon.tools.{name}")


def tool(name, *arguments):
    """What main() gives."""
    return module(name).main([str(each) for each in arguments])


def session(model):
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(preon_package.get_library_path())
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def outputs(model, feeds):
    return session(model).run(None, feeds)


def counts(model):
    found = {}
    for node in model.graph.node:
        found[node.op_type] = found.get(node.op_type, 0) + 1
    return found


def types(model):
    """Of inputs, outputs and constants, by name."""
    return {**{each.name: each.type.tensor_type.elem_type for each in (*model.graph.input, *model.graph.output)},
            **{each.name: each.data_type for each in model.graph.initializer}}


def values(model):
    return {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}


def parsed(text, **constants):
    """A model of opset 17 with these float32 constants."""
    model = parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17, "com.amd.quark" : 1, "com.microsoft" : 1]> {text}')
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items())
    return model


def half(model, **options):
    return module("convert_fp32_to_fp16").convert_float_to_float16(model, **options)


def close(wanted, got, relative):
    """Within a part of the largest value; and not equal, as that would be the same model."""
    difference = np.abs(wanted.astype(np.float64) - got.astype(np.float64)).max()
    assert 0 < difference <= relative * np.abs(wanted).max()


MODELS = ["resnet20_cifar10.onnx", pytest.param("mobilenetv2_1.0.onnx", marks=pytest.mark.thorough)]


@pytest.fixture(params=MODELS)
def real(shared, request):
    """(path, feeds) of a whole model."""
    path = shared(f"models/{request.param}")
    given = onnx.load(path, load_external_data=False).graph.input[0]
    shape = [dim.dim_value or 1 for dim in given.type.tensor_type.shape.dim]
    return path, {given.name: np.random.default_rng(1).normal(size=shape).astype(np.float32)}


def as_float16(feeds):
    return {name: value.astype(np.float16) for name, value in feeds.items()}


@pytest.mark.parametrize("keeps", [False, True])
def test_float16_of_real_models(real, tmp_path, keeps):
    path, feeds = real
    assert tool("convert_fp32_to_fp16", path, tmp_path / "half.onnx", *["--keep_io_types"] * keeps) == 0
    made = onnx.load(tmp_path / "half.onnx")
    assert (tmp_path / "half.onnx").stat().st_size < 0.55 * path.stat().st_size
    got = outputs(made, feeds if keeps else as_float16(feeds))[0]
    assert got.dtype == (np.float32 if keeps else np.float16) and counts(made).get("Cast", 0) == 2 * keeps
    close(outputs(onnx.load(path), feeds)[0], got, 1e-2)


SMALL = "g (float[N, 2] x) => (float[N, 2] y) { a = MatMul(x, w) b = Add(a, c) y = Relu(b) }"


def test_float16_of_a_small_graph():
    given = parsed(SMALL, w=[[1, 2.0002], [3, 4]], c=[1e-9, -1e-9])
    before = given.SerializeToString()
    made = half(given)
    assert given.SerializeToString() == before
    assert set(types(made).values()) == {TensorProto.FLOAT16} and counts(made) == counts(given)
    assert values(made)["w"].tolist() == [[1, 2], [3, 4]]
    assert values(made)["c"].tolist() == [2.0 ** -24, -(2.0 ** -24)]   # what is not 0 stays so
    kept = half(given, keep_io_types=True)
    assert [node.op_type for node in kept.graph.node] == ["Cast", "MatMul", "Add", "Relu", "Cast"]
    assert types(kept)["x"] == types(kept)["y"] == TensorProto.FLOAT and kept.graph.node[0].output[0] == "x_cast"
    x = np.array([[0.5, 2]], np.float32)
    assert outputs(kept, {"x": x})[0].tolist() == [[6.5, 9]] == outputs(made, as_float16({"x": x}))[0].tolist()
    assert half(given, disable_shape_infer=True) == made


def test_what_has_no_float16_stays():
    """The scales of a Resize are float32 by the standard; counts by CumSum would be too coarse; codes keep their quantizers; Casts say the new type."""
    given = parsed("""g (float[1, 1, 2, 2] x, int64[4] n) => (float[1, 1, 4, 4] y, float[4] s)
                      <uint8 z = {0}, int64 axis = {0}, float t = {0.25}>
                      { r = Resize<mode = "nearest">(x, , scales) q = QuantizeLinear(r, t, z) d = DequantizeLinear(q, t, z) y = Mul(d, t)
                        f = Cast<to = 1>(n) one = Constant<value_float = 1.0>() v = Mul(f, one) s = CumSum(v, axis) }""", scales=[1, 1, 2, 2])
    made = half(given)
    assert types(made)["scales"] == TensorProto.FLOAT and types(made)["t"] == TensorProto.FLOAT16 and types(made)["t_float32"] == TensorProto.FLOAT
    by_type = {node.op_type: node for node in made.graph.node}
    assert by_type["Resize"].input[2] == "scales" and by_type["QuantizeLinear"].input[1] == by_type["DequantizeLinear"].input[1] == "t_float32"
    assert types(made)["one"] == TensorProto.FLOAT16 and "Constant" not in by_type
    assert [node.attribute[0].i for node in made.graph.node if node.output[0] == "f"] == [TensorProto.FLOAT16]
    x = np.array([0.25, 1, -1, 2], np.float32).reshape(1, 1, 2, 2)
    feeds = {"x": x, "n": np.array([1, 2, 3, 4])}
    for wanted, got in zip(outputs(given, feeds), outputs(made, {**feeds, "x": x.astype(np.float16)})):
        assert got.dtype == np.float16 and got.tolist() == wanted.tolist()


def test_beyond_float16(capsys):
    """A bound becomes the largest value; a factor would change all results, and stays."""
    given = parsed("g (float[2] x) => (float[2] y) { a = Max(x, low) b = Mul(a, much) y = Mul(b, little) }", low=[-1e30], much=[1e6, 1], little=[1e-3])
    made = half(given)
    assert values(made)["low"].tolist() == [-65504] and types(made)["much"] == TensorProto.FLOAT
    assert "values beyond ±65504, the range of float16, became its largest in low\n" in capsys.readouterr().err
    x = np.array([0.01, -3], np.float16)
    np.testing.assert_allclose(outputs(made, {"x": x})[0].astype(np.float32), outputs(given, {"x": x.astype(np.float32)})[0], rtol=2e-3)


def test_branches_and_foreign_operators_in_float16():
    given = parsed("""g (bool c, float[2] x) => (float[2] y)
                      { h = com.microsoft.QuickGelu(x)
                        y = If(c) <then_branch = t () => (float[2] p) { k = Constant<value_floats = [1.0, 2.0]>() p = Add(h, k) },
                                   else_branch = e () => (float[2] q) { q = Identity(x) }> }""")
    x = np.array([1, -2], np.float32)
    for keeps in (False, True):
        made = half(given, keep_io_types=keeps)
        for condition in (True, False):
            feeds = {"c": np.array(condition), "x": x}
            got = outputs(made, feeds if keeps else {**feeds, "x": x.astype(np.float16)})[0]
            np.testing.assert_allclose(got.astype(np.float32), outputs(given, feeds)[0], rtol=2e-3)
        assert next(node for node in made.graph.node if node.op_type == "QuickGelu").output[0] == "h_float32"


def test_constants_that_are_inputs_or_outputs():
    given = parsed("g (float[2] x) => (float[2] y, float[2] w) { y = Add(x, w) }", w=[1, 2])
    given.graph.input.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, [2]))
    made = half(given)
    assert [each.type.tensor_type.elem_type for each in made.graph.input] == [TensorProto.FLOAT16] * 2
    del given.graph.input[1:]
    kept = half(given, keep_io_types=True)
    assert [each.tolist() for each in outputs(kept, {"x": np.array([1, 1], np.float32)})] == [[2, 3], [1, 2]]


def test_simplified_first_or_not(tmp_path):
    onnx.save(parsed("g (float[2] x) => (float[2] y) { a = Identity(x) k = Add(c, c) y = Add(a, k) }", c=[1, 2]), tmp_path / "m.onnx")
    for more, wanted in ([], {"Add": 1}), (["--not_simplify"], {"Identity": 1, "Add": 2}), (["--not_simplify", "--disable_shape_infer"], {"Identity": 1, "Add": 2}):
        assert tool("convert_fp32_to_fp16", "--input", tmp_path / "m.onnx", "--output", tmp_path / "out.onnx", *more) == 0
        assert counts(onnx.load(tmp_path / "out.onnx")) == wanted


@pytest.mark.parametrize("one_file", [False, True])
def test_weights_beside_the_model(tmp_path, one_file):
    onnx.save(parsed(SMALL.replace("2] x", "64] x").replace("2] y", "64] y"), w=np.eye(64), c=np.arange(64)), tmp_path / "m.onnx")
    out = tmp_path / "out"
    out.mkdir()
    given = ["convert_fp32_to_fp16", tmp_path / "m.onnx", out / "half.onnx", "--save_as_external_data", *["--all_tensors_to_one_file"] * one_file]
    assert tool(*given) == 0
    assert sorted(each.name for each in out.iterdir()) == (["half.onnx", "half.onnx.data"] if one_file else ["c", "half.onnx", "w"])
    np.testing.assert_array_equal(values(onnx.load(out / "half.onnx"))["w"], np.eye(64))


def test_nothing_to_convert(tmp_path, capsys):
    onnx.save(parsed("g (int64[2] x) => (int64[2] y) { y = Neg(x) }"), tmp_path / "whole.onnx")
    for name in ("convert_fp32_to_fp16", "convert_fp32_to_bf16", "convert_fp32_to_bfp16", "convert_fp16_to_bf16", "convert_fp16_to_bfp16"):
        arguments = ["--input", tmp_path / "whole.onnx", "--output", tmp_path / "no.onnx"]
        assert tool(name, *arguments) == 2 and f"in float{'16' if 'fp16_to' in name else '32'}\n" in capsys.readouterr().err
        assert not (tmp_path / "no.onnx").exists()
        arguments[1] = tmp_path / "none.onnx"
        assert tool(name, *arguments) == 2 and "none.onnx" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        tool("convert_fp32_to_bf16", *arguments, "--format", "vitisqdq")
    assert "invalid choice: 'vitisqdq'" in capsys.readouterr().err


@pytest.mark.parametrize("name, source", [("convert_fp32_to_bf16", "float32"), ("convert_fp16_to_bf16", "float16")])
def test_bfloat16_of_real_models(real, tmp_path, name, source):
    path, feeds = real
    wanted = outputs(onnx.load(path), feeds)[0]
    if source == "float16":
        onnx.save(half(path), tmp_path / "half.onnx")
        path, feeds = tmp_path / "half.onnx", as_float16(feeds)
    made = {}
    for form in FORMS:
        assert tool(name, "--input", path, "--output", tmp_path / "out.onnx", *(["--format", form] if form != "with_cast" else [])) == 0
        made[form] = onnx.load(tmp_path / "out.onnx")
        assert all(each.type.tensor_type.elem_type == (TensorProto.FLOAT16 if source == "float16" else TensorProto.FLOAT)
                   for each in (*made[form].graph.input, *made[form].graph.output))
        if form != "bf16":
            close(wanted, outputs(made[form], feeds)[0], 0.05)
    assert counts(made["customqdq"])["ExtendedQuantizeLinear"] == counts(made["customqdq"])["ExtendedDequantizeLinear"] > 50
    np.testing.assert_array_equal(outputs(made["customqdq"], feeds)[0], outputs(made["with_cast"], feeds)[0])
    assert all(each.domain in ("", "ai.onnx") for form in FORMS[1:] for each in made[form].graph.node)
    assert counts(made["simulate_bf16"])["Cast"] == 2
    onnx.checker.check_model(made["bf16"], full_check=True)
    assert {each.data_type for each in made["bf16"].graph.initializer if each.data_type not in (TensorProto.INT64, TensorProto.INT32)} == {TensorProto.BFLOAT16}


def test_all_in_bfloat16(capsys):
    """By ONNX's reference implementation: the runtime's CPU provider has no such kernels."""
    given = parsed(SMALL, w=[[1.00390625, 3.01171875], [3, 4]], c=[3.4e38, -1e-45])
    made = module("convert_fp32_to_bf16").convert_fp32_to_bf16(given, "bf16")
    assert [node.op_type for node in made.graph.node] == ["Cast", "MatMul", "Add", "Relu", "Cast"] and made.graph.node[0].output[0] == "x_cast"
    assert types(made) == {"x": 1, "y": 1, "w": 16, "c": 16} and made.opset_import[0].version == 22
    stored = {name: value.astype(np.float32).tolist() for name, value in values(made).items()}
    assert stored["w"] == [[1, 3.015625], [3, 4]]   # ties to even
    assert stored["c"] == [float.fromhex("0x1.FEp127"), -(2.0 ** -133)] and "the range of bfloat16, became its largest in c" in capsys.readouterr().err
    from onnx.reference import ReferenceEvaluator
    given.graph.initializer[1].CopyFrom(numpy_helper.from_array(np.array([1, -100], np.float32), "c"))
    made = module("convert_fp32_to_bf16").convert_fp32_to_bf16(given, "bf16")
    got = ReferenceEvaluator(made).run(None, {"x": np.array([[1, 2]], np.float32)})[0]
    assert got.dtype == np.float32 and got.tolist() == [[8, 0]]


@pytest.mark.parametrize("name, source", [("convert_fp32_to_bfp16", "float32"), ("convert_fp16_to_bfp16", "float16")])
def test_bfp16_of_real_models(real, tmp_path, name, source):
    path, feeds = real
    wanted = outputs(onnx.load(path), feeds)[0]
    if source == "float16":
        onnx.save(half(path), tmp_path / "half.onnx")
        path, feeds = tmp_path / "half.onnx", as_float16(feeds)
    assert tool(name, "--input", path, "--output", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    assert counts(made)["BFPQuantizeDequantize"] > 50
    got = outputs(made, feeds)[0]
    assert got.dtype == source
    close(wanted, got, 0.15)   # of noise, in 7 bits and a sign
    assert tool(name, path, tmp_path / "again.onnx", "--save_as_external_data") == 0 and (tmp_path / "again.onnx.data").exists()


PAIR = """g (float[2] x) => (float[2] y) <float s = {4}, float one = {1}, bfloat16 z = {0}>
          { q = com.amd.quark.ExtendedQuantizeLinear(x, one, z) d = com.amd.quark.ExtendedDequantizeLinear(q, one, z)
            wq = com.amd.quark.ExtendedQuantizeLinear(w, s, z) wd = com.amd.quark.ExtendedDequantizeLinear(wq, s, z) r = Add(d, wd)
            rq = com.amd.quark.ExtendedQuantizeLinear(r, one, z) rd = com.amd.quark.ExtendedDequantizeLinear(rq, one, z) y = Neg(rd) }"""


def test_forms_of_bfloat16_pairs(tmp_path, capsys):
    onnx.save(parsed(PAIR, w=[1.01, 300.7]), tmp_path / "pairs.onnx")
    files = {name: ["--input_model", tmp_path / f"{source}.onnx", "--output_model", tmp_path / f"{out}.onnx"]
             for name, source, out in (("insert_clip_bfloat16_qdq", "pairs", "clips"), ("replace_bfloat16_qdq_cast", "clips", "casts"))}
    files["remove_bf16_cast"] = [tmp_path / "casts.onnx", tmp_path / "plain.onnx"]
    for name, arguments in files.items():
        assert tool(name, *arguments) == 0
    pairs, clips, casts, plain = (onnx.load(tmp_path / f"{name}.onnx") for name in ("pairs", "clips", "casts", "plain"))
    assert counts(clips) == {**counts(pairs), "Clip": 2} and {node.input[0] for node in clips.graph.node if node.op_type == "Clip"} == {"x", "r"}
    assert counts(casts) == {"Cast": 6, "Clip": 2, "Mul": 2, "Add": 1, "Neg": 1}
    assert counts(plain) == {"Clip": 2, "Mul": 2, "Add": 1, "Neg": 1}   # none stands right behind an input
    x = {"x": np.array([1.003, -77.7], np.float32)}
    np.testing.assert_array_equal(outputs(pairs, x)[0], outputs(casts, x)[0])
    wide = {"x": np.array([3.4e38, -np.inf], np.float32)}
    assert np.isinf(outputs(pairs, wide)[0]).all() and outputs(clips, wide)[0].tolist() == outputs(casts, wide)[0].tolist() == [-float.fromhex("0x1.FEp127"), float.fromhex("0x1.FEp127")]
    assert capsys.readouterr().err == ""
    onnx.save(parsed(SMALL, w=np.eye(2), c=[1, 2]), tmp_path / "pairs.onnx")
    for name, arguments in files.items():
        arguments[1 if name != "remove_bf16_cast" else 0] = tmp_path / "pairs.onnx"
        assert tool(name, *arguments) == 0 and "nothing was" in capsys.readouterr().err


def test_pairs_that_stay_say_why(capsys):
    given = parsed(PAIR.replace("z = {0}", "z = {1}"), w=[1, 2])
    made = module("replace_bfloat16_qdq_cast").replace_bfloat16_qdq_cast(given)
    err = capsys.readouterr().err
    assert "nothing was replaced" in err and "stays ExtendedQuantizeLinear: its zero point is not 0" in err and counts(made) == counts(given)


def test_real_model_in_each_form(real):
    path, feeds = real
    pairs = module("convert_fp32_to_bf16").convert_fp32_to_bf16(path, "customqdq")
    casts = module("replace_bfloat16_qdq_cast").replace_bfloat16_qdq_cast(module("insert_clip_bfloat16_qdq").insert_clip_bfloat16_qdq(pairs))
    assert counts(casts)["Clip"] > 30 and "ExtendedQuantizeLinear" not in counts(casts)
    np.testing.assert_array_equal(outputs(casts, feeds)[0], outputs(pairs, feeds)[0])
    plain = module("remove_bf16_cast").remove_bf16_cast(module("replace_bfloat16_qdq_cast").replace_bfloat16_qdq_cast(pairs))
    simulated = module("convert_fp32_to_bf16").convert_fp32_to_bf16(path, "simulate_bf16")
    assert counts(plain) == counts(simulated)
    np.testing.assert_array_equal(outputs(plain, feeds)[0], outputs(simulated, feeds)[0])
