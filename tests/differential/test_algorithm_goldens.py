"""Weights in blocks and rotations against stored runs of AMD Quark 0.13 (testdata/quark/algorithms)."""
import json
import lzma

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from golden_graphs import tensor_of
from onnx import numpy_helper
from test_matmul_nbits import decoded, matrices

RUNS = data_root.QUARK / "algorithms"
NBITS, ROTATIONS = (json.loads(lzma.decompress((RUNS / f"{name}.json.xz").read_bytes())) for name in ("matmul_nbits", "quarot"))
#: Quark packs 2 and 8 bits as if they were 4, and GPTQ's grid has other groups than the stored blocks: nothing to compare.
LOADS = [case for case, entry in NBITS.items() if entry.get("params", {}).get("Bits") == 4 and "error" not in entry and "run_error" not in entry]


def samples(name, part):
    with np.load(RUNS / "inputs.npz") as arrays:
        begin = f"{name}/{part}__"
        return {key[len(begin):]: arrays[key] for key in arrays if key.startswith(begin)}


def arrays_of(entry):
    return {name: tensor_of(tensor)[2].reshape(tensor["d"]) for name, tensor in entry["init"].items() if "src" not in tensor}


def run(model, feeds):
    return ort.InferenceSession(model if isinstance(model, bytes) else str(model)).run(None, feeds)[0].astype(np.float64)


def sqnr_db(wanted, got):
    return 10 * np.log10(np.square(wanted).sum() / max(np.square(wanted - got).sum(), 1e-30))


def quantized(preon, name, params, *options):
    """By Quark's keys, with calibration samples where codes are fitted to them."""
    path = RUNS / f"models/{name}.onnx"
    if params["Algorithm"] == "GPTQ":
        calib = samples(name, "calib")
        np.savez(preon.folder / "calib.npz", **{key: value.reshape(-1, *value.shape[2:]) for key, value in calib.items()})
        options += ("--data", "calib.npz", "--batch", "2")
    done = preon("quantize", path, "-o", "o.onnx", "--quiet", "--option", "UseMatMulNBits=true", "--option",
                 "MatMulNBitsParams=" + json.dumps(params), *options)
    assert done.returncode == 0, done.stderr
    (matrix, *packed, bits, _), = matrices(onnx.load(path), onnx.load(preon.folder / "o.onnx"))
    return matrix.astype(np.float64), decoded(*packed, bits, len(matrix)), packed


def theirs(case, rows):
    constants = arrays_of(NBITS[case])
    return decoded(constants["w_Q4"], constants["w_scales"], constants.get("w_zero_points"), 4, rows), constants


@pytest.mark.parametrize("case", [case for case in LOADS if "/DEFAULT" in case])
def test_default_is_quarks_and_the_search_is_better(preon, case):
    name, params = case.split("/")[0], NBITS[case]["params"]
    _, _, packed = quantized(preon, name, params, "--weight-method", "minmax")
    stored = theirs(case, 1)[1]
    assert set(stored) <= {"w_Q4", "w_scales", "w_zero_points"}
    width = packed[0].shape[1:]
    np.testing.assert_array_equal(packed[0], stored["w_Q4"][:, :width[0], :width[1]])  # a block that reaches beyond K is shorter here
    np.testing.assert_array_equal(packed[1], stored["w_scales"].ravel())
    matrix, best, _ = quantized(preon, name, params)
    assert np.square(best - matrix).sum() < np.square(theirs(case, len(matrix))[0] - matrix).sum()


@pytest.mark.parametrize("case", [case for case in LOADS if "/HQQ" in case])
def test_half_quadratic_is_no_worse_than_quarks(preon, case):
    matrix, best, packed = quantized(preon, case.split("/")[0], NBITS[case]["params"])
    stored, _ = theirs(case, len(matrix))
    assert packed[2].dtype == np.float32
    errors = [np.square(each[np.isfinite(stored)] - matrix[np.isfinite(stored)]).sum() for each in (best, stored)]
    assert np.isfinite(best).all() and errors[0] <= errors[1] * (1 + 1e-6)


@pytest.mark.parametrize("case", [case for case in LOADS if "/GPTQ" in case])
def test_gptq_comes_nearer_than_quarks(preon, case):
    """Quark's corrects nothing: it reads the wrong half of the factor, and rounds again to another grid."""
    name = case.split("/")[0]
    quantized(preon, name, NBITS[case]["params"] | {"GroupSize": max(NBITS[case]["params"]["GroupSize"], 16)})
    feeds = samples(name, "test")
    got = sqnr_db(run(RUNS / f"models/{name}.onnx", feeds), run(preon.folder / "o.onnx", feeds))
    assert got > max(NBITS[case]["sqnr_db"].values())


def test_gptq_by_its_own_key(preon):
    name, params = "nbits_k256", {"GroupSize": 32, "Bits": 4}
    path = RUNS / f"models/{name}.onnx"
    quantized(preon, name, params | {"Algorithm": "GPTQ"})
    wanted = (preon.folder / "o.onnx").read_bytes()
    nearest = quantized(preon, name, params | {"Algorithm": "DEFAULT"})[1]
    assert quantized(preon, name, params | {"Algorithm": "DEFAULT"}, "--option", "UseGPTQ=false")[1].tobytes() == nearest.tobytes()
    done = preon("quantize", path, "-o", "o.onnx", "--quiet", "--option", "UseMatMulNBits=true", "--option", "MatMulNBitsParams=" + json.dumps(params),
                 "--option", "UseGPTQ=true", "--data", "calib.npz", "--batch", "2")
    assert done.returncode == 0, done.stderr
    assert (preon.folder / "o.onnx").read_bytes() == wanted


def test_rotations_by_quarks_keys(preon):
    path = RUNS / "models/rot_llm_rms16.onnx"
    (preon.folder / "r.json").write_text(json.dumps(ROTATIONS["rot_llm_rms16/hadamard"]["config"]))
    np.savez(preon.folder / "calib.npz", **samples("rot_llm_rms16", "test"))
    command = ("quantize", path, "-o", "o.onnx", "--data", "calib.npz", "--always-write", "--algorithm")

    def result(*words):
        done = preon(*command, *words)
        assert done.returncode == 0, done.stderr
        return (preon.folder / "o.onnx").read_bytes()

    by_keys = ("quarot", "--option", "RConfigPath=r.json", "--option")
    for key, option in (("UseRandomHad=true", "use-random-had=true"), ("RMatrixDim=16", "r-matrix-dim=16")):
        assert result(*by_keys, key) == result(f"quarot:r-config-path=r.json,{option}")
    (preon.folder / "o.onnx").unlink()
    preon.fails(2, 1004, *command, *by_keys, "RMatrixDim=8", says="has 16 channels")


def rotated(preon, name, config, options=""):
    (preon.folder / "r.json").write_text(json.dumps(config))
    return preon("passes", RUNS / f"models/{name}.onnx", "-o", "r.onnx", "--algorithm", f"quarot:r-config-path=r.json{options}")


@pytest.mark.parametrize("case", [case for case, entry in ROTATIONS.items() if "config" in entry and "nonorm" not in case])
def test_the_rotated_model_computes_the_same(preon, case):
    """So it does where Quark's loses its outputs: LayerNormalization, biases of their own."""
    name, entry = case.split("/")[0], ROTATIONS[case]
    done = rotated(preon, name, entry["config"], ",use-random-had=true" if entry["random"] else "")
    assert done.returncode == 0, done.stderr
    source, feeds = RUNS / f"models/{name}.onnx", samples(name, "test")
    before, after = ({tensor.name: numpy_helper.to_array(tensor) for tensor in onnx.load(path).graph.initializer} for path in (source, preon.folder / "r.onnx"))
    assert sqnr_db(run(source, feeds), run(preon.folder / "r.onnx", feeds)) > 110
    changed = [tensor for tensor in before if tensor in after and not np.allclose(before[tensor], after[tensor], atol=1e-3)]
    assert len(changed) >= 2
    if "16/hadamard" in case and "_ln" not in case:  # of 20 and 24 rows there are other Hadamard matrices, and LayerNormalization needs another
        for tensor, values in arrays_of(entry).items():
            np.testing.assert_allclose(after[tensor], values, atol=2e-6)


def test_a_gemm_that_quark_cannot_rotate(preon):
    done = rotated(preon, "rot_gemm16_t0", ROTATIONS["rot_gemm16/hadamard"]["config"])
    assert done.returncode == 0, done.stderr
    source, feeds = RUNS / "models/rot_gemm16_t0.onnx", samples("rot_gemm16_t0", "test")
    assert sqnr_db(run(source, feeds), run(preon.folder / "r.onnx", feeds)) > 110


def test_a_rotation_that_changes_the_outputs_is_undone(preon):
    """The scales of the normalization do not commute with it; Quark's result has 4 dB."""
    name = "rot_llm_rms16"
    (preon.folder / "r.json").write_text(json.dumps(ROTATIONS[f"{name}/nonorm"]["config"]))
    np.savez(preon.folder / "calib.npz", **samples(name, "test"))
    done = preon("quantize", RUNS / f"models/{name}.onnx", "-o", "o.onnx", "--data", "calib.npz", "--always-write", "--json", "--algorithm",
                 "quarot:r-config-path=r.json")
    assert done.returncode == 0, done.stderr
    assert any("algorithm quarot" in warning for warning in json.loads(done.stdout)["warnings"])


def test_what_a_rotation_needs(preon):
    model = RUNS / "models/rot_gemm16.onnx"
    preon.fails(2, 1003, "passes", model, "-o", "r.onnx", "--algorithm", "quarot", says="r-config-path")
    preon.fails(2, 1008, "passes", model, "-o", "r.onnx", "--algorithm", "quarot:r-config-path=nowhere.json", says="nowhere.json")
    (preon.folder / "r.json").write_text('{"R1_pairs": [{"prev_nodes": ["other"]}]}')
    preon.fails(2, 1006, "passes", model, "-o", "r.onnx", "--algorithm", "quarot:r-config-path=r.json", says="'other'")
