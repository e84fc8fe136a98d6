"""ModelQuantizer: the reference's entry point."""
import os

from ..core import quantize
from ..errors import ConfigError
from .config.config import QConfig


class ModelQuantizer:
    """Quantizes models as a QConfig says; may be used any number of times."""

    def __init__(self, config):
        if not isinstance(config, QConfig):
            raise ConfigError(1003, f"config must be one of Config and QConfig, got {type(config).__name__}", exit_status=2)
        self.config = config
        self.result = None   #: of the last run: preon's Result

    def quantize_model(self, model_input, model_output=None, calibration_data_reader=None, calibration_data_path=None,
                       algorithms=None):
        """Returns an onnx.ModelProto where `model_output` is None, else None. Raises PreonError and its kinds."""
        if algorithms:
            raise ConfigError(1007, "algorithms: are not in this version", exit_status=2)
        options = self.config.settings()
        random = str(self.config.extra_options.get("UseRandomData", "")).lower() in ("true", "1")
        blind = "method" not in options
        if calibration_data_reader is None and calibration_data_path is None and not random and not blind:
            raise ConfigError(1002, "A calibration data reader is required", exit_status=2)
        data = os.fspath(calibration_data_path) if calibration_data_path is not None else None
        self.result = quantize(model_input, model_output, data=data, reader=calibration_data_reader, **options)
        return self.result.model
