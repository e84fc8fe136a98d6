"""The range method is chosen for the codes that are written in the end. Before codes of weights are fitted, their error hides
that some ranges are much worse than others: without the look at float weights, super-resolution loses 5 dB."""
import json

import numpy as np

from conftest import model_file, photos


def sqnr(preon, *words):
    done = preon("quantize", model_file("super_resolution_10"), "-o", "q.onnx", "--data", "calib.npz", *words, "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    compared = preon("compare", model_file("super_resolution_10"), "q.onnx", "--data", "unseen.npz", "--json")
    return json.loads(done.stdout), json.loads(compared.stdout)["outputs"]["output"]["sqnr_db"]


def test_method_is_best_with_fitted_codes(preon):
    brightness = photos(36)[..., 1][:, None]
    np.savez(preon.folder / "calib.npz", input=brightness[:24])
    np.savez(preon.folder / "unseen.npz", input=brightness[24:])
    answer, chosen_db = sqnr(preon)
    looked_at = [candidate for candidate in answer["candidates"] if "activations_db" in candidate]
    (selected,) = [candidate for candidate in looked_at if candidate["selected"]]
    best_db = max(candidate["sqnr_db"] for candidate in answer["candidates"])
    assert len(looked_at) >= 2 and selected["sqnr_db"] > best_db - 1
    assert selected["activations_db"] > max(candidate["activations_db"] for candidate in looked_at) - 0.5
    for method in ("minmax", "percentile"):
        assert chosen_db > sqnr(preon, "--method", method)[1] - 1
