"""Packages of others that parts of this one need: optional, for they are large."""
import importlib
from typing import Any

from .errors import ConfigError


def optional(module: str, extra: str, who: str) -> Any:
    """The module. Raises ConfigError with the line that installs it; `who` needs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and not f"{module}.".startswith(f"{error.name}."):
            raise  # it is there, but what it needs is not
        raise ConfigError(1007, f"{who}: the package {module} is not installed ({error})", f'pip install "preon[{extra}]"', 2) from None
