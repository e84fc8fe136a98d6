"""What a model gives is not cut off by rules of error or of the typical sample: the best scores of a detector."""
import numpy as np
import onnxruntime
import pytest

from tests.differential.conftest import scenes

PHOTOS = 16


def best_scores(path, images):
    session = onnxruntime.InferenceSession(path)
    found = np.concatenate([session.run(None, {"images": image[None]})[0] for image in images])
    return (found[:, :, 4:5] * found[:, :, 5:]).max((1, 2))


@pytest.mark.thorough
def test_scores_of_objects(real_model):
    model = real_model("yolox_nano")
    images = scenes(PHOTOS)
    np.savez(model.preon.folder / "photos.npz", images=images)
    model.quantize("out.onnx", "--data", "photos.npz")
    float_scores, scores = best_scores(model.path, images), best_scores(model.preon.folder / "out.onnx", images)
    assert float_scores.max() > 0.8
    assert np.abs(scores - float_scores).max() < 0.15
    assert len(set(scores)) >= PHOTOS - 2   # no ceiling that many share
