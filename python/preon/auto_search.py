"""An earlier release's place of `preon.quantization.auto_search`."""
from .quantization.auto_search import *  # noqa: F403
