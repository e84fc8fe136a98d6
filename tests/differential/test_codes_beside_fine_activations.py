"""Weights of bytes beside activations of more than 8 bits make nearly all of the error: their codes are fitted unless the user says
otherwise, and stored as codes."""
import json
import os

import numpy as np
import pytest

from conftest import model_file, photos


def unseen_db(preon, *words):
    done = preon("quantize", model_file("super_resolution_10"), "-o", "q.onnx", "--data", "calib.npz", "--weight", "int8", *words,
                 "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    compared = preon("compare", model_file("super_resolution_10"), "q.onnx", "--data", "unseen.npz", "--json")
    assert os.path.getsize(preon.folder / "q.onnx") < os.path.getsize(model_file("super_resolution_10")) / 3
    return json.loads(compared.stdout)["outputs"]["output"]["sqnr_db"]


@pytest.mark.thorough
@pytest.mark.parametrize("activation", ["int16", "float16"])
def test_fitted_codes_are_nearer(preon, activation):
    brightness = photos(30)[..., 1][:, None]
    np.savez(preon.folder / "calib.npz", input=brightness[:20])
    np.savez(preon.folder / "unseen.npz", input=brightness[20:])
    nearest = unseen_db(preon, "--activation", activation, "--effort", "fast")
    assert unseen_db(preon, "--activation", activation) > nearest + 10
