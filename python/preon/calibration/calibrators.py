"""Calibration by hand, as ONNX Runtime's calibraters and AMD Quark's functions do it: a calibrater collects samples and
computes the range of every float tensor. ONNX Runtime's own classes where it is installed."""
import os
import warnings

from ..errors import ConfigError, DataError
from ..quantization.members import did_you_mean
from ..quantization.quant_utils import QuantType
from .methods import CalibrationMethod, PowerOfTwoMethod
from .tensors_data import tensors_data

OF_ONNX_RUNTIME = ("CalibraterBase", "MinMaxCalibrater", "write_calibration_table")
_FLOAT_SCALE = {("CalibrationMethod", "MinMax"): "minmax", ("CalibrationMethod", "Entropy"): "entropy",
                ("CalibrationMethod", "Percentile"): "percentile", ("CalibrationMethod", "Distribution"): "distribution",
                ("LayerWiseMethod", "LayerWisePercentile"): "layerwise-percentile"}
_POWER_OF_TWO = {("PowerOfTwoMethod", "NonOverflow"): "nonoverflow", ("PowerOfTwoMethod", "MinMSE"): "minmse"}
#: extra_options: ONNX Runtime's and Quark's names inside, and the key that says the same.
_OPTIONS = {"symmetric": "CalibTensorRangeSymmetric", "moving_average": "CalibMovingAverage",
            "averaging_constant": "CalibMovingAverageConstant", "num_bins": "NumBins", "num_quantized_bins": "NumQuantizedBins",
            "percentile": "Percentile", "scenario": "Scenario", "minmse_mode": "MinMSEModePof2Scale", "lwp_metric": "LWPMetric",
            "percentile_candidates": "PercentileCandidates"}
#: What only steers how the others get their numbers.
_WITHOUT_EFFECT = ("optimize_mem", "worker_num", "max_intermediate_outputs", "lwp_use_histogram")


class Calibrater:
    """collect_data(reader), as often as there are readers, then compute_data(): TensorsData.

    Samples stay in memory until then. No file is written, and no session is kept: the library observes tensors itself.
    """

    def __init__(self, model, op_types_to_calibrate, method, calibrate_method, options):
        self.op_types_to_calibrate, self.calibrate_method = op_types_to_calibrate, calibrate_method
        self._model, self._method, self._options, self._samples = model, method, options, []

    def collect_data(self, data_reader):
        """Reads all samples of the reader. Raises DataError where it has none."""
        import numpy as np

        before = len(self._samples)
        for sample in iter(data_reader.get_next, None):
            if not sample:
                break
            self._samples.append({name: np.array(value) for name, value in sample.items()})
        if len(self._samples) == before:
            raise DataError(3007, "No data in the input calibration data reader", exit_status=2)

    def compute_data(self):
        """The range by tensor; 0 lies within each. Raises DataError before collect_data(), and what preon.ranges() raises."""
        return tensors_data(self.calibrate_method, self.compute_range())

    def compute_range(self):
        """(lowest, highest) as floats by tensor: the older form."""
        from ..core import ranges

        if not self._samples:
            raise DataError(3007, "No data is collected: call collect_data(reader) first", exit_status=2)
        found = ranges(self._model, data=self._samples, target="quark", all_tensors=True, no_optimize=True, progress=False,
                       method=self._method, **self._options).tensors
        wanted = self._wanted()
        return {name: (entry["min"], entry["max"]) for name, entry in found.items() if wanted is None or name in wanted}

    def set_execution_providers(self, execution_providers=["CPUExecutionProvider"]):
        """Warns of others than that of the CPU, which this version does not have."""
        _check_providers(execution_providers)

    def _wanted(self):
        """Tensors of operators of the wanted types; None: all."""
        import onnx

        if not self.op_types_to_calibrate:
            return None
        model = self._model if hasattr(self._model, "graph") else onnx.load(os.fsdecode(self._model), load_external_data=False)
        return {name for node in model.graph.node if node.op_type in self.op_types_to_calibrate for name in (*node.input, *node.output)}


def create_calibrator_float_scale(model_input, op_types_to_calibrate=None, augmented_model_path="augmented_model.onnx",
                                  activation_type=QuantType.QInt8, calibrate_method=CalibrationMethod.MinMax,
                                  use_external_data_format=False, execution_providers=["CPUExecutionProvider"], extra_options={}):
    """A Calibrater of ranges for float scales.

    op_types_to_calibrate  only tensors that such operators read or write; None: all
    calibrate_method       a CalibrationMethod, or LayerWiseMethod.LayerWisePercentile
    extra_options          symmetric, moving_average, averaging_constant, num_bins, num_quantized_bins, percentile, scenario,
                           lwp_metric, percentile_candidates; or Quark's keys
    augmented_model_path, use_external_data_format  not used: no model is written

    Raises ConfigError.
    """
    return _calibrater((model_input, op_types_to_calibrate), (calibrate_method, _FLOAT_SCALE), activation_type, execution_providers, extra_options)


def create_calibrator_power_of_two(model_input, op_types_to_calibrate=None, augmented_model_path="augmented_model.onnx",
                                   activation_type=QuantType.QInt8, calibrate_method=PowerOfTwoMethod.NonOverflow,
                                   use_external_data_format=False, execution_providers=["CPUExecutionProvider"],
                                   quantized_tensor_type={}, extra_options={}):
    """The same for scales that are powers of two; `calibrate_method`: a PowerOfTwoMethod; extra_options: symmetric, minmse_mode,
    percentile. `quantized_tensor_type`: types of single tensors, {tensor: QuantType}."""
    return _calibrater((model_input, op_types_to_calibrate), (calibrate_method, _POWER_OF_TWO), activation_type, execution_providers, extra_options,
                       scale_type="power-of-two", symmetric=True, types=quantized_tensor_type)


def _calibrater(of, method, activation_type, providers, extra_options, types=None, **options):
    member, known = method
    key = (type(member).__name__, getattr(member, "name", member))
    if key not in known:
        raise ConfigError(1002, f"calibrate_method: got {member!r}, wanted one of {', '.join('.'.join(each) for each in known)}", exit_status=2)
    _check_providers(providers)
    keys = {"SkipPreprocess": True}
    if types:
        keys["TensorQuantOverrides"] = {tensor: [{"quant_type": _type_name(kind)}] for tensor, kind in types.items()}
    return Calibrater(*of, known[key], member, {"activation": _type_name(activation_type), "method_option": _keys_of(extra_options or {}),
                                                "option": keys, **options})


def _type_name(activation_type):
    from ..quantization.config.legacy import type_of

    if getattr(activation_type, "name", activation_type) == "QFLOAT8E4M3FN":
        return "float8e4m3fn"
    return type_of(activation_type, "activation_type", {}).__name__.lower()


def _keys_of(extra_options):
    keys, known = {}, (*_OPTIONS, *_OPTIONS.values())
    for name, value in extra_options.items():
        if name in _WITHOUT_EFFECT:
            warnings.warn(f"{name}: has no effect: preon keeps statistics, not the values", UserWarning, 4)
        elif name not in known:
            raise ConfigError(1001, f"extra_options: unknown '{name}', wanted one of {', '.join(_OPTIONS)}" + did_you_mean(name, known), exit_status=2)
        elif value is not None:
            keys[_OPTIONS.get(name, name)] = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value
    return keys


def _check_providers(providers):
    others = [name for name in providers or [] if name != "CPUExecutionProvider"]
    if others:
        warnings.warn(f"execution_providers: this version does not have {', '.join(map(str, others))}; models run on CPUExecutionProvider", UserWarning, 4)


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
