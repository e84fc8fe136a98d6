"""Every type a target can write gives a model that the runtime runs; the others are refused before that."""
import graph_goldens
import numpy as np
import onnx
import onnxruntime as ort
import pytest

BYTES, SHORTS = ("int8", "uint8"), ("int16", "uint16")


@graph_goldens.needs_sums_in_32_bits
@pytest.mark.parametrize("activation", BYTES + SHORTS)
@pytest.mark.parametrize("weight", BYTES + SHORTS)
def test_quark_writes_bytes_and_shorts(preon, model, data, tmp_path, activation, weight):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", "quark",
                 "--activation", activation, "--weight", weight)
    assert done.returncode == 0, done.stderr
    written = onnx.load(tmp_path / "out.onnx")
    onnx.checker.check_model(written, full_check=True)
    # The model has opset 17; ONNX's Q/DQ nodes take 16 bits from opset 21 on, the runtime's own ones in any.
    domains = {node.domain for node in written.graph.node if node.op_type == "QuantizeLinear"}
    assert written.opset_import[0].version == 17
    assert domains == ({"com.microsoft"} if {activation, weight} & set(SHORTS) else {""})
    feed = np.load(tmp_path / "calib.npz")
    want, got = (ort.InferenceSession(str(tmp_path / name), providers=["CPUExecutionProvider"]).run(None, dict(feed))[0]
                 for name in (model, "out.onnx"))
    sqnr_db = 10 * np.log10(np.sum(want**2) / np.sum((want - got)**2))
    # Rounding noise falls by 6 dB per bit; the cruder of both operands decides.
    low, high = (80, 110) if {activation, weight} <= set(SHORTS) else (35, 60)
    assert low < sqnr_db < high


@pytest.mark.parametrize("option", ["--activation", "--weight"])
@pytest.mark.parametrize("other", ["int16", "int4", "uint32", "bfloat16", "mx9"])
def test_integer_kernels_take_bytes(preon, model, data, option, other):
    preon.fails(2, 1007, "quantize", model, "-o", "out.onnx", "--data", data, "--target", "ort-cpu", option, other,
                says=f"target ort-cpu does not support type '{other}'; it supports: int8, uint8")


def test_without_data_algorithms_that_need_them_are_named(preon, model):
    """Blocks need no ranges, so nothing is calibrated, and the means of bias correction are missing."""
    args = ("quantize", model, "-o", "out.onnx", "--target", "simulate", "--activation", "bfp16", "--weight", "bfp16")
    warning = "skipped without --data: bias-correction"
    done = preon(*args)
    assert done.returncode == 0 and warning in done.stdout, done.stdout + done.stderr
    assert warning not in preon(*args, "--disable-algorithm", "bias-correction").stdout
