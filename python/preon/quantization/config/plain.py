"""Configurations as plain values, as JSON has them, and back."""
import enum
import math
import os

from ...calibration import methods
from ...errors import ConfigError
from .. import quant_utils
from . import spec
from .data_type import BaseDataType

_ENUMS = {each.__name__: each for module in (quant_utils, methods, spec) for each in vars(module).values()
          if isinstance(each, type) and issubclass(each, enum.Enum) and each.__members__}


def plain(value, where, strict=True):
    """Enumerations as "Class.Member", types and paths by name, tuples as lists, arrays as lists of numbers.

    Raises ConfigError, which begins with `where`, for what has no such form; not `strict`: leaves it as it is.
    """
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, type) and issubclass(value, BaseDataType):
        return value.__name__
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, dict):
        return {str(key): plain(each, f"{where}.{key}", strict) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each, f"{where}[{index}]", strict) for index, each in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(each, where, strict) for each in value), key=repr)
    if isinstance(value, (spec.QLayerConfig, spec.QTensorConfig)):
        return value.to_dict(where)
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist(), where, strict)
    if isinstance(value, float) and (math.isfinite(value) or not strict):
        return value
    if not strict:
        return value
    raise ConfigError(1002, f"{where}: got {value!r}, wanted a finite number, a text, or a list or dict of these", exit_status=2)


def restored(value):
    """plain() undone where that can be told: members of enumerations."""
    if isinstance(value, str) and value.count(".") == 1:
        kind, member = value.split(".")
        return _ENUMS[kind].__members__.get(member, value) if kind in _ENUMS else value
    if isinstance(value, dict):
        return {key: restored(each) for key, each in value.items()}
    return [restored(each) for each in value] if isinstance(value, list) else value
