"""MinMax ranges are those of ONNX Runtime's own calibrator: bit for bit in the same graph, nearly so in the optimized one."""
import numpy as np
import pytest
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator

# preon takes BatchNormalization apart for the target, which rounds differently: those models are only compared closely.
BIT_FOR_BIT = ["mobilenetv2_1.0", "yolox_nano", "sst2_transformer", "super_resolution_10", "lenet_mnist"]
# Its products x · Sigmoid(x) are derived from x: where x passes the function's lowest point, that is taken for reached.
LOOSE = {"yolox_nano": 1e-4}
CLOSE = ["resnet20_cifar10", "ultraface_rfb_320"]


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = feeds

    def get_next(self):
        return next(self.feeds, None)


def runtime_ranges(model):
    """tensor -> (min, max) widened by 0."""
    augmented = model.preon.folder / "augmented.onnx"
    calibrator = create_calibrator(model.path, [], augmented_model_path=augmented, calibrate_method=CalibrationMethod.MinMax)
    calibrator.collect_data(Reader(model.feeds()))
    found = {name: [float(np.ravel(bound)[0]) for bound in data.range_value] for name, data in calibrator.compute_data().items()}
    return {name: (min(low, 0.0), max(high, 0.0)) for name, (low, high) in found.items()}


def check(ranges, expected, tolerance):
    common = sorted(ranges.keys() & expected.keys())
    assert len(common) >= 3 and len(common) >= 0.9 * len(ranges), (len(common), len(ranges))
    for tensor in common:
        low, high = expected[tensor]
        assert abs(ranges[tensor]["min"] - low) <= tolerance * (high - low), tensor
        assert abs(ranges[tensor]["max"] - high) <= tolerance * (high - low), tensor


@pytest.mark.parametrize("name", BIT_FOR_BIT + CLOSE)
def test_minmax(real_model, name):
    model = real_model(name)
    expected = runtime_ranges(model)
    plain = model.ranges(model.calibrate_source_graph("--no-optimize"), "minmax")
    check(plain, expected, 0 if name in BIT_FOR_BIT else 1e-5)
    optimized = model.ranges(model.calibrate_source_graph(), "minmax")
    assert optimized.keys() == plain.keys()
    check(optimized, expected, LOOSE.get(name, 1e-5))
