"""Tools that give quantized models other codes, scales or operators."""
import importlib

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper, parser

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
runtime = pytest.importorskip("onnxruntime")


def module(name):
    return importlib.import_module(f"preon.tools.{name}")


def tool(name, *arguments):
    """What main() gives."""
    return module(name).main([str(each) for each in arguments])


def outputs(model, feeds):
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.register_custom_ops_library(preon_package.get_library_path())
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]).run(None, feeds)


def parsed(text, opset=21, **constants):
    """A model with these constants."""
    model = parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}, "com.amd.quark" : 1]> {text}')
    model.graph.initializer.extend(numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items())
    return model


def values(model):
    return {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}


def distance(wanted, got):
    """The largest, as a part of the largest value."""
    return np.abs(wanted.astype(np.float64) - got).max() / np.abs(wanted).max()


@pytest.fixture(params=["resnet20_cifar10.onnx", pytest.param("mobilenetv2_1.0.onnx", marks=pytest.mark.thorough)])
def real(shared, tmp_path, request):
    """real(**options): (float model, quantized model, feeds) of a whole model."""
    path = shared(f"models/{request.param}")
    given = onnx.load(path, load_external_data=False).graph.input[0]
    samples = np.random.default_rng(1).normal(size=[4, *(dim.dim_value for dim in given.type.tensor_type.shape.dim[1:])]).astype(np.float32)
    np.save(tmp_path / "samples.npy", samples)

    def made(**options):
        options = {name: value for name, value in {"target": "quark", "method": "minmax", **options}.items() if value is not None}
        result = preon_package.quantize(path, data=tmp_path / "samples.npy", latency=0, always_write=True, progress=False, **options)
        return onnx.load(path), result.model, {given.name: samples[:1]}

    return made


def test_half_the_bits(tmp_path, capsys):
    """Scales times 257, zero points divided by it; the bias gets the scale of its products."""
    given = parsed("""g (float[1, 2] x) => (float[1, 2] y) {
        q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) w = DequantizeLinear(wc, ws, wz) b = DequantizeLinear<axis = 0>(bc, bs, bz)
        g = Gemm(d, w, b) k = DequantizeLinear(kc, s, z) a = Add(g, k) aq = QuantizeLinear(a, s, z2) y = DequantizeLinear(aq, s, z2) }""",
                   s=np.float32(2 ** -12), z=np.uint16(257 * 128), z2=np.uint16(1000), wc=np.array([[1, 2], [3, 4]], np.uint8), ws=np.float32(0.5), wz=np.uint8(2),
                   bc=np.array([4096, -2570], np.int32), bs=np.array([2 ** -13], np.float32), bz=np.array([0], np.int32), kc=np.array([257 * 130, 257 * 127 + 200], np.uint16))
    onnx.save(given, tmp_path / "m.onnx")
    assert tool("convert_u16u8_to_u8u8", "--input", tmp_path / "m.onnx", "--output", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    stored, by_output = values(made), {node.output[0]: node for node in made.graph.node}
    assert not any(each.dtype == np.uint16 for each in stored.values())
    scale = np.float32(257 * 2 ** -12)
    for name, zero in (("q", 128), ("d", 128), ("k", 128), ("aq", 4), ("y", 4)):
        assert [stored[each].item() for each in by_output[name].input[1:]] == [scale, zero], name
    assert stored[by_output["k"].input[0]].tolist() == [130, 128]
    bias = made.graph.node[[node.op_type for node in made.graph.node].index("Gemm")].input[2]
    assert stored[by_output[bias].input[1]].item() == pytest.approx(scale / 2) and stored[by_output[bias].input[0]].tolist() == [round(4096 / 257), -10]
    x = np.array([[1, -2]], np.float32)
    assert np.abs(outputs(given, {"x": x})[0] - outputs(made, {"x": x})[0]).max() <= 2.5 * scale
    assert tool("convert_u16u8_to_u8u8", tmp_path / "out.onnx", tmp_path / "again.onnx") == 2 and "no uint16 codes" in capsys.readouterr().err


def test_half_the_bits_of_real_models(real):
    plain, wide, feeds = real(activation="uint16", weight="uint8")
    wanted = outputs(plain, feeds)[0]
    made = module("convert_u16u8_to_u8u8").convert_u16u8_to_u8u8(onnx.ModelProto.FromString(wide.SerializeToString()))
    assert not any(each.dtype == np.uint16 for each in values(made).values())
    narrow = real(activation="uint8", weight="uint8")[1]
    assert distance(wanted, outputs(wide, feeds)[0]) < distance(wanted, outputs(made, feeds)[0]) < 2 * distance(wanted, outputs(narrow, feeds)[0]) + 0.01


@pytest.mark.parametrize("codes, cut, told", [([40000, -5], [32767, -5], True), ([32767, -32768], [32767, -32768], False)])
def test_biases_of_16_bits(tmp_path, capsys, codes, cut, told):
    given = parsed("""g (float[1, 2] x) => (float[1, 2] y) {
        q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) w = DequantizeLinear(wc, s, z) b = DequantizeLinear(bc, bs) [n] y = Gemm(d, w, b) }""",
                   s=np.float32(0.25), z=np.int8(0), wc=np.array([[1, 2], [3, 4]], np.int8), bc=np.array(codes, np.int32), bs=np.float32(0.0625))
    onnx.save(given, tmp_path / "wide.onnx")
    assert tool("convert_bias_int32_to_int16", "--input_model_path", tmp_path / "wide.onnx", "--output_model_path", tmp_path / "narrow.onnx") == 0
    made = values(onnx.load(tmp_path / "narrow.onnx"))["bc"]
    assert made.dtype == np.int16 and made.tolist() == cut
    assert ("codes of n do not fit 16 bits and saturate" in capsys.readouterr().err) == told


def test_biases_for_the_cpu(tmp_path, capsys):
    given = parsed("""g (float[1, 2] x) => (float[1, 2] y) {
        q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) w = DequantizeLinear(wc, s, z) b = DequantizeLinear(bc, bs, z) y = Gemm(d, w, b) }""",
                   s=np.float32(0.25), z=np.int8(0), wc=np.array([[1, 2], [3, 4]], np.int8), bc=np.array([3, -5], np.int8), bs=np.float32(0.5))
    onnx.save(given, tmp_path / "npu.onnx")
    assert tool("convert_a8w8_npu_to_a8w8_cpu", tmp_path / "npu.onnx", tmp_path / "cpu.onnx") == 0
    made = onnx.load(tmp_path / "cpu.onnx")
    bias = next(node for node in made.graph.node if node.output[0] == next(each for each in made.graph.node if each.op_type == "Gemm").input[2])
    stored = values(made)
    assert stored[bias.input[0]].dtype == np.int32 and stored[bias.input[0]].tolist() == [24, -40] and stored[bias.input[1]].item() == 0.0625
    assert len(bias.input) < 3 or not stored[bias.input[2]].any()
    x = np.array([[1, -2]], np.float32)
    np.testing.assert_array_equal(outputs(given, {"x": x})[0], outputs(made, {"x": x})[0])
    assert tool("convert_a8w8_npu_to_a8w8_cpu", tmp_path / "cpu.onnx", tmp_path / "again.onnx") == 0 and "nothing was converted" in capsys.readouterr().err


def test_biases_of_real_models(real):
    _, npu, feeds = real(config="XINT8", target=None, method=None)
    made = module("convert_a8w8_npu_to_a8w8_cpu").convert_a8w8_npu_to_a8w8_cpu(npu)
    assert sum(each.data_type == TensorProto.INT32 for each in made.graph.initializer) >= 20 > sum(each.data_type == TensorProto.INT32 for each in npu.graph.initializer)
    np.testing.assert_allclose(outputs(npu, feeds)[0], outputs(made, feeds)[0], rtol=0, atol=1e-4)


RESIZE = """g (float[1, 1, 2, 2] x) => (float[1, 1, 4, 4] y) {
    q = QuantizeLinear(x, s, z) d = DequantizeLinear(q, s, z) r = Resize<mode = "nearest">(d, , scales) rq = QuantizeLinear(r, t, u) rd = DequantizeLinear(rq, t, u)
    n = Neg(rd) nq = QuantizeLinear(n, t, u) y = DequantizeLinear(nq, t, u) }"""


def test_powers_of_two_beside_resize(tmp_path, capsys):
    given = parsed(RESIZE, s=np.float32(0.037), z=np.int8(3), t=np.float32(0.0123), u=np.uint8(100), scales=np.array([1, 1, 2, 2], np.float32))
    onnx.save(given, tmp_path / "m.onnx")
    assert tool("convert_resize_fs_to_pof2s", "--input_model", tmp_path / "m.onnx", "--output_model", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    stored, by_output = values(made), {node.output[0]: node for node in made.graph.node}
    of = {name: [stored[each].item() for each in by_output[name].input[1:]] for name in ("q", "d", "rq", "rd", "nq", "y")}
    assert of["q"] == of["d"] == [2 ** -4, 0]   # 131 steps of 0.037 are more than 128 of 2^-5
    assert of["rq"] == of["rd"] == [2 ** -6, round(100 * 0.0123 * 64)]
    assert of["nq"] == of["y"] == [np.float32(0.0123), 100]   # has no Resize beside it
    x = {"x": np.array([0.1, -0.7, 1.2, 0], np.float32).reshape(1, 1, 2, 2)}
    assert np.abs(outputs(given, x)[0] - outputs(made, x)[0]).max() <= 2 ** -5 + 2 ** -6 + 0.0123
    assert module("convert_resize_fs_to_pof2s").convert_resize_fs_to_pof2s(onnx.load(tmp_path / "out.onnx")) == made
    onnx.save(parsed(RESIZE.replace("QuantizeLinear(x", "QuantizeLinear(x").replace('Resize<mode = "nearest">(d, , scales)', "Expand(d, to)"), s=np.float32(0.037), z=np.int8(3),
                     t=np.float32(0.0123), u=np.uint8(100), to=np.array([1, 1, 2, 2])), tmp_path / "none.onnx")
    assert tool("convert_resize_fs_to_pof2s", "--input_model", tmp_path / "none.onnx", "--output_model", tmp_path / "no.onnx") == 2
    assert "no Resize of the model stands beside a quantizer" in capsys.readouterr().err


def test_operators_of_both_domains(tmp_path, capsys):
    given = parsed("""g (bool c, float[2, 8] x) => (float[2, 8] y) {
        q = com.amd.quark.ExtendedQuantizeLinear(x, s, z) d = com.amd.quark.ExtendedDequantizeLinear(q, s, z)
        y = If(c) <then_branch = t () => (float[2, 8] p) { p = com.amd.quark.BFPQuantizeDequantize<bit_width = 16>(d) },
                   else_branch = e () => (float[2, 8] r) { r = com.amd.quark.MXQuantizeDequantize<block_size = 4>(d) }> }""",
                   s=np.float32(0.5), z=np.uint16(7))
    onnx.save(given, tmp_path / "new.onnx")
    convert = ("convert_custom_ops", "--input_model", tmp_path / "new.onnx", "--output_model", tmp_path / "old.onnx")
    assert tool(*convert) == 0
    old = onnx.load(tmp_path / "old.onnx")
    assert [node.op_type for node in old.graph.node] == ["VitisQuantizeLinear", "VitisDequantizeLinear", "If"]
    assert {(each.domain, each.version) for each in old.opset_import} == {("", 21), ("com.vai.quantize", 1)}
    assert tool("convert_custom_ops", "--input_model", tmp_path / "old.onnx", "--output_model", tmp_path / "back.onnx", "--reverse_conversion", "True") == 0
    back = onnx.load(tmp_path / "back.onnx")
    assert back.graph == given.graph
    for condition in (True, False):
        feeds = {"c": np.array(condition), "x": np.arange(16, dtype=np.float32).reshape(2, 8)}
        for other in (old, back):
            np.testing.assert_array_equal(outputs(other, feeds)[0], outputs(given, feeds)[0])
    assert tool(*convert, "--reverse_conversion", "True") == 0 and "no operator of com.vai.quantize" in capsys.readouterr().err
    assert tool(*convert, "--reverse_conversion", "False", "--external_data", "True") == 0
    with pytest.raises(SystemExit):
        tool(*convert, "--reverse_conversion", "perhaps")
    assert "got 'perhaps', wanted True or False" in capsys.readouterr().err


def test_operators_without_an_older_name(capsys):
    given = parsed("g (float[2] x) => (float[2] y) { a = com.amd.quark.BFPQuantizeDequantize(x) y = com.amd.quark.New(a) }")
    made = module("convert_custom_ops").convert_custom_ops(given)
    assert [node.op_type for node in made.graph.node] == ["BFPFixNeuron", "New"] and "stay: New" in capsys.readouterr().err
    assert {each.domain for each in made.opset_import} == {"", "com.amd.quark", "com.vai.quantize"}


def test_operators_of_real_models(real):
    _, blocks, feeds = real(activation="bfp16", weight="bfp16", method=None)
    wanted = outputs(blocks, feeds)[0]
    old = module("convert_custom_ops").convert_custom_ops(blocks)
    assert {each.domain for each in old.graph.node} == {"", "com.vai.quantize"}
    np.testing.assert_array_equal(outputs(old, feeds)[0], wanted)


def test_fixed_shapes(tmp_path, capsys):
    onnx.save(parsed("g (float[N, 2] x) => (float[N, 2] y) { y = Relu(x) }"), tmp_path / "m.onnx")
    given = ("convert_dynamic_to_fixed", tmp_path / "m.onnx", tmp_path / "out.onnx", "--fix_shapes")
    assert tool(*given, "x:[3,2]") == 0
    made = onnx.load(tmp_path / "out.onnx")
    assert [[dim.dim_value for dim in each.type.tensor_type.shape.dim] for each in (*made.graph.input, *made.graph.output)] == [[3, 2], [3, 2]]
    assert module("convert_dynamic_to_fixed").fix_shapes(tmp_path / "m.onnx", "x:[3,2]").graph == made.graph
    assert tool(*given, "z:[3,2]") == 2 and tool(*given, "x") == 2 and "wanted NAME:[SIZE" in capsys.readouterr().err


def lstm(zero=30000, kind=np.uint16, weights_by_quantizer=False, **attributes):
    """A bidirectional LSTM of 4 inputs and 5 states with 16-bit quantizers around it."""
    rng, offset = np.random.default_rng(2), 32768 if kind == np.int16 else 0
    shapes = {"x": (3, 1, 4), "w": (2, 20, 4), "r": (2, 20, 5), "b": (2, 40), "y": (3, 2, 1, 5)}
    scales = {"x": 1e-4, "w": 2e-5, "r": 2e-5, "b": 2e-5, "y": 4e-5}
    nodes, constants = [], {}
    for name, shape in shapes.items():
        constants[f"{name}_s"], constants[f"{name}_z"] = np.float32(scales[name]), kind(zero - offset + 100 * (name == "w"))
        if name in "wrb":
            floats = rng.uniform(-0.5, 0.5, shape).astype(np.float32)
            codes = np.clip(np.rint(floats / np.float32(scales[name])) + int(constants[f"{name}_z"]), np.iinfo(kind).min, np.iinfo(kind).max).astype(kind)
            constants[f"{name}_c"] = floats if weights_by_quantizer else codes
        if name in "xy" or weights_by_quantizer:
            source = {"x": "x", "y": "h"}.get(name, f"{name}_c")
            nodes.append(helper.make_node("QuantizeLinear", [source, f"{name}_s", f"{name}_z"], [f"{name}_q"]))
        codes = f"{name}_q" if name in "xy" or weights_by_quantizer else f"{name}_c"
        nodes.append(helper.make_node("DequantizeLinear", [codes, f"{name}_s", f"{name}_z"], ["y" if name == "y" else f"{name}_d"]))
        if name == "b":
            nodes.append(helper.make_node("LSTM", ["x_d", "w_d", "r_d", "b_d"], ["h"], name="lstm", **{"hidden_size": 5, "direction": "bidirectional", **attributes}))
    io = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shapes[name]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", io[:1], io[1:], [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


@pytest.mark.parametrize("options", [{}, {"kind": np.int16}, {"weights_by_quantizer": True}, {"zero": 40000}])
def test_lstm_in_integers(tmp_path, options):
    given = lstm(**options)
    onnx.save(given, tmp_path / "m.onnx")
    assert tool("convert_lstm_to_customlstm", "--input_model", tmp_path / "m.onnx", "--output_model", tmp_path / "out.onnx") == 0
    made = onnx.load(tmp_path / "out.onnx")
    assert [(node.op_type, node.domain, node.name) for node in made.graph.node] == [("ExtendedLSTM", "com.amd.quark", "lstm")]
    attributes = {each.name: helper.get_attribute_value(each) for each in made.graph.node[0].attribute}
    zero = options.get("zero", 30000)
    assert attributes["x_scale"] == np.float32(1e-4) and attributes["y_zero_point"] == zero and attributes["w_zero_point"] == zero + 100 and attributes["hidden_size"] == 5
    x = {"x": np.random.default_rng(3).uniform(-1, 1, (3, 1, 4)).astype(np.float32)}
    wanted, got = outputs(given, x)[0], outputs(made, x)[0]
    assert wanted.shape == got.shape and np.abs(wanted - got).max() <= 4 * 4e-5   # steps of the output; the operator's own is one high below 32768


@pytest.mark.parametrize("attributes, why", [({"direction": "forward"}, "direction is forward; wanted bidirectional"), ({"clip": 3.0}, "no clip"),
                                             ({"kind": np.uint8, "zero": 100}, "zero point in uint8; wanted one in int16 or uint16")])
def test_lstm_that_stays(tmp_path, capsys, attributes, why):
    onnx.save(lstm(**attributes), tmp_path / "m.onnx")
    assert tool("convert_lstm_to_customlstm", "--input_model", tmp_path / "m.onnx", "--output_model", tmp_path / "no.onnx") == 2
    err = capsys.readouterr().err
    assert "lstm: " in err and why in err and not (tmp_path / "no.onnx").exists()


def test_one_lstm_of_two(capsys):
    """What has no such form stays, and stderr says why; a float LSTM has none."""
    given = lstm()
    given.graph.node.append(helper.make_node("LSTM", ["x", "w_d", "r_d", "b_d"], ["", "state"], name="float", hidden_size=5, direction="bidirectional"))
    given.graph.output.append(helper.make_tensor_value_info("state", TensorProto.FLOAT, [2, 1, 5]))
    x = {"x": np.random.default_rng(3).uniform(-1, 1, (3, 1, 4)).astype(np.float32)}
    wanted = outputs(given, x)
    made = module("convert_lstm_to_customlstm").convert_lstm_to_customlstm(given)
    assert "stays LSTM: float: " in capsys.readouterr().err
    assert sorted(node.op_type for node in made.graph.node) == ["DequantizeLinear"] * 3 + ["ExtendedLSTM", "LSTM"]
    got = outputs(made, x)
    assert np.abs(wanted[0] - got[0]).max() <= 4 * 4e-5 and wanted[1].tolist() == got[1].tolist()


def test_pictures_of_weights(tmp_path, capsys, monkeypatch):
    given = parsed("g (float[4] x) => (float[4] y) { y = Add(x, w) }", **{"w": np.array([-1, 0, 0, 3], np.float32)})
    given.graph.initializer.extend([numpy_helper.from_array(np.array([[1, -np.inf], [2, 5]], np.float32), "a/b.c"), numpy_helper.from_array(np.array([[1, 2]], np.int8), "a:b.c"),
                                    numpy_helper.from_array(np.array([np.nan], np.float32), "none")])
    onnx.save(given, tmp_path / "m.onnx")
    assert tool("save_weights_hist", "--input_model", tmp_path / "m.onnx", "--output", tmp_path / "plain") == 0
    assert sorted(each.name for each in (tmp_path / "plain").iterdir()) == ["a_b_c.svg", "a_b_c_2.svg", "w.svg"]
    assert "no numbers to draw in none" in capsys.readouterr().err
    picture = (tmp_path / "plain" / "w.svg").read_text()
    assert picture.startswith("<svg ") and picture.count("<rect ") == 128 and ">-1<" in picture and ">3<" in picture and ">2<" in picture   # two zeros are the highest bar
    assert tool("save_weights_hist", "--input_model", tmp_path / "m.onnx", "--output", tmp_path / "channels", "--perchannel") == 0
    assert sorted(each.name for each in (tmp_path / "channels").iterdir()) == ["a_b_c_per_channel.svg", "a_b_c_per_channel_2.svg", "w.svg"]
    assert (tmp_path / "channels" / "a_b_c_per_channel.svg").read_text().count("<rect ") == 2
    monkeypatch.chdir(tmp_path)
    assert set(module("save_weights_hist").save_weights_hist(given)) == {"w", "a/b.c", "a:b.c"} and (tmp_path / "weights_hist" / "w.svg").exists()
    del given.graph.initializer[:]
    given.graph.node[0].input[1] = "x"
    onnx.save(given, tmp_path / "m.onnx")
    assert tool("save_weights_hist", "--input_model", tmp_path / "m.onnx") == 2 and "no constants to draw" in capsys.readouterr().err


def test_pictures_of_activations(model, data, samples, reader, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert tool("save_tensor_hist", "--input_model", tmp_path / model, "--data_path", tmp_path / data, "--output_path", tmp_path / "pictures") == 0
    drawn = sorted(each.name for each in (tmp_path / "pictures").iterdir())
    assert "input.svg" in drawn and all(each.endswith(".svg") for each in drawn)
    module("save_tensor_hist").save_tensor_hist_figure(onnx.load(tmp_path / model), reader(samples))
    assert sorted(each.name for each in (tmp_path / "tensor_hist").iterdir()) == drawn
    assert tool("save_tensor_hist", "--input_model", tmp_path / model, "--data_path", tmp_path / "none.npz") == 2 and "none.npz" in capsys.readouterr().err


def test_pictures_of_real_models(real, tmp_path):
    plain, _, _ = real()
    onnx.save(plain, tmp_path / "float.onnx")
    assert tool("save_tensor_hist", "--input_model", tmp_path / "float.onnx", "--data_path", tmp_path / "samples.npy", "--output_path", tmp_path / "pictures") == 0
    assert len(list((tmp_path / "pictures").iterdir())) > 20
    assert len(module("save_weights_hist").save_weights_hist(plain, tmp_path / "weights", perchannel=True)) == len(plain.graph.initializer)
