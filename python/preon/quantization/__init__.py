"""AMD Quark's path to its quantizer and configurations."""
from .api import ModelQuantizer
from .config import Config, QConfig, QuantizationConfig, get_default_config

__all__ = ["Config", "ModelQuantizer", "QConfig", "QuantizationConfig", "get_default_config"]
