"""What several tests of this folder read."""
import numpy as np
import onnx
import pytest

from test_accuracy_fallback import filter_bank_model


@pytest.fixture
def filter_bank(preon, request):
    """model.onnx, and as many samples of differing loudness in x.npy as the test's file names (SAMPLES)."""
    samples = request.module.SAMPLES
    onnx.save(filter_bank_model(), preon.folder / "model.onnx")
    random = np.random.default_rng(4)
    loudness = 10 ** random.uniform(-2, 0, size=(samples, 1, 1, 1))
    np.save(preon.folder / "x.npy", (random.normal(size=(samples, 1, 64, 64)) * loudness).astype(np.float32))
