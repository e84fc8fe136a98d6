"""The search for a configuration: AutoSearchPro, and AutoSearch, which is older."""
from .levels import SearchSpace
from .legacy import AutoSearch, AutoSearchConfig
from .presets import get_auto_search_config
from .pro import AutoSearchPro
from .space import generate_all_configs

__all__ = ["AutoSearch", "AutoSearchConfig", "AutoSearchPro", "SearchSpace", "generate_all_configs", "get_auto_search_config"]
