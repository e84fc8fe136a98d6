"""The search space of AutoSearchPro.

    {"activation": ["Int8Spec", "Int16Spec"],                      a field: its choices
     "activation_params": {"symmetric": [True, False],             a group: parameters that belong together
                           "only_if": "activation"},               where that field or group is set
     "adaround_params": {"learning_rate": {"type": "float", "low": 1e-3, "high": 1e-1, "log": True},
                         "data_size": {"type": "int", "low": 100, "high": 500, "step": 100},
                         "only_if": {"algorithms": "adaround"}}}   where that field has that value
"""
import dataclasses
import itertools
from decimal import Decimal
from typing import Any, Optional

from ...errors import ConfigError
from ..config.spec import check_keys

ONLY_IF = "only_if"


@dataclasses.dataclass(frozen=True)
class Interval:
    """Numbers from `low` to `high`, both included; `step` None: any of them."""

    low: Any
    high: Any
    step: Any
    log: bool
    whole: bool

    def values(self):
        """All of them, or None where they can't be counted."""
        if self.step is None:
            return None
        count = int((self.high - self.low) / self.step + 1e-9) + 1
        return [self.low + index * self.step for index in range(count)]

    def last(self):
        """The largest of them: `high`, unless the steps from `low` do not meet it."""
        if self.step is None:
            return self.high
        low, high, step = (Decimal(str(each)) for each in (self.low, self.high, self.step))
        return (int if self.whole else float)(high - (high - low) % step)


class Space:
    """Fields and groups, checked. Raises ConfigError."""

    def __init__(self, space):
        if not isinstance(space, dict):
            raise ConfigError(1002, f"search_space: got {type(space).__name__}, wanted a dict", exit_status=2)
        self.fields = {name: list(value) for name, value in space.items() if isinstance(value, (list, tuple))}
        self.groups, self.conditions = {}, {}
        for name, value in space.items():
            if name not in self.fields:
                self.groups[name], self.conditions[name] = _group(name, value)

    def configs(self):
        """Every configuration, one after the other. Raises ConfigError for numbers without a step."""
        for name, choices in self._all_choices():
            if _values(choices) is None:
                raise ConfigError(1002, f"search_space: {name}: can't be listed without a step; wanted a list or a step",
                                  exit_status=2)
        for values in itertools.product(*self.fields.values()):
            yield from self._expanded(dict(zip(self.fields, values)))

    def never(self):
        """Names of groups whose condition cannot hold, because the space has nothing of that name."""
        known = {*self.fields, *self.groups}
        return [name for name, condition in self.conditions.items()
                if not known.issuperset([condition] if isinstance(condition, str) else condition)]

    def is_countable(self):
        return all(_values(choices) is not None for _, choices in self._all_choices())

    def choose(self, choice):
        """One configuration: `choice(name, choices)` gives the value of a list of choices or of an Interval."""
        config = {name: choice(name, choices) for name, choices in self.fields.items()}
        while (ready := self._ready(config)) is not None:
            config[ready] = {key: choice(f"{ready}_{key}", choices) for key, choices in self.groups[ready].items()}
        return config

    def _all_choices(self):
        yield from self.fields.items()
        yield from ((f"{name}.{key}", choices) for name, group in self.groups.items() for key, choices in group.items())

    def _ready(self, config):
        """A group whose condition holds and that has no values yet."""
        return next((name for name, group in self.groups.items()
                     if group and name not in config and _holds(self.conditions[name], config)), None)

    def _expanded(self, config):
        ready = self._ready(config)
        if ready is None:
            yield config
            return
        group = self.groups[ready]
        for values in itertools.product(*map(_values, group.values())):
            yield from self._expanded({**config, ready: dict(zip(group, values))})


def generate_all_configs(search_space):
    """Every configuration of a space of lists, as a list of dicts. Raises ConfigError for another space."""
    space = Space(search_space)
    for name, group in space.groups.items():
        for key, choices in group.items():
            if isinstance(choices, Interval):
                raise ConfigError(1002, f"In conditional field '{name}', parameter '{key}' must be a list.",
                                  exit_status=2)
    return list(space.configs())


def flat(config):
    """{"group_key": value} of a configuration, the names that samplers use."""
    named = {}
    for name, value in config.items():
        named.update({f"{name}_{key}": each for key, each in value.items()} if isinstance(value, dict) else {name: value})
    return named


def _group(name, value):
    if not isinstance(value, dict):
        raise ConfigError(1002, f"Field '{name}' has unsupported type: {type(value).__name__}. Only list (base) or "
                                "dict with 'only_if' (conditional) are allowed.", exit_status=2)
    if ONLY_IF not in value:
        raise ConfigError(1003, f"Conditional field '{name}' is missing required 'only_if' key.", exit_status=2)
    condition = value[ONLY_IF]
    if not isinstance(condition, (str, dict)):
        raise ConfigError(1002, f"search_space: {name}.only_if: got {condition!r}, wanted a name or {{name: value}}",
                          exit_status=2)
    return {key: _choices(f"{name}.{key}", each) for key, each in value.items() if key != ONLY_IF}, condition


def _choices(name, value):
    if isinstance(value, (list, tuple)):
        return list(value)
    where = f"search_space: {name}"
    if not isinstance(value, dict) or value.get("type") not in ("int", "float"):
        raise ConfigError(1002, f"{where}: got {value!r}, wanted a list or {{type: int or float, low, high, step, log}}",
                          exit_status=2)
    check_keys(value, ["type", "low", "high", "step", "log"], where)
    low, high, log = value.get("low"), value.get("high"), bool(value.get("log", False))
    whole = value["type"] == "int"
    step: Optional[Any] = value.get("step", 1 if whole and not log else None)
    if not all(isinstance(each, (int, float)) and not isinstance(each, bool) for each in (low, high)) or low > high:
        raise ConfigError(1002, f"{where}: got low {low!r} and high {high!r}, wanted numbers, low no larger than high",
                          exit_status=2)
    if log and (low <= 0 or step is not None):
        raise ConfigError(1004, f"{where}: log needs low above 0 and no step", exit_status=2)
    if step is not None and not step > 0:
        raise ConfigError(1002, f"{where}: got step {step!r}, wanted more than 0", exit_status=2)
    return Interval(low, high, step, log, whole)


def _values(choices):
    return choices.values() if isinstance(choices, Interval) else choices


def _holds(condition, config):
    """None as a value of a field is the same as no field."""
    if isinstance(condition, str):
        return config.get(condition) is not None
    return all(name in config and config[name] == value for name, value in condition.items())
