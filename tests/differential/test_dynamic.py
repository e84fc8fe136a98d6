"""--target dynamic: against stored runs of ONNX Runtime's quantizer, against its quantize_dynamic on real models, and against float."""
import json
import logging
import re

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

import graph_goldens as goldens

INTEGER = {"MatMulInteger", "ConvInteger", "DynamicQuantizeLSTM", "QAttention", "QEmbedLayerNormalization", "DynamicQuantizeLinear"}
REFERENCE = ["--target", "dynamic", "--compat", "onnxruntime"]


def quantize(preon, model, *options, output="q.onnx"):
    done = preon("quantize", model, "-o", output, "--json", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return onnx.load(preon.folder / output), json.loads(done.stdout)


def sqnr_db(wanted, got):
    return 10 * np.log10(np.square(wanted).sum() / np.square(wanted - got).sum())


@pytest.mark.parametrize("name", goldens.names("ort", "ort:dynamic"))
def test_stored_runs(preon, name):
    """Operators, names, types, scales, zero points, codes and outputs. What differs on purpose: a model without anything to
    quantize is an error."""
    stored = goldens.stored_run("ort", name, "ort:dynamic")
    model = goldens.GRAPHS / f"models/{name}.onnx"
    if not any(node[0] in INTEGER for node in stored["nodes"]):
        preon.fails(2, 2010, "quantize", model, "-o", "q.onnx", *REFERENCE, "--per-tensor")
        return
    quantized, _ = quantize(preon, model, *REFERENCE, "--per-tensor")
    source, written = (goldens.constants(m) for m in (onnx.load(model), quantized))
    assert goldens.operators(quantized) == goldens.stored_operators(stored)
    compared = 0
    for constant, entry in stored["init"].items():
        wanted = goldens.stored_constant(entry, source)
        np.testing.assert_array_equal(written[constant], wanted, err_msg=constant)
        assert written[constant].dtype == wanted.dtype and written[constant].shape == wanted.shape, constant
        compared += 1
    assert compared >= 3
    for output, values in goldens.outputs(quantized, goldens.sample(name)).items():
        if goldens.adds_in_32_bits():
            np.testing.assert_array_equal(values.ravel(), goldens.stored_floats(stored["y"][output]))


@pytest.mark.parametrize("options, arguments", [
    ([], {"per_channel": True}), (["--per-tensor"], {}), (["--per-tensor", "--weight", "uint8"], {"weight_type": QuantType.QUInt8})])
@pytest.mark.parametrize("name", ["sst2_transformer", "chargpt_shakespeare", "dtln_model_1", "dtln_model_2", "gtcrn_stream_simple"])
def test_against_the_runtimes_quantizer(preon, model_path, name, options, arguments, caplog):
    """The integer operators and every code of their constants, on graphs that nothing rewrote before."""
    path = model_path(name)
    caplog.set_level(logging.ERROR)   # until the test ends
    quantize_dynamic(path, preon.folder / "reference.onnx", **arguments)
    reference = onnx.load(preon.folder / "reference.onnx")
    kept = ["remove_initializer_inputs", "constant_to_initializer"]
    repeated = preon("calibrate", "--disable-pass", "help").stdout.split("repeated until nothing changes:")[1].split("passes of")[0]
    passes = re.findall(r"^  (\w+)", repeated, re.MULTILINE)
    ours, _ = quantize(preon, path, *REFERENCE, *options, *[f"--disable-pass={name}" for name in passes if name not in kept])
    count = lambda model: {op: n for (op, _), n in goldens.operators(model).items() if op in INTEGER}
    assert count(ours) == count(reference)
    codes, wanted = goldens.constants(ours), goldens.constants(reference)
    names = [tensor for tensor in wanted if tensor.endswith("_quantized")]
    assert names
    for tensor in names:
        np.testing.assert_array_equal(codes[tensor], wanted[tensor], err_msg=tensor)
        base = tensor.removesuffix("_quantized")
        for ending in ("_scale", "_zero_point"):
            np.testing.assert_array_equal(codes[base + ending].ravel(), wanted[base + ending].ravel(), err_msg=base + ending)


def samples(name):
    """Of the models here, as input -> array with axis 0 = samples."""
    rng = np.random.default_rng(3)
    if name == "sst2_transformer":
        rows = np.load(goldens.DATA / "text/sst2_dev_ids_mask_label.npy")[:100].astype(np.int64)
        return {"input_ids": rows[:, :64], "attention_mask": rows[:, 64:128]}
    if name == "chargpt_shakespeare":
        text = (goldens.DATA / "text/tinyshakespeare.txt").read_text()
        letters = sorted(set(text))
        return {"tokens": np.array([letters.index(letter) for letter in text[-12 * 64:]], np.int64).reshape(12, 64)}
    return {"input_2": np.abs(rng.normal(size=(12, 1, 1, 257))).astype(np.float32),
            "input_3": (0.3 * rng.normal(size=(12, 1, 2, 128, 2))).astype(np.float32)}


def mean_sqnr_db(model, float_model, feeds):
    """Over the outputs of all samples, one run each."""
    runs = [goldens.session(onnx.load(path), optimized=True) for path in (float_model, model)]
    noise = []
    for index in range(len(next(iter(feeds.values())))):
        feed = {}
        for spec in runs[0].get_inputs():
            values = feeds[spec.name][index]
            feed[spec.name] = values if values.ndim == len(spec.shape) else values[None]
        noise += [10 ** (-sqnr_db(*outputs) / 10) for outputs in zip(*(run.run(None, feed) for run in runs))]
    return -10 * np.log10(np.mean(noise))


@pytest.mark.parametrize("name", ["sst2_transformer", "chargpt_shakespeare", "dtln_model_1"])
def test_nearer_to_float_than_the_runtimes(preon, model_path, name, caplog):
    path, feeds = model_path(name), samples(name)
    caplog.set_level(logging.ERROR)   # until the test ends
    quantize_dynamic(path, preon.folder / "reference.onnx")
    _, result = quantize(preon, path, "--target", "dynamic")
    ours, theirs = (mean_sqnr_db(preon.folder / file, path, feeds) for file in ("q.onnx", "reference.onnx"))
    assert ours > theirs + 1 and ours > 25, (ours, theirs)
    assert result["placement"]["integer_macs_share"] > 0.85
    assert result["method"] == "none" and result["observed_tensors"] == 0


def test_fused_transformer_operators(preon):
    """Attention and EmbedLayerNormalization of the runtime's own transformer form."""
    rng = np.random.default_rng(5)
    hidden, vocabulary, length = 64, 200, 16
    constants = {"word": (vocabulary, hidden), "position": (length, hidden), "segment": (2, hidden), "gamma": (hidden,), "beta": (hidden,),
                 "qkv": (hidden, 3 * hidden), "qkv_bias": (3 * hidden,)}
    values = {name: (rng.normal(size=shape) * 0.2).astype(np.float32) for name, shape in constants.items()}
    values["gamma"] += 1
    nodes = [
        helper.make_node("EmbedLayerNormalization", ["ids", "segments", "word", "position", "segment", "gamma", "beta"], ["embedded", "mask"],
                         name="embed", domain="com.microsoft", epsilon=1e-5),
        helper.make_node("Attention", ["embedded", "qkv", "qkv_bias"], ["y"], name="attention", domain="com.microsoft", num_heads=4)]
    shape = ["N", length]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info(name, onnx.TensorProto.INT32, shape) for name in ("ids", "segments")],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", length, hidden])],
                              [numpy_helper.from_array(value, name) for name, value in values.items()])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8),
              preon.folder / "model.onnx")
    np.savez(preon.folder / "data.npz", ids=rng.integers(0, vocabulary, (4, length)).astype(np.int32), segments=np.zeros((4, length), np.int32))
    quantized, result = quantize(preon, "model.onnx", "--target", "dynamic", "--data", "data.npz")
    assert {op for op, _ in goldens.operators(quantized)} == {"QEmbedLayerNormalization", "DynamicQuantizeLinear", "QAttention"}
    assert set(result["placement"]["integer"]) == {"embed", "attention"}
    assert result["compare"]["outputs"]["y"]["sqnr_db"] > 25
    for per_channel, options in ((True, []), (False, ["--per-tensor"])):
        quantize_dynamic(preon.folder / "model.onnx", preon.folder / "reference.onnx", per_channel=per_channel)
        ours, _ = quantize(preon, "model.onnx", *REFERENCE, *options, "--data", "data.npz")
        reference = onnx.load(preon.folder / "reference.onnx")
        assert goldens.operators(ours) == goldens.operators(reference)
        mine = goldens.constants(ours)
        for name, value in goldens.constants(reference).items():
            np.testing.assert_array_equal(mine[name].ravel(), value.ravel(), err_msg=name)


def test_branches(preon):
    """Both branches of an If, whose products read the codes of one tensor."""
    rng = np.random.default_rng(6)
    branches = {}
    for name in ("then", "else"):
        weight = numpy_helper.from_array(rng.normal(size=(96, 96)).astype(np.float32), f"w_{name}")
        branches[f"{name}_branch"] = helper.make_graph(
            [helper.make_node("MatMul", ["x", f"w_{name}"], [f"y_{name}"], name=f"matmul_{name}")], name, [],
            [helper.make_tensor_value_info(f"y_{name}", onnx.TensorProto.FLOAT, ["N", 8, 96])], [weight])
    graph = helper.make_graph([helper.make_node("If", ["flag"], ["y"], name="if", **branches)], "g",
                              [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", 8, 96]),
                               helper.make_tensor_value_info("flag", onnx.TensorProto.BOOL, [])],
                              [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["N", 8, 96])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, preon.folder / "model.onnx")
    quantized, _ = quantize(preon, "model.onnx", "--target", "dynamic")
    for flag in (True, False):
        feeds = {"x": rng.normal(size=(2, 8, 96)).astype(np.float32), "flag": np.array(flag)}
        wanted, got = (goldens.outputs(m, feeds, optimized=True)["y"] for m in (model, quantized))
        assert 30 < sqnr_db(wanted, got) < 60
    node, = [node for node in quantized.graph.node if node.op_type == "If"]
    for attribute in node.attribute:
        assert "MatMulInteger" in {inner.op_type for inner in attribute.g.node}
    preon.fails(2, 2010, "quantize", "model.onnx", "-o", "o.onnx", *REFERENCE)  # other tools leave branches alone


@pytest.mark.parametrize("options, number, says", [
    (["--method", "minmax"], 1004, "--method"),
    (["--activation", "int8"], 1007, "only uint8"),
    (["--weight", "int4"], 1007, "int8 and uint8"),
    (["--symmetric"], 1004, "--symmetric"),
    (["--scale-type", "power-of-two"], 1004, "--scale-type"),
    (["--block-size", "32"], 1004, "--block-size"),
    (["--weight-form", "folded"], 1004, "--weight-form"),
    (["--accuracy-level", "1"], 1004, "--accuracy-level"),
    (["--calib", "a.calib"], 1004, "--calib")])
def test_what_does_not_go_with_it(preon, model, options, number, says):
    preon.fails(2, number, "quantize", model, "-o", "o.onnx", "--target", "dynamic", *options, says=says)


@pytest.mark.parametrize("verb", ["calibrate", "instrument"])
def test_there_is_nothing_to_collect(preon, model, data, verb):
    preon.fails(2, 1004, verb, model, "-o", "o.out", "--data", data, "--target", "dynamic", says="nothing to collect")


def test_exclusions_by_the_names_of_the_file(preon, model):
    """A Gemm becomes two nodes under names of their own."""
    quantized, _ = quantize(preon, model, "--target", "dynamic")
    assert "gemm_1_MatMul_quant" in {node.name for node in quantized.graph.node}
    preon.fails(2, 2010, "quantize", model, "-o", "o.onnx", "--target", "dynamic", "--exclude", "gemm_1")


def test_bodies_of_loops(preon):
    """A Scan whose body holds a constant matrix, as other tools' quantizers leave it alone."""
    rng = np.random.default_rng(7)
    weight = (rng.normal(size=(192, 192)) / 14).astype(np.float32)
    value = helper.make_tensor_value_info
    body = helper.make_graph(
        [helper.make_node("Constant", [], ["w"], value=numpy_helper.from_array(weight)),
         helper.make_node("Gemm", ["state", "w", "step"], ["sum"], name="inner", transB=1), helper.make_node("Tanh", ["sum"], ["next"]),
         helper.make_node("Identity", ["next"], ["seen"])], "body",
        [value("state", onnx.TensorProto.FLOAT, [1, 192]), value("step", onnx.TensorProto.FLOAT, [1, 192])],
        [value("next", onnx.TensorProto.FLOAT, [1, 192]), value("seen", onnx.TensorProto.FLOAT, [1, 192])])
    graph = helper.make_graph([helper.make_node("Scan", ["start", "x"], ["last", "y"], name="scan", num_scan_inputs=1, body=body)], "g",
                              [value("start", onnx.TensorProto.FLOAT, [1, 192]), value("x", onnx.TensorProto.FLOAT, [9, 1, 192])],
                              [value("last", onnx.TensorProto.FLOAT, [1, 192]), value("y", onnx.TensorProto.FLOAT, [9, 1, 192])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, preon.folder / "model.onnx")
    quantized, result = quantize(preon, "model.onnx", "--target", "dynamic")
    inside = quantized.graph.node[0].attribute
    operators = [node.op_type for attribute in inside if attribute.name == "body" for node in attribute.g.node]
    assert operators.count("MatMulInteger") == 1 and "Gemm" not in operators
    assert any("bodies of Loop and Scan" in warning for warning in result["warnings"])
    feeds = {"start": np.zeros((1, 192), np.float32), "x": rng.normal(size=(9, 1, 192)).astype(np.float32)}
    wanted, got = (goldens.outputs(m, feeds, optimized=True)["y"] for m in (model, quantized))
    assert 25 < sqnr_db(wanted, got) < 60
    assert (preon.folder / "q.onnx").stat().st_size < 0.4 * (preon.folder / "model.onnx").stat().st_size
    preon.fails(2, 2010, "quantize", "model.onnx", "-o", "o.onnx", *REFERENCE)


def scan_of_outer_weight(preon, size, as_state=False, outer_reader=False):
    """A Scan whose body reads a matrix of the graph around it, or has it as a state that never changes; another product may read the matrix, too."""
    rng = np.random.default_rng(7)
    value, row = helper.make_tensor_value_info, [1, size]
    weight = numpy_helper.from_array((rng.normal(size=(size, size)) / size**0.5).astype(np.float32), "w")
    inside = "kept" if as_state else "w"
    nodes = [helper.make_node("MatMul", ["state", inside], ["product"], name="inner"), helper.make_node("Add", ["product", "step"], ["sum"]),
             helper.make_node("Tanh", ["sum"], ["next"]), helper.make_node("Identity", ["next"], ["seen"])]
    states, results = [value("state", onnx.TensorProto.FLOAT, row)], [value("next", onnx.TensorProto.FLOAT, row)]
    if as_state:
        nodes.append(helper.make_node("Identity", ["kept"], ["kept_on"]))
        states.append(value("kept", onnx.TensorProto.FLOAT, [size, size]))
        results.append(value("kept_on", onnx.TensorProto.FLOAT, [size, size]))
    body = helper.make_graph(nodes, "body", [*states, value("step", onnx.TensorProto.FLOAT, row)], [*results, value("seen", onnx.TensorProto.FLOAT, row)])
    start = ["start", "w"] if as_state else ["start"]
    outer = [helper.make_node("Scan", [*start, "x"], [*(f"last_{name}" for name in start), "y"], name="scan", num_scan_inputs=1, body=body)]
    outputs = [value("y", onnx.TensorProto.FLOAT, [9, *row])]
    if outer_reader:
        outer.append(helper.make_node("MatMul", ["start", "w"], ["z"], name="outer"))
        outputs.append(value("z", onnx.TensorProto.FLOAT, row))
    graph = helper.make_graph(outer, "g", [value("start", onnx.TensorProto.FLOAT, row), value("x", onnx.TensorProto.FLOAT, [9, *row])], outputs, [weight])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, preon.folder / "model.onnx")
    return model, {"start": rng.normal(size=row).astype(np.float32), "x": rng.normal(size=(9, *row)).astype(np.float32)}


@pytest.mark.parametrize("outer_reader", [False, True])
def test_outer_constants_of_bodies(preon, outer_reader):
    """Codes lie in the body, and no floats stay outside."""
    model, feeds = scan_of_outer_weight(preon, 192, outer_reader=outer_reader)
    quantized, _ = quantize(preon, "model.onnx", "--target", "dynamic")
    assert not any(tensor.data_type == onnx.TensorProto.FLOAT and np.prod(tensor.dims) > 1000 for tensor in quantized.graph.initializer)
    assert (preon.folder / "q.onnx").stat().st_size < (0.65 if outer_reader else 0.4) * (preon.folder / "model.onnx").stat().st_size
    wanted, got = (goldens.outputs(m, feeds, optimized=True)["y"] for m in (model, quantized))
    assert 25 < sqnr_db(wanted, got) < 60


@pytest.mark.parametrize("size, as_state", [(160, False), (192, True)])
def test_a_constant_that_a_body_reads_in_float_gets_no_codes_beside_it(preon, size, as_state):
    """The product of the body is too small, or reads a state: the floats stay in the file."""
    model, _ = scan_of_outer_weight(preon, size, as_state, outer_reader=True)
    model.graph.node.append(helper.make_node("MatMul", ["z", "v"], ["end"], name="last"))
    model.graph.output.append(helper.make_tensor_value_info("end", onnx.TensorProto.FLOAT, [1, 256]))
    model.graph.initializer.append(numpy_helper.from_array(np.random.default_rng(8).normal(size=(size, 256)).astype(np.float32), "v"))
    onnx.save(model, preon.folder / "model.onnx")
    quantized, result = quantize(preon, "model.onnx", "--target", "dynamic")
    assert result["placement"]["integer"] == ["last"]
    reason = next(node for node in result["placement"]["float"] if node["node"] == "outer")
    assert reason["reason"] == "sub-graph" and "would make the file larger" in reason["detail"]
    kept = [tensor for tensor in quantized.graph.initializer if list(tensor.dims) == [size, size]]
    assert [tensor.data_type for tensor in kept] == [onnx.TensorProto.FLOAT]


def test_nodes_without_names_outside_and_in_a_body(preon):
    """They are numbered anew in each graph; tensors have names of their own in all."""
    model = onnx.parser.parse_model('''<ir_version: 8, opset_import: ["": 17]>
        g (float[N, 192] x, int64 n) => (float[N, 192] y) <bool t = {1}> {
          a = MatMul(x, w)
          z = Loop(n, t, a) <body = b (int64 i, bool c, float[N, 192] s) => (bool c2, float[N, 192] s2) {
            c2 = Identity(c)
            p = MatMul(x, v)
            q = MatMul(a, w)
            r = Add(p, q)
            s2 = Add(s, r) }>
          y = Add(z, a) }''')
    rng = np.random.default_rng(3)
    for name in ("w", "v"):
        model.graph.initializer.append(numpy_helper.from_array(rng.normal(size=(192, 192)).astype(np.float32), name))
    onnx.save(model, preon.folder / "model.onnx")
    np.savez(preon.folder / "d.npz", x=rng.normal(size=(8, 192)).astype(np.float32), n=np.full(8, 2))
    quantized, result = quantize(preon, "model.onnx", "--target", "dynamic", "--data", "d.npz", "--latency", 0)
    body = next(node for node in quantized.graph.node if node.op_type == "Loop").attribute[0].g
    assert [sum(node.op_type == "MatMulInteger" for node in graph.node) for graph in (quantized.graph, body)] == [1, 2]
    assert result["compare"]["outputs"]["y"]["sqnr_db"] > 30
