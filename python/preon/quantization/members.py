"""Enumerations that other packages have under the same names, and members given as text."""
import difflib
import enum

from ..errors import ConfigError


class Named(enum.Enum):
    """A member equals that of the same name of any enumeration with the same class name, so that ONNX Runtime's own
    `QuantType`, `QuantFormat`, `CalibrationMethod` are as good as ours."""

    def __eq__(self, other):
        if self is other:
            return True
        return isinstance(other, enum.Enum) and type(self).__name__ == type(other).__name__ and self.name == other.name

    def __hash__(self):
        return hash(self.name)  # as enum.Enum's

    def __str__(self):
        return self.name

    @classmethod
    def from_string(cls, name):
        """The member of that name, with or without the class in front. Raises ConfigError."""
        return parse_enum(cls, name, cls.__name__)


def did_you_mean(typed, known):
    """"; did you mean 'x'?" or ""."""
    lower = {str(name).lower(): name for name in known}
    near = difflib.get_close_matches(str(typed).lower(), lower, n=1)
    return f"; did you mean '{lower[near[0]]}'?" if near else ""


def parse_enum(kind, value, where):
    """The member of `kind` that `value` is, equals, or names ("Percentile", "CalibMethod.Percentile").

    Raises ConfigError, which begins with `where`.
    """
    if isinstance(value, kind):
        return value
    name = value.name if isinstance(value, enum.Enum) and type(value).__name__ == kind.__name__ else value
    if isinstance(name, str):
        bare = name.removeprefix(f"{kind.__name__}.")
        if bare in kind.__members__:
            return kind[bare]
        raise ConfigError(1002, f"{where}: got '{value}', wanted a member of {kind.__name__} ({', '.join(kind.__members__)})"
                                + did_you_mean(bare, kind.__members__), exit_status=2)
    raise ConfigError(1002, f"{where}: got {value!r}, wanted a member of {kind.__name__} ({', '.join(kind.__members__)})",
                      exit_status=2)
