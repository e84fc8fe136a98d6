"""Errors by kind. Each has the number that docs/errors.md explains, and a hint where there is one."""
from typing import Any


class PreonError(RuntimeError):
    """Why something failed: what, where, got, wanted."""

    def __init__(self, number: int, message: str, hint: str = "", exit_status: int = 1) -> None:
        super().__init__(f"[E{number}] {message}" + (f"\nhint: {hint}" if hint else ""))
        self.number, self.message, self.hint, self.exit_status = number, message, hint, exit_status

    def __reduce__(self) -> tuple[Any, ...]:
        """Engines send what a shard raises to another process."""
        return type(self), (self.number, self.message, self.hint, self.exit_status)


class ConfigError(PreonError, ValueError):
    """An option or configuration that can't be done as it stands."""


class ModelError(PreonError, ValueError):
    """A model that can't be read, or has nothing to quantize."""


class DataError(PreonError, ValueError):
    """Samples that don't fit the model."""


class NotFound(PreonError, FileNotFoundError):
    """A file or folder that is not there."""


class VerificationError(PreonError):
    """The result does not load or run; nothing was written."""


class NothingToGain(PreonError):
    """The result would be larger or slower than the float model; nothing was written. `always_write=True` writes it."""


class Cancelled(PreonError):
    """Ended early."""


def not_yet(what, hint=""):
    """What Quark has and this version has not."""
    return ConfigError(1007, f"{what}: is not in this version", hint, exit_status=2)


_BY_THOUSANDS = {1: ConfigError, 2: ModelError, 3: DataError, 4: ModelError}
_NOT_FOUND = {1008, 2001, 3001}
_CANCELLED = 7900


def failure(number, message, hint="", exit_status=1):
    """The exception of an error number."""
    if number == _CANCELLED:
        kind = Cancelled
    elif number in _NOT_FOUND:
        kind = NotFound
    elif exit_status == 3:
        kind = VerificationError
    elif exit_status == 5:
        kind = NothingToGain
    else:
        kind = _BY_THOUSANDS.get(number // 1000, PreonError)
    return kind(number, message, hint, exit_status)
