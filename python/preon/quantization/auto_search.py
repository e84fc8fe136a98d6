"""The search for a configuration: only its names; this version does not have it."""
from ..errors import not_yet


class AutoSearch:
    """Not in this version: raises ConfigError."""

    def __init__(self, model_input, config, auto_search_config=None, eval_dataloader=None, calibration_data_reader=None,
                 calibration_data_path=None):
        raise not_yet("AutoSearch")


class AutoSearchPro:
    """Not in this version: raises ConfigError."""

    def __init__(self, config):
        raise not_yet("AutoSearchPro")


class SearchSpace:
    """Not in this version: raises ConfigError."""

    def __init__(self, conf, logger=None):
        raise not_yet("SearchSpace")


def generate_all_configs(search_space):
    """Not in this version: raises ConfigError."""
    raise not_yet("generate_all_configs")


def get_auto_search_config(config_name):
    """Not in this version: raises ConfigError."""
    raise not_yet("get_auto_search_config")
