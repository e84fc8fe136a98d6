from .api import ModelQuantizer  # noqa: F401
