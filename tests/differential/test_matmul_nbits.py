"""Weights in n-bit blocks against ONNX Runtime's own quantizer, matrix by matrix, and against what the operator computes."""
import json
import os
import pathlib

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.capi._pybind_state import quantize_matmul_4bits, quantize_matmul_8bits

DATA = data_root.data_root()
BUILT = pathlib.Path(os.environ.get("PREON_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build") / "bench-data/minilm"
MODELS = ["chargpt_shakespeare", "sst2_transformer", "minilm_l6"]
KINDS = [("int4", 32), ("uint4", 32), ("int4", 128), ("uint4", 16), ("int8", 64)]


def model_path(name):
    if name == "minilm_l6" and not (DATA / "models/minilm_l6.onnx").exists():
        path, hint = BUILT / "minilm_l6.onnx", f"bench/build_minilm.sh {BUILT} builds it"
    else:
        path, hint = DATA / f"models/{name}.onnx", "./dev data fetches it"
    if not path.exists():
        pytest.skip(f"{path} is not there ({hint})")
    return path


def runtimes(matrix, bits, block, symmetric):
    """Codes, scales and zero points of ONNX Runtime's DEFAULT algorithm, in the operator's layout."""
    rows, columns = matrix.shape
    blocks = -(-rows // block)
    codes = np.zeros((columns, blocks, block * bits // 8), np.uint8)
    scales = np.zeros(columns * blocks, np.float32)
    zero_points = np.zeros(columns * (-(-blocks * bits // 8)), np.uint8)
    quantize = {4: quantize_matmul_4bits, 8: quantize_matmul_8bits}[bits]
    quantize(codes, np.ascontiguousarray(matrix), scales, zero_points, block, columns, rows, symmetric)
    return codes, scales, None if symmetric else zero_points


def unpacked(codes, bits):
    """Codes along the last axis, the lowest bits first."""
    parts = [codes >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*codes.shape[:-1], -1)


def decoded(codes, scales, zero_points, bits, rows):
    columns, blocks, _ = codes.shape
    values = unpacked(codes, bits).astype(np.float64)
    if zero_points is not None and zero_points.dtype == np.float32:
        zeros = zero_points.reshape(columns, blocks).astype(np.float64)
    elif zero_points is None:
        zeros = np.full((columns, blocks), 1 << bits - 1)
    else:
        zeros = unpacked(zero_points.reshape(columns, -1), bits)[:, :blocks]
    values = (values - zeros[..., None]) * scales.reshape(columns, blocks, 1)
    return values.reshape(columns, -1)[:, :rows].T


def matrices(float_model, quantized):
    """Per MatMulNBits node: the float matrix [K, N], and codes, scales, zero points, bits, block size of the node."""
    weights = {tensor.name: numpy_helper.to_array(tensor) for tensor in float_model.graph.initializer}
    constants = {tensor.name: numpy_helper.to_array(tensor) for tensor in quantized.graph.initializer}
    for node in quantized.graph.node:
        if node.op_type != "MatMulNBits":
            continue
        attributes = {a.name: a.i for a in node.attribute}
        weight = weights[node.input[1].rsplit("_Q", 1)[0]]
        zero_points = constants[node.input[3]] if len(node.input) > 3 and node.input[3] else None
        if weight.shape != (attributes["K"], attributes["N"]):
            weight = weight.T
        yield weight, constants[node.input[1]], constants[node.input[2]], zero_points, attributes["bits"], attributes["block_size"]


def quantize(preon, model, *options):
    done = preon("quantize", model, "-o", "nbits.onnx", "--target", "matmul-nbits", "--json", "--quiet", *options)
    assert done.returncode == 0, done.stderr
    return onnx.load(preon.folder / "nbits.onnx"), json.loads(done.stdout)


@pytest.mark.parametrize("name, weight, block", [
    pytest.param(name, *kind, marks=pytest.mark.slow if name == "minilm_l6" else ()) for name in MODELS for kind in KINDS])
def test_against_the_runtimes_quantizer(preon, name, weight, block):
    path = model_path(name)
    source = onnx.load(path)
    options = ("--weight", weight, "--block-size", block)
    ours = list(matrices(source, quantize(preon, path, *options)[0]))
    theirs = list(matrices(source, quantize(preon, path, *options, "--weight-method", "minmax")[0]))
    assert len(ours) == len(theirs) > 5
    for best, default in zip(ours, theirs):
        matrix, bits, size = best[0].astype(np.float64), best[4], best[5]
        reference = runtimes(best[0], bits, size, weight.startswith("int"))
        for got, wanted in zip(default[1:4], reference):
            np.testing.assert_array_equal(got, wanted)
        errors = [np.square(decoded(*packed, bits, len(matrix)) - matrix).sum() for packed in (best[1:4], reference)]
        assert errors[0] < errors[1] * (1 if bits == 4 else 1.0001)
        assert best[0].nbytes >= 3.5 * sum(part.nbytes for part in best[1:4] if part is not None)


def quantized_by_extremes(matrix, bits, block):
    """ONNX Runtime's DEFAULT with zero points, which it has for 4 and 8 bits, in its own words."""
    padded = np.pad(matrix.astype(np.float64), ((0, -len(matrix) % block), (0, 0))).reshape(-1, block, matrix.shape[1])
    low, high = np.minimum(padded.min(1, keepdims=True), 0), np.maximum(padded.max(1, keepdims=True), 0)
    scale = (high - low) / (2 ** bits - 1)
    zero = np.floor(-low / scale + 0.5)
    codes = np.clip(np.floor(padded / scale + zero + 0.5), 0, 2 ** bits - 1)
    return ((codes - zero) * scale).reshape(-1, matrix.shape[1])[:len(matrix)]


@pytest.mark.parametrize("name, bits, block", [("chargpt_shakespeare", 4, 32), ("sst2_transformer", 4, 128), ("sst2_transformer", 2, 32)])
def test_half_quadratic_grids_are_no_worse_than_the_runtimes(preon, name, bits, block):
    path = model_path(name)
    found = list(matrices(onnx.load(path), quantize(preon, path, "--weight", f"uint{bits}", "--block-size", block, "--weight-method", "hqq")[0]))
    assert len(found) > 5
    sums = np.zeros(2)
    for float_matrix, *packed, _, _ in found:
        matrix = float_matrix.astype(np.float64)
        size = packed[0].shape[2] * 8 // bits
        extremes = quantized_by_extremes(float_matrix, bits, size)
        errors = [np.square(each - matrix).sum() for each in (decoded(*packed, bits, len(matrix)), extremes)]
        assert errors[0] <= errors[1] * 1.0001
        sums += errors
    assert sums[0] < 0.97 * sums[1]


@pytest.fixture
def texts(preon):
    """Saves some to calib.npz; returns a function from options to the SQNR in dB, on others, of chargpt with them, and what was told."""
    path = model_path("chargpt_shakespeare")
    text = np.frombuffer((DATA / "text/tinyshakespeare.txt").read_bytes(), np.uint8)
    letters = json.loads((DATA / "text/charset.json").read_text())
    index = np.zeros(256, np.int64)
    index[[ord(letter) for letter in letters]] = np.arange(len(letters))
    windows = index[text[:128 * 4000]].reshape(-1, 128)
    np.savez(preon.folder / "calib.npz", tokens=windows[:3000:100])
    unseen = {"tokens": windows[3000::50]}
    wanted = ort.InferenceSession(path).run(None, unseen)[0].astype(np.float64)

    def sqnr_db(*more):
        told = quantize(preon, path, *more)[1]
        got = ort.InferenceSession(preon.folder / "nbits.onnx").run(None, unseen)[0]
        return 10 * np.log10(np.square(wanted).sum() / np.square(wanted - got).sum()), told

    return sqnr_db


@pytest.mark.thorough
@pytest.mark.parametrize("options, least_gain_db", [(["--weight", "int4", "--algorithm", "gptq"], 4), (["--weight", "uint4", "--algorithm", "adaquant"], 5),
                                                    (["--weight", "int2", "--algorithm", "gptq:descent=true"], 3)])
def test_codes_that_make_up_for_each_other(texts, options, least_gain_db):
    """On texts that nothing was fitted to; the operator itself computes."""
    nearest, _ = texts(*options[:2])
    better, told = texts(*options, "--data", "calib.npz")
    assert better > nearest + least_gain_db
    assert told["improved"][0]["layers_changed"] > 15 and not told["warnings"]


def test_samples_choose_scales_and_codes(texts):
    options = ["--weight", "int4", "--block-size", "128"]
    nearest, told = texts(*options)
    assert any("skipped without --data: weight-importance" in warning for warning in told["warnings"])
    plain, _ = texts(*options, "--data", "calib.npz", "--effort", "fast", "--disable-algorithm", "weight-importance")
    weighted, told = texts(*options, "--data", "calib.npz", "--effort", "fast")
    assert "improved" not in told and not told["warnings"]
    fitted, told = texts(*options, "--data", "calib.npz")
    assert told["improved"][0]["algorithm"] == "adaquant" and told["improved"][0]["layers_changed"] > 15
    assert plain == nearest and weighted > plain + 0.5 and fitted > weighted + 5


@pytest.mark.parametrize("transposed", [False, True])
def test_a_gemm_keeps_its_bias_in_the_operator(preon, transposed):
    model, _ = gemm_model(transposed)
    onnx.save(model, preon.folder / "gemm.onnx")
    rng = np.random.default_rng(3)
    mix = rng.normal(size=(70, 70)) / 8
    np.savez(preon.folder / "calib.npz", x=(rng.normal(size=(400, 70)) @ mix + 1).astype(np.float32))
    x = (rng.normal(size=(100, 70)) @ mix + 1).astype(np.float32)
    wanted = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x})[0]
    errors = []
    for more in ([], ["--data", "calib.npz", "--batch", "8", "--algorithm", "gptq:target-op-type=Gemm"]):
        quantize(preon, "gemm.onnx", "--weight", "int4", *more)
        errors.append(np.square(ort.InferenceSession(preon.folder / "nbits.onnx").run(None, {"x": x})[0] - wanted).sum())
    assert errors[1] < 0.6 * errors[0]


def gemm_model(transposed):
    rng = np.random.default_rng(4)
    weight = rng.normal(size=(70, 24)).astype(np.float32)
    constants = {"w": weight.T.copy() if transposed else weight, "b": rng.normal(size=24).astype(np.float32)}
    node = helper.make_node("Gemm", ["x", "w", "b"], ["y"], name="gemm", transB=int(transposed))
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 70])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 24])],
                              [numpy_helper.from_array(value, key) for key, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), constants["b"]


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("weight, more", [("int2", []), ("uint2", []), ("int4", []), ("uint4", []), ("int8", []), ("uint8", []),
                                          ("uint8", ["--weight-method", "hqq"]), ("uint4", ["--weight-method", "hqq"]), ("uint2", ["--weight-method", "hqq"])])
def test_the_operator_computes_with_the_decoded_weight(preon, transposed, weight, more):
    model, bias = gemm_model(transposed)
    onnx.save(model, preon.folder / "gemm.onnx")
    quantized, result = quantize(preon, "gemm.onnx", "--weight", weight, "--accuracy-level", "1", *more)
    assert (result["weight"], result["activation"], result["block_size"]) == (weight, "float", 32)
    (_, *packed, bits, _), = matrices(model, quantized)
    x = np.random.default_rng(1).normal(size=(5, 70)).astype(np.float32)
    got = ort.InferenceSession(str(preon.folder / "nbits.onnx"), providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]
    np.testing.assert_allclose(got, x @ decoded(*packed, bits, 70) + bias, rtol=1e-4, atol=1e-4)
    node, = [node for node in quantized.graph.node if node.op_type == "MatMulNBits"]
    assert node.name == f"gemm_Q{bits}" and node.domain == "com.microsoft"


def test_half_quadratic_zero_points_of_8_bits_are_those_of_the_extremes(preon):
    model, _ = gemm_model(False)
    onnx.save(model, preon.folder / "gemm.onnx")
    (_, *ours, _, _), = matrices(model, quantize(preon, "gemm.onnx", "--weight", "uint8", "--weight-method", "minmax")[0])
    quantized, result = quantize(preon, "gemm.onnx", "--weight", "uint8", "--weight-method", "hqq")
    assert any("--weight-method hqq: has no effect with 8 bits" in warning for warning in result["warnings"])
    (_, *hqq, _, _), = matrices(model, quantized)
    assert all(np.array_equal(*each) for each in zip(ours, hqq, strict=True))


@pytest.mark.thorough
def test_the_same_bytes_on_any_number_of_threads(preon):
    path = model_path("chargpt_shakespeare")
    files = []
    for threads in (1, 3):
        quantize(preon, path, "--threads", threads)
        files.append((preon.folder / "nbits.onnx").read_bytes())
    assert files[0] == files[1]


@pytest.mark.parametrize("options, number, says", [
    (["--block-size", "24"], 1002, "16, 32, 64, 128 or 256"),
    (["--method", "minmax"], 1004, "--method"),
    (["--data", "random:8", "--workers", "2"], 1004, "--workers"),
    (["--activation", "uint8", "--symmetric"], 1004, "--symmetric"),
    (["--weight", "int16"], 1007, "int16"),
    (["--weight", "int3"], 1007, "int3"),
    (["--weight", "int8", "--weight-method", "hqq"], 1004, "wanted --weight uint8"),
    (["--weight", "int4", "--weight-method", "hqq"], 1004, "wanted --weight uint4"),
    (["--algorithm", "gptq"], 1003, "needs --data"),
    (["--accuracy-level", "5"], 1002, "0 to 4"),
    (["--exclude", "gemm"], 2010, "")])
def test_what_does_not_go_with_it(preon, options, number, says):
    onnx.save(gemm_model(False)[0], preon.folder / "gemm.onnx")
    preon.fails(2, number, "quantize", "gemm.onnx", "-o", "o.onnx", "--target", "matmul-nbits", *options, says=says)


def test_by_quarks_keys(preon):
    onnx.save(gemm_model(False)[0], preon.folder / "gemm.onnx")
    quantize(preon, "gemm.onnx", "--weight", "uint4", "--block-size", "64", "--accuracy-level", "4")
    wanted = (preon.folder / "nbits.onnx").read_bytes()
    params = {"Algorithm": "DEFAULT", "GroupSize": 64, "Symmetric": False, "Bits": 4, "AccuracyLevel": 4}
    for keys in (["UseMatMulNBits=true", "MatMulNBitsParams=" + json.dumps(params)],
                 ["MatMulNBitsParams=" + json.dumps(params), "UseMatMulNBits=true"]):
        done = preon("quantize", "gemm.onnx", "-o", "keys.onnx", "--quiet", *[word for key in keys for word in ("--option", key)])
        assert done.returncode == 0, done.stderr
        assert (preon.folder / "keys.onnx").read_bytes() == wanted
    for params, number in [({"Algorithm": "GPTQ"}, 1003), ({"GroupSize": 48}, 1002), ({"Bitz": 4}, 1001), ([], 1002)]:
        preon.fails(2, number, "quantize", "gemm.onnx", "-o", "o.onnx", "--option", "UseMatMulNBits=true", "--option",
                    "MatMulNBitsParams=" + json.dumps(params))


def matmul_model(weight, batch="N"):
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["h"], name="first"), helper.make_node("MatMul", ["h", "v"], ["y"], name="second")], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, len(weight)])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [batch, 8])],
        [numpy_helper.from_array(weight, "w"),
         numpy_helper.from_array(np.random.default_rng(6).normal(size=(weight.shape[1], 8)).astype(np.float32), "v")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


@pytest.mark.parametrize("weight", ["int4", "uint4"])
def test_blocks_of_next_to_nothing(preon, weight):
    matrix = np.random.default_rng(2).normal(size=(64, 64)).astype(np.float32)
    matrix[32:] = 0
    matrix[40] = 1.5e-38
    onnx.save(matmul_model(matrix), preon.folder / "tiny.onnx")
    model, _ = quantize(preon, "tiny.onnx", "--weight", weight, "--threads", "2")
    for _, *packed, bits, _ in matrices(onnx.load(preon.folder / "tiny.onnx"), model):
        assert np.isfinite(decoded(*packed, bits, 32)).all()


def test_a_weight_that_has_no_codes_stays_float(preon):
    matrix = np.ones((40, 16), np.float32)
    matrix[3, 3] = np.inf
    onnx.save(matmul_model(matrix), preon.folder / "inf.onnx")
    _, result = quantize(preon, "inf.onnx")
    left, = result["placement"]["float"]
    assert left["node"] == "first" and "NaN or infinity" in left["detail"]


def test_a_fixed_batch_needs_no_data_either(preon):
    onnx.save(matmul_model(np.ones((40, 16), np.float32), batch=4), preon.folder / "batch.onnx")
    quantize(preon, "batch.onnx")


@pytest.mark.parametrize("verb", ["calibrate", "instrument"])
def test_there_is_nothing_to_collect(preon, verb):
    onnx.save(gemm_model(False)[0], preon.folder / "gemm.onnx")
    preon.fails(2, 1004, verb, "gemm.onnx", "-o", "o.out", "--data", "random:2", "--target", "matmul-nbits", says="nothing to collect")


def test_integer_kernels_take_neither_two_bits_nor_half_quadratic_grids(preon):
    onnx.save(gemm_model(False)[0], preon.folder / "gemm.onnx")
    preon.fails(2, 1007, "quantize", "gemm.onnx", "-o", "o.onnx", "--data", "random:2", "--weight", "int2", "--target", "ort-cpu")
    for target in ("ort-cpu", "quark"):
        preon.fails(2, 1004, "quantize", "gemm.onnx", "-o", "o.onnx", "--data", "random:2", "--weight-method", "hqq", "--target", target, says="hqq")


def test_integer_kernels_have_no_blocks(preon):
    onnx.save(gemm_model(False)[0], preon.folder / "gemm.onnx")
    preon.fails(2, 1004, "quantize", "gemm.onnx", "-o", "o.onnx", "--data", "random:2", "--block-size", "32",
                "--target", "ort-cpu", says="--block-size")


PARAMETERS = {"GroupSize": 64, "Bits": 2, "Symmetric": False}


@pytest.mark.parametrize("in_file, options", [
    ({"UseMatMulNBits": True}, []), ({"UseMatMulNBits": "true"}, []), ({}, ["--target", "matmul-nbits"]), ({}, ["--option", "UseMatMulNBits=true"])])
def test_parameters_count_whichever_setting_chooses_the_target(preon, in_file, options):
    onnx.save(matmul_model(np.random.default_rng(2).normal(size=(128, 16)).astype(np.float32), batch=4), preon.folder / "model.onnx")
    (preon.folder / "c.json").write_text(json.dumps({"extra_options": {"MatMulNBitsParams": PARAMETERS, **in_file}}))
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--config", "c.json", "--json", "--always-write", *options)
    assert done.returncode == 0 and not any("MatMulNBitsParams" in text for text in json.loads(done.stdout)["warnings"]), (done.stdout, done.stderr)
    node = next(node for node in onnx.load(preon.folder / "out.onnx").graph.node if node.op_type == "MatMulNBits")
    attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
    assert (attributes["block_size"], attributes["bits"], len(node.input)) == (64, 2, 4)


def test_the_report_names_what_its_json_names(preon):
    onnx.save(matmul_model(np.ones((64, 16), np.float32), batch=4), preon.folder / "model.onnx")
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "random:4", "--option", "QuantizeFP16=true", "--report", "r.json", "--json", "--always-write",
                 "--latency", "0")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)["warnings"]
    assert any(text.startswith("QuantizeFP16: has no effect") for text in told)
    assert json.loads((preon.folder / "r.json").read_text())["warnings"] == told
