"""ModelQuantizer: AMD Quark's entry point."""
import json
import warnings
from typing import Optional, Union

from ..calibration.data_readers import path_reader
from ..core import Model, Path, Reader, quantize
from ..errors import ConfigError
from .config.config import Config, QConfig
from .config.legacy import dynamic_options, option_names, to_qconfig
from .config.objects import without_objects

_NO_DATA = 1003
_WORDS = {"true": True, "1": True, "false": False, "0": False}   # of flags


def _drop_random(keys):
    """What is for runs without samples. Returns warnings."""
    told = []
    for key in [key for key in keys if key == "UseRandomData" or key.startswith("RandomDataReader")]:
        if key == "UseRandomData":
            keys[key] = _WORDS.get(str(keys[key]).lower(), keys[key])
            if not isinstance(keys[key], (bool, type(None))):
                continue  # an error
        value = keys.pop(key)
        if value is not False and value is not None:
            told.append(f"{key}: has no effect: there are samples")
    return told


class ModelQuantizer:
    """Quantizes models as a configuration says; may be used any number of times. Raises ConfigError for another kind of
    configuration."""

    def __init__(self, config: Union[QConfig, Config]):
        if not isinstance(config, (Config, QConfig)):
            raise ConfigError(1002, f"quantization config must be one of Config and QConfig, got {type(config).__name__}"
                                    + " (put it into Config(…))" * (type(config).__name__ == "QuantizationConfig"), exit_status=2)
        if isinstance(config, Config):
            warnings.warn("Config is the older form of QConfig", DeprecationWarning, 2)
        self.config = config
        self.result = None   #: of the last run: preon's Result

    def quantize_model(self, model_input: Model, model_output: Optional[Path] = None,
                       calibration_data_reader: Optional[Reader] = None, calibration_data_path: Optional[Path] = None,
                       algorithms: Optional[list] = None):
        """Quantizes, verifies and writes a model.

        model_input              path (str, Path, bytes) or onnx.ModelProto
        model_output             path; None: the quantized onnx.ModelProto is returned
        calibration_data_reader  object with get_next() -> {input name: array} or None
        calibration_data_path    instead of it: a folder of .npy files, or what --data of the command line takes
        algorithms               of the older Config alone

        Returns None where there is a path. Warns of all that result.warnings has. Raises PreonError and its kinds, and what the reader raises.
        """
        has_samples = calibration_data_reader is not None or calibration_data_path is not None
        options, told = self._options(algorithms, has_samples, calibration_data_reader)
        source = self._source(model_input, calibration_data_reader, calibration_data_path)
        if calibration_data_reader is not None and calibration_data_path is not None:
            told.append("calibration_data_path: has no effect: there is a calibration_data_reader")
        try:
            result = quantize(model_input, model_output, **source, **options)
        except ConfigError as error:
            if error.number != _NO_DATA or ": no samples" not in error.message:
                raise
            raise ConfigError(_NO_DATA, "A calibration data reader is required for quantization, but none was provided; wanted "
                                        "calibration_data_reader, calibration_data_path or the option UseRandomData", exit_status=2) from None
        self.result = result
        for text in told:
            result.warn(text)
        for text in result.warnings:
            warnings.warn(text, UserWarning, 2)
        return result.model

    def _options(self, algorithms, has_samples, calibrates):
        """(options of quantize(), warnings). `calibrates`: the reader that does, or None."""
        config, names = self.config, {}
        if isinstance(config, Config):
            if config.global_quant_config.use_dynamic_quant:
                fields, objects, told = without_objects(config.global_quant_config, calibrates)
                return {**dynamic_options(fields), **objects}, told
            config = to_qconfig(config.global_quant_config, algorithms)
            names = option_names(config)
        config, objects, told = without_objects(config, calibrates)
        stored = config.to_dict()
        if has_samples:
            told += _drop_random(stored["extra_options"])
        return {"qconfig": json.dumps({**stored, "option_names": names}), **objects}, told

    @staticmethod
    def _source(model, reader, data_path):
        if reader is None and data_path is not None:
            return path_reader(model, data_path)
        return {"reader": reader}
