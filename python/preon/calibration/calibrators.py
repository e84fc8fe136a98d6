"""What scripts import for calibration by hand. ONNX Runtime's own classes where it is installed."""
from ..errors import not_yet
from ..quantization.quant_utils import QuantType
from .methods import CalibrationMethod, PowerOfTwoMethod

OF_ONNX_RUNTIME = ("CalibraterBase", "MinMaxCalibrater", "write_calibration_table")


def _instead(name):
    return not_yet(name, "preon.calibrate(model, 'model.calib', …) keeps every method's statistics, "
                         "preon.ranges('model.calib', method=…) gives the ranges")


def create_calibrator_float_scale(model_input, op_types_to_calibrate=None, augmented_model_path="augmented_model.onnx",
                                  activation_type=QuantType.QInt8, calibrate_method=CalibrationMethod.MinMax,
                                  use_external_data_format=False, execution_providers=["CPUExecutionProvider"], extra_options={}):
    """Not in this version: raises ConfigError."""
    raise _instead("create_calibrator_float_scale")


def create_calibrator_power_of_two(model_input, op_types_to_calibrate=None, augmented_model_path="augmented_model.onnx",
                                   activation_type=QuantType.QInt8, calibrate_method=PowerOfTwoMethod.NonOverflow,
                                   use_external_data_format=False, execution_providers=["CPUExecutionProvider"],
                                   quantized_tensor_type={}, extra_options={}):
    """Not in this version: raises ConfigError."""
    raise _instead("create_calibrator_power_of_two")


def __getattr__(name):
    if name not in OF_ONNX_RUNTIME:
        raise AttributeError(f"module {__name__} has no attribute '{name}'")
    try:
        from onnxruntime.quantization import calibrate, quant_utils
    except ImportError:
        def absent(*arguments, **keywords):
            raise ImportError(f"{name} is ONNX Runtime's: install onnxruntime and onnx")

        absent.__name__ = name
        return absent
    return getattr(calibrate, name, None) or getattr(quant_utils, name)
