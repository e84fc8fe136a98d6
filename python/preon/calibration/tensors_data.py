"""What a calibrater gives: ONNX Runtime's TensorsData where it is installed, else classes with the same interface."""


class TensorData:
    """The range of one tensor, as arrays without axes."""

    def __init__(self, lowest, highest):
        self.lowest, self.highest = lowest, highest

    @property
    def range_value(self):
        return self.lowest, self.highest


class TensorsData(dict):
    """TensorData by tensor name."""

    def __init__(self, calibration_method, data):
        super().__init__(data)
        self.calibration_method, self.data = calibration_method, self

    def __setitem__(self, name, value):
        if name not in self:
            raise RuntimeError(f"Only an existing tensor can be modified, {name!r} is not.")
        super().__setitem__(name, value)


def tensors_data(method, ranges):
    """Of (lowest, highest) by tensor name."""
    import numpy as np

    try:
        from onnxruntime.quantization import calibrate as kinds

        of_tensor, of_all = kinds.TensorData, kinds.TensorsData
    except (ImportError, AttributeError):
        of_tensor, of_all = TensorData, TensorsData
    return of_all(method, {name: of_tensor(lowest=np.float32(low).reshape(()), highest=np.float32(high).reshape(()))
                           for name, (low, high) in ranges.items()})
