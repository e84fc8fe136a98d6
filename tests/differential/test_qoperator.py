"""--format qoperator: the same outputs as the Q/DQ form as the runtime optimizes it, stored runs of ONNX Runtime's quantizer, and
its quantize_static."""
import json
import logging

import numpy as np
import onnx
import pytest
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import graph_goldens as goldens

PAIRS = {"QuantizeLinear", "DequantizeLinear"}


def quantize(preon, model, output, *options):
    done = preon("quantize", model, "-o", output, "--json", "--quiet", *options, timeout=300)
    assert done.returncode == 0, done.stderr
    return onnx.load(preon.folder / output), json.loads(done.stdout)


def names(model):
    return {op for op, _ in goldens.operators(model)}


def distance(one, other):
    """Relative: kernels round codes otherwise, so single values differ by some of them."""
    return np.linalg.norm(one - other) / np.linalg.norm(other)


@pytest.mark.thorough
@pytest.mark.parametrize("name, options", [
    ("resnet20_cifar10", []), ("resnet20_cifar10", ["--target", "quark", "--activation", "int8", "--per-tensor"]),
    ("mobilenetv2_1.0", []), ("sst2_transformer", []), ("lenet_mnist", ["--compat", "quark"]), ("ultraface_rfb_320", []),
    pytest.param("yolox_nano", [], marks=pytest.mark.slow), pytest.param("vit_cifar10_ibp_3_3_8", [], marks=pytest.mark.slow), ("lenet_mnist", ["--per-tensor"])])
def test_the_same_outputs_as_in_qdq_form(real_model, name, options):
    model = real_model(name)
    arguments = ["--data", "calib.npz", "--method", "minmax", "--effort", "fast", *options]  # else codes are fitted to one form
    qdq, before = quantize(model.preon, model.path, "qdq.onnx", *arguments)
    ours, after = quantize(model.preon, model.path, "q.onnx", *arguments, "--format", "qoperator")
    runs = {(form, optimized): goldens.session(form_model, optimized)
            for form, form_model in (("qdq", qdq), ("qoperator", ours)) for optimized in (True, False)}
    exact = "--target" not in options   # signed codes: the runtime makes others of them
    others = {"--target", "--compat"} & set(options)  # whose weights use all codes
    for feed in model.feeds():
        outputs = {key: run.run(None, feed) for key, run in runs.items()}
        for got, plain, wanted, slow in zip(outputs["qoperator", True], outputs["qoperator", False], outputs["qdq", True], outputs["qdq", False]):
            if exact:
                np.testing.assert_array_equal(got, wanted)
            if goldens.adds_in_32_bits() or not others:
                assert distance(plain, got) < 3e-2 and distance(plain, slow) < 0.15
    # What is integer there is integer here, and without an optimizer.
    assert set(after["placement"]["integer"]) >= set(before["placement"]["integer"])
    integer = {op for op in names(ours) if op.startswith("Q") or op == "MatMulIntegerToFloat"} - PAIRS
    assert integer and "Conv" not in names(ours) - {"Conv"} - integer
    assert sum(goldens.operators(ours).values()) < sum(goldens.operators(qdq).values())


# Target `ort` places quantizers as the runtime's quantizer does in its other form but for these; what is integer in both is still the same.
OTHER_PLACEMENT = {
    "gather_embedding": "the rows of a table have a range of their own",
    "gemm": "a Gemm with alpha and beta stays float between quantizers, where ONNX Runtime loses beta",
}
# ONNX Runtime gives the bias of two nodes the scale of one.
OTHER_SCALES = {"shared_weights": {"bb_quantized"}}
OTHER_OUTPUTS = {"shared_weights"}  # for the same reason


@pytest.mark.parametrize("name", goldens.names("ort", "ort:qop_u8s8"))
def test_stored_runs(preon, name):
    """Operators, codes, scales, zero points and outputs. The output of a Relu that codes absorb is called after the Relu here,
    after what is in front of it there."""
    if name in OTHER_PLACEMENT:
        pytest.skip(OTHER_PLACEMENT[name])
    stored = goldens.stored_run("ort", name, "ort:qop_u8s8")
    if not any(node[0] in PAIRS for node in stored["nodes"]):
        pytest.skip("has no operator that becomes an integer one, which is an error here")
    np.savez(preon.folder / "calib.npz", **goldens.arrays(name, "calib"))
    model = goldens.GRAPHS / f"models/{name}.onnx"
    ours, _ = quantize(preon, model, "q.onnx", "--data", "calib.npz", "--target", "ort", "--activation", "uint8", "--per-tensor",
                       "--method", "minmax", "--compat", "onnxruntime", "--format", "qoperator")
    assert goldens.operators(ours) == goldens.stored_operators(stored)
    source, written = goldens.constants(onnx.load(model)), goldens.constants(ours)
    for constant, entry in stored["init"].items():
        if constant in OTHER_SCALES.get(name, ()):
            continue
        wanted = goldens.stored_constant(entry, source)
        same = [got for got in ([written[constant]] if constant in written else written.values())
                if got.dtype == wanted.dtype and np.array_equal(got.ravel(), wanted.ravel())]
        assert same, constant
    for output, values in goldens.outputs(ours, goldens.sample(name)).items():
        if name not in OTHER_OUTPUTS and goldens.adds_in_32_bits():
            np.testing.assert_array_equal(values.ravel(), goldens.stored_floats(stored["y"][output]))


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = feeds

    def get_next(self):
        return next(self.feeds, None)


@pytest.mark.parametrize("name, convolutions", [("lenet_mnist", 2), ("mobilenetv2_1.0", 52)])
def test_against_the_runtimes_quantizer(real_model, name, convolutions, caplog):
    """Kernels of convolutions, and codes of their weights."""
    model = real_model(name)
    folder = model.preon.folder
    caplog.set_level(logging.ERROR)   # until the test ends
    quantize_static(model.path, folder / "reference.onnx", Reader(model.feeds()), quant_format=QuantFormat.QOperator,
                    activation_type=QuantType.QUInt8, weight_type=QuantType.QInt8)
    reference = onnx.load(folder / "reference.onnx")
    ours, result = quantize(model.preon, model.path, "q.onnx", "--data", "calib.npz", "--method", "minmax", "--compat", "onnxruntime",
                            "--per-tensor", "--format", "qoperator")
    count = lambda m: goldens.operators(m)["QLinearConv", ""]
    assert count(ours) == count(reference) == convolutions
    mine, theirs = goldens.constants(ours), goldens.constants(reference)
    weights = [node.input[3] for node in reference.graph.node if node.op_type == "QLinearConv"]
    equal = [name for name in weights if name in mine and np.array_equal(mine[name], theirs[name])]
    assert len(equal) == len(weights), sorted(set(weights) - set(equal))[:5]


@pytest.mark.parametrize("options, number, says", [
    (["--format", "qlinear"], 1002, "wanted qdq, qoperator or extended"),
    (["--format", "qoperator", "--activation", "uint16"], 1004, "int8 and uint8 only, got uint16"),
    (["--format", "qoperator", "--weight", "int4", "--target", "simulate"], 1004, "int8 and uint8 only"),
    (["--format", "qoperator", "--target", "dynamic"], 1004, "--format: has no effect with --target dynamic"),
    (["--format", "qdq", "--target", "matmul-nbits"], 1004, "--format: has no effect with --target matmul-nbits")])
def test_what_can_not_be(preon, model, data, options, number, says):
    preon.fails(2, number, "quantize", model, "-o", "out.onnx", "--data", data, *options, says=says)


def test_bytes_do_not_depend_on_threads(preon, model, data):
    files = []
    for threads in (1, 3):
        quantize(preon, model, "q.onnx", "--data", data, "--format", "qoperator", "--threads", threads)
        files.append((preon.folder / "q.onnx").read_bytes())
    assert files[0] == files[1]
