"""The operator library in Python's onnxruntime: Quark's operators, in both domains, against what Quark computed."""
import functools
import json
import os
import pathlib

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARY = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build") / "lib/libpreon_ops.so"
VECTORS = data_root.QUARK / "formats"
DOMAINS = {"com.amd.quark": 0, "com.vai.quantize": 1}
NAMES = {name: (name, older) for name, older in [
    ("BFPQuantizeDequantize", "BFPFixNeuron"), ("MXQuantizeDequantize", "MXFixNeuron"),
    ("ExtendedQuantizeLinear", "VitisQuantizeLinear"), ("ExtendedDequantizeLinear", "VitisDequantizeLinear"),
    ("ExtendedInstanceNormalization", "VitisInstanceNormalization"), ("ExtendedLSTM", "VitisLSTM")]}
ALL, OFF = ort.GraphOptimizationLevel.ORT_ENABLE_ALL, ort.GraphOptimizationLevel.ORT_DISABLE_ALL


def session(model, threads=1, level=ALL):
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.graph_optimization_level = level
    options.log_severity_level = 4
    options.register_custom_ops_library(str(LIBRARY))
    return ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def model_of(nodes, inputs, outputs, constants=None):
    """inputs, outputs: name -> (element type, shape or None)."""
    infos = lambda values: [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in values.items()]
    graph = helper.make_graph(nodes, "ops", infos(inputs), infos(outputs), list((constants or {}).values()))
    imports = [helper.make_opsetid(domain, version) for domain, version in [("", 17), *((domain, 1) for domain in DOMAINS)]]
    return helper.make_model(graph, opset_imports=imports, ir_version=9)


def node(op, domain, inputs, outputs, **attributes):
    return helper.make_node(NAMES[op][DOMAINS[domain]], inputs, outputs, domain=domain, **attributes)


def block_model(op, domain, kind, shape, **attributes):
    return model_of([node(op, domain, ["x"], ["y"], **attributes)], {"x": (kind, shape)}, {"y": (kind, shape)})


@functools.cache
def vectors(name):
    path = VECTORS / name
    return json.loads(path.read_text()) if name.endswith(".json") else dict(np.load(path))


@pytest.fixture(autouse=True)
def built():
    if not LIBRARY.exists():
        pytest.skip(f"{LIBRARY} is not built")


def assert_same_floats(got, wanted, kind):
    """NaN by NaN-ness, everything else bit for bit."""
    wanted = wanted.view(kind)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    bits = got.view(np.uint32 if kind == np.float32 else np.uint16), wanted.view(np.uint32 if kind == np.float32 else np.uint16)
    np.testing.assert_array_equal(bits[0][~np.isnan(wanted)], bits[1][~np.isnan(wanted)])


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("name", ["BFP16", "MX4", "MX6", "MX9", "MXINT8", "MXFP4_E2M1", "MXFP6_E3M2", "MXFP6_E2M3", "MXFP8_E5M2", "MXFP8_E4M3"])
def test_block_formats(name, domain):
    cases, arrays = vectors("index.json")[name], vectors(f"{name}.npz")
    for case in cases["cases"]:
        kind = np.dtype(case["dtype"]).type
        element = TensorProto.FLOAT if kind is np.float32 else TensorProto.FLOAT16
        x = arrays[case["x"]].view(kind).reshape(case["shape"])
        model = block_model(cases["op"], domain, element, case["shape"], **case["attributes"])
        got = session(model).run(None, {"x": x})[0]
        assert_same_floats(got, arrays[case["y"]].reshape(case["shape"]), kind)


TYPES = {"UINT8": np.uint8, "INT8": np.int8, "UINT16": np.uint16, "INT16": np.int16, "UINT32": np.uint32, "INT32": np.int32,
         "FLOAT16": np.float16, "BFLOAT16": None}


def zero_point_tensor(values, kind):
    """Scalar or 1-D constant of any of the operators' types."""
    values = np.asarray(values)
    if kind == "BFLOAT16":
        bits = (values.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
        return helper.make_tensor("zero_point", TensorProto.BFLOAT16, values.shape, bits.tobytes(), raw=True)
    return numpy_helper.from_array(values.astype(TYPES[kind]), "zero_point")


def extended_model(domain, kind, scale, zero_point, shape, codes=False, **attributes):
    nodes = [node("ExtendedQuantizeLinear", domain, ["x", "scale", "zero_point"], ["q"], **attributes),
             node("ExtendedDequantizeLinear", domain, ["q", "scale", "zero_point"], ["y"], **attributes)]
    zero = zero_point_tensor(zero_point, kind)
    constants = {"scale": numpy_helper.from_array(np.asarray(scale, np.float32), "scale"), "zero_point": zero}
    outputs = {"y": (TensorProto.FLOAT, shape)}
    if codes:
        outputs["q"] = (zero.data_type, shape)
    return model_of(nodes, {"x": (TensorProto.FLOAT, shape)}, outputs, constants)


@pytest.mark.parametrize("level", [ALL, OFF])
@pytest.mark.parametrize("domain", DOMAINS)
def test_extended_pairs(domain, level):
    arrays, compared = vectors("extended.npz"), 0
    for case in vectors("extended.json")["cases"]:
        kind, shape = case["zero_point_type"], case["shape"]
        x = arrays[case["x"]].view(np.float32).reshape(shape)
        codes = case["case"] + ".q" in arrays
        scale = np.asarray(case["scale"], np.float64)
        axis = case["attributes"].get("axis", 0) % len(shape)
        wide = scale.reshape([-1 if i == axis else 1 for i in range(len(shape))]) if scale.ndim else scale
        with np.errstate(all="ignore"):
            # Beyond int64 Quark's conversion is undefined; ours saturates.
            defined = np.abs(x.astype(np.float64) / wide) < 2.0**63 if kind.lstrip("U").startswith("INT") else np.ones(shape, bool)
        model = extended_model(domain, kind, case["scale"], case["zero_point"], shape, codes, **case["attributes"])
        got = session(model, level=level).run(None, {"x": x})
        wanted = arrays[case["case"] + ".y"].view(np.float32).reshape(shape)
        same = (got[0] == wanted) | (np.isnan(got[0]) & np.isnan(wanted))
        assert same[defined].all(), case["case"]
        if codes and kind != "FLOAT16":
            np.testing.assert_array_equal(got[1][defined], arrays[case["case"] + ".q"].view(TYPES[kind]).reshape(shape)[defined])
        compared += int(defined.sum())
    assert compared > 5000


def from_hex(words):
    return np.array([int(word, 16) for word in words], np.uint32).view(np.float32)


@pytest.mark.parametrize("domain", DOMAINS)
def test_instance_normalization(domain):
    for case in vectors("norm_lstm.json")["instance_norm"]:
        shape = case["shape"]
        constants = {name: numpy_helper.from_array(np.float32(case[key]), name) for name, key in [("scale", "scale"), ("bias", "bias")]}
        model = model_of([node("ExtendedInstanceNormalization", domain, ["x", "scale", "bias"], ["y"], epsilon=case["epsilon"])],
                         {"x": (TensorProto.FLOAT, shape)}, {"y": (TensorProto.FLOAT, shape)}, constants)
        got = session(model, threads=2).run(None, {"x": from_hex(case["x"]).reshape(shape)})[0]
        assert_same_floats(got, from_hex(case["y"]).reshape(shape), np.float32)


@pytest.mark.parametrize("domain", DOMAINS)
def test_lstm(domain):
    for case in vectors("norm_lstm.json")["lstm"]:
        hidden, size, steps = case["hidden"], case["input"], case["seq"]
        shapes = {"W": (2, 4 * hidden, size), "R": (2, 4 * hidden, hidden), "B": (2, 8 * hidden)}
        constants = {name: numpy_helper.from_array(from_hex(case[name]).reshape(shape), name) for name, shape in shapes.items()}
        model = model_of([node("ExtendedLSTM", domain, ["X", "W", "R", "B"], ["y"], hidden_size=hidden, **case["attributes"])],
                         {"X": (TensorProto.FLOAT, [steps, 1, size])}, {"y": (TensorProto.FLOAT, [steps, 2, 1, hidden])}, constants)
        got = session(model).run(None, {"X": from_hex(case["X"]).reshape(steps, 1, size)})[0]
        # One code for another C library's tanh.
        np.testing.assert_allclose(got.ravel(), from_hex(case["y"]), rtol=0, atol=1.001 * case["attributes"]["y_scale"])


@pytest.mark.parametrize("kind", TYPES)
def test_the_tensor_between_a_pair_needs_no_type(kind):
    x = np.linspace(-3, 4, 60, dtype=np.float32).reshape(3, 20)
    results = []
    for level in (ALL, OFF):
        sess = session(extended_model("com.amd.quark", kind, 0.05, 0, ["N", 20]), level=level)
        assert sess.get_outputs()[0].shape == ["N", 20]
        results.append(sess.run(None, {"x": x})[0])
    np.testing.assert_array_equal(*results)
    if kind != "FLOAT16":  # which has no scale here
        assert np.abs(results[0] - np.clip(x, 0 if kind.startswith("U") else -6.4, 6.35)).max() < 0.05


def test_the_same_bits_on_any_number_of_threads():
    x = np.random.default_rng(3).normal(size=(5, 37, 64)).astype(np.float32) * 100
    for op, attributes in [("BFPQuantizeDequantize", {"axis": 1}), ("MXQuantizeDequantize", {"element_dtype": "fp4_e2m1", "axis": -1})]:
        model = block_model(op, "com.amd.quark", TensorProto.FLOAT, [5, 37, 64], **attributes)
        one, two = (session(model, threads).run(None, {"x": x})[0] for threads in (1, 2))
        np.testing.assert_array_equal(one, two)
        assert 0 < np.abs(one - x).max() < 100


def test_empty_tensors_stay_empty():
    model = block_model("MXQuantizeDequantize", "com.amd.quark", TensorProto.FLOAT, ["N", 8])
    assert session(model).run(None, {"x": np.zeros((0, 8), np.float32)})[0].shape == (0, 8)


@pytest.mark.parametrize("op, attributes, says", [
    ("BFPQuantizeDequantize", {"rounding_mode": 3}, "rounding_mode"),
    ("BFPQuantizeDequantize", {"block_size": 0}, "block_size"),
    ("BFPQuantizeDequantize", {"bit_width": 9}, "bit_width"),
    ("BFPQuantizeDequantize", {"bfp_method": "to_bfq"}, "bfp_method"),
    ("BFPQuantizeDequantize", {"axis": 2}, "axis"),
    ("BFPQuantizeDequantize", {"axis": "1"}, "axis"),
    ("BFPQuantizeDequantize", {"bfp_method": "to_bfp_prime", "sub_block_size": 3}, "sub_block"),
    ("MXQuantizeDequantize", {"element_dtype": "fp5"}, "element_dtype"),
    ("MXQuantizeDequantize", {"element_dtype": 1}, "element_dtype"),
    ("MXQuantizeDequantize", {"axis": -3}, "axis"),
    ("MXQuantizeDequantize", {"block_size": [8]}, "block_size"),
    ("BFPQuantizeDequantize", {"rounding_mode": [1.0]}, "rounding_mode"),
    ("MXQuantizeDequantize", {"block_size": -32}, "block_size")])
def test_bad_attributes(op, attributes, says):
    with pytest.raises(Exception, match=f"preon: .*{says}"):
        session(block_model(op, "com.amd.quark", TensorProto.FLOAT, [2, 8], **attributes)).run(None, {"x": np.ones((2, 8), np.float32)})


def test_bad_types_and_shapes():
    x = np.ones((3, 4), np.float32)
    with pytest.raises(Exception, match="float32 or float16"):
        session(block_model("MXQuantizeDequantize", "com.amd.quark", TensorProto.DOUBLE, [3, 4])).run(None, {"x": x.astype(np.float64)})
    for scale, zero_point, attributes, says in [([1, 2], [0, 0], {"axis": 0}, "2 scales, wanted 3"), ([1, 2, 3], [0, 0], {}, "2 zero points"),
                                                ([1, 2, 3], [0, 0, 0], {"axis": 2}, "axis")]:
        with pytest.raises(Exception, match=f"preon: .*{says}"):
            session(extended_model("com.amd.quark", "INT8", scale, zero_point, [3, 4], **attributes)).run(None, {"x": x})


def test_data_of_another_type_than_the_zero_point():
    """The runtime lets it pass; reading on would leave the tensor."""
    constants = {"scale": numpy_helper.from_array(np.float32(0.1), "scale"), "zero_point": numpy_helper.from_array(np.int32(0), "zero_point")}
    model = model_of([node("ExtendedDequantizeLinear", "com.amd.quark", ["x", "scale", "zero_point"], ["y"])],
                     {"x": (TensorProto.UINT8, ["N"])}, {"y": (TensorProto.FLOAT, ["N"])}, constants)
    with pytest.raises(Exception, match="x: got uint8, wanted int32"):
        session(model).run(None, {"x": np.zeros(5, np.uint8)})


def test_lstms_that_cannot_be():
    shapes = {"W": (2, 8, 3), "R": (2, 8, 2), "B": (2, 16)}
    good = {f"{letter}_{what}": value for letter in "xwrby" for what, value in [("scale", 1e-4), ("zero_point", 32768)]}
    constants = {name: numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in shapes.items()}
    x = np.ones((2, 1, 3), np.float32)

    def run(hidden=2, data=x, **changes):
        attributes = {name: value for name, value in (good | changes).items() if value is not None}
        model = model_of([node("ExtendedLSTM", "com.amd.quark", ["X", "W", "R", "B"], ["y"], hidden_size=hidden, **attributes)],
                         {"X": (TensorProto.FLOAT, data.shape)}, {"y": (TensorProto.FLOAT, None)}, constants)
        return session(model).run(None, {"X": data})[0]

    assert run().shape == (2, 2, 1, 2)
    for changes, says in [({"x_scale": 1e-20}, "x_scale"), ({"y_scale": 1e6}, "y_scale"), ({"w_scale": None}, "w_scale: missing"),
                          ({"b_zero_point": 70000}, "b_zero_point"), ({"hidden": 2**62}, "hidden_size"), ({"layout": 1}, "layout"),
                          ({"hidden": 3}, "W: wanted shape"), ({"data": np.ones((2, 2, 3), np.float32)}, "X: wanted shape")]:
        with pytest.raises(Exception, match=f"preon: .*{says}"):
            run(**changes)


def test_random_attributes_never_end_the_process():
    """Anything either runs or is refused with words."""
    random, x = np.random.default_rng(7), np.random.default_rng(8).normal(size=(3, 5, 9)).astype(np.float32)
    outcomes = {True: 0, False: 0}
    for _ in range(300):
        op = random.choice(["BFPQuantizeDequantize", "MXQuantizeDequantize"])
        names = ["axis", "block_size", "rounding_mode"] + (["bit_width", "sub_block_size", "sub_block_shift_bits"] if op[0] == "B" else [])
        value = lambda: int(random.choice([0, 1, 2, 3, 8, 16, 17, 32, -1, 2**31, -2**63, 2**63 - 1]))
        attributes = {name: value() for name in names if random.random() < 0.5}
        if random.random() < 0.5:
            attributes |= {"bfp_method": str(random.choice(["to_bfp", "to_bfp_prime", ""]))} if op[0] == "B" else {
                "element_dtype": str(random.choice(["int8", "fp8_e4m3", "fp4_e2m1", "x" * 1000]))}
        try:
            got = session(block_model(op, "com.amd.quark", TensorProto.FLOAT, [3, 5, 9], **attributes)).run(None, {"x": x})[0]
            assert np.isfinite(got).all()
            outcomes[True] += 1
        except Exception as refused:
            assert "preon: " in str(refused), (attributes, refused)
            outcomes[False] += 1
    assert min(outcomes.values()) > 10


@pytest.mark.parametrize("kind, zero", [(TensorProto.BFLOAT16, b"\0\0"), (TensorProto.UINT32, b"\0\0\0\0")])
@pytest.mark.parametrize("level", [OFF, ALL])
def test_a_shape_that_is_not_known_stays_so(kind, zero, level):
    """Behind a Reshape by computed sizes nothing is known of a tensor, not that it is a scalar."""
    constants = {"scale": numpy_helper.from_array(np.float32(0.01), "scale"), "zero": helper.make_tensor("zero", kind, [], zero, raw=True)}
    nodes = [helper.make_node("Reshape", ["x", "sizes"], ["r"]), node("ExtendedQuantizeLinear", "com.amd.quark", ["r", "scale", "zero"], ["q"]),
             node("ExtendedDequantizeLinear", "com.amd.quark", ["q", "scale", "zero"], ["d"]), node("MXQuantizeDequantize", "com.amd.quark", ["d"], ["m"]),
             helper.make_node("Transpose", ["m"], ["y"], perm=[0, 2, 1])]
    model = model_of(nodes, {"x": (TensorProto.FLOAT, ["n", "m"]), "sizes": (TensorProto.INT64, ["k"])}, {"y": (TensorProto.FLOAT, None)}, constants)
    y, = session(model, level=level).run(None, {"x": np.ones((4, 6), np.float32), "sizes": np.array([2, 3, 4])})
    assert y.shape == (2, 4, 3)


def test_sizes_that_the_runtime_does_not_know_yet():
    """Heads are split and joined as exporters write it: the runtime finds the sizes out step by step."""
    fake = lambda name: node("BFPQuantizeDequantize", "com.amd.quark", [name], [name + "_q"], axis=-1, bit_width=16, block_size=8)
    nodes = [fake("x"), helper.make_node("Shape", ["x_q"], ["shape"]), helper.make_node("Gather", ["shape", "first"], ["rows"]),
             helper.make_node("Gather", ["shape", "second"], ["steps"]), helper.make_node("Concat", ["rows", "steps", "heads", "width"], ["split"], axis=0),
             helper.make_node("Reshape", ["x_q", "split"], ["h"]), fake("h"), helper.make_node("Transpose", ["h_q"], ["t"], perm=[0, 2, 1, 3]), fake("t"),
             helper.make_node("MatMul", ["t_q", "turn"], ["turned"]), fake("turned"), helper.make_node("Transpose", ["turned_q"], ["b"], perm=[0, 2, 1, 3]),
             helper.make_node("Concat", ["rows", "steps", "all"], ["joined"], axis=0), helper.make_node("Reshape", ["b", "joined"], ["r"]),
             helper.make_node("MatMul", ["r", "w"], ["y"])]
    sizes = {"first": [0], "second": [1], "heads": [4], "width": [2], "all": [8]}
    constants = {name: numpy_helper.from_array(np.array(value, np.int64), name) for name, value in sizes.items()}
    constants |= {name: numpy_helper.from_array(np.eye(size, dtype=np.float32), name) for name, size in (("turn", 2), ("w", 8))}
    model = model_of(nodes, {"x": (TensorProto.FLOAT, [1, 3, 8])}, {"y": (TensorProto.FLOAT, None)}, constants)
    x = np.ones((1, 3, 8), np.float32)
    np.testing.assert_array_equal(session(model).run(None, {"x": x})[0], x)
