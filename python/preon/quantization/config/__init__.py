"""Configurations."""
from .config import Config, QConfig
from .custom_config import DefaultConfigMapping, get_default_config, get_default_config_mapping
from .legacy import QuantizationConfig
