"""Calibration methods of the older configurations, with AMD Quark's numbers."""
from ..quantization.members import Named


class CalibrationMethod(Named):
    """ONNX Runtime's."""

    MinMax = 0
    Entropy = 1
    Percentile = 2
    Distribution = 3


class PowerOfTwoMethod(Named):
    """Ranges for scales that are powers of two."""

    NonOverflow = 0
    MinMSE = 1


class LayerWiseMethod(Named):
    """A percentile for each tensor, out of candidates."""

    LayerWisePercentile = 0


class Int16Method(Named):
    """Ranges for scales M/2^N."""

    MinMax = 0


class ExtendedCalibrationMethod(Named):
    """Only for weights."""

    MinMSE = 0
