"""What the launchers share: engines are optional packages."""
import importlib

from ..errors import ConfigError


def engine(module, extra):
    """The module of an engine. Raises ConfigError with the line that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise ConfigError(1007, f"launch: the package {module} is not installed ({error})", f'pip install "preon[{extra}]"', 2) from None
