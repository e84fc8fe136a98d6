"""Options of Python, in any form that a function takes, as texts: what the command line takes."""
import difflib
import json
import os
from collections.abc import Mapping
from typing import Optional

from . import options as options_of_verbs
from .errors import ConfigError

#: Options that are no keywords for everyone: of ModelQuantizer, and parameters of passes() and search().
_INNER = {"qconfig", "pass", "space"}


def _text(value, option=None):
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "SerializeToString") or getattr(value, "shape", ()) != ():
        raise TypeError(f"{option}: got {type(value).__name__}, wanted a path, a text or a number")
    if isinstance(value, bytes):
        return os.fsdecode(value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, default=_text)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(getattr(value, "name", value))  # members of enums by their names


def number(value):
    """Of NumPy, as one of Python."""
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    raise TypeError(f"space: got {type(value).__name__}, wanted numbers, texts, lists and dicts")


def settings_of(verb, options):
    """Options by their long names, `_` for `-`, as the command line takes them; lists repeat, None is the default."""
    known = keywords(verb) if options else ()
    for name, value in options.items():
        if name.replace("-", "_") not in known and name not in _INNER:
            nearest = difflib.get_close_matches(name, known, 1)
            raise ConfigError(1001, f"{verb}: no option '{name}'" + (f"; did you mean '{nearest[0]}'?" if nearest else ""), exit_status=2)
        repeats = known and known.get(name.replace("-", "_")) == Optional[options_of_verbs.Many]
        for each in _values(value, repeats):
            if each is None:
                continue
            if isinstance(each, tuple):
                each = _pair(each, name)
            yield name.replace("_", "-"), _text(each, name)


def _values(value, repeats):
    """Of an option: a list of them; of one that `repeats` a dict of pairs (key, value), or one pair, too."""
    if repeats and isinstance(value, Mapping):
        return list(value.items())
    one_pair = repeats and isinstance(value, tuple) and len(value) == 2 and _is_key(value[0]) and not isinstance(value[1], (str, type(None)))
    return [value] if one_pair or not isinstance(value, (list, tuple)) else value


def _is_key(value):
    return isinstance(value, str) and "=" not in value


def _pair(value, name):
    if len(value) != 2:
        raise TypeError(f"{name}: got a tuple of {len(value)}, wanted (key, value)")
    key, of = value
    is_shape = isinstance(of, (list, tuple)) and all(isinstance(size, int) for size in of)
    return f"{key}={'x'.join(map(str, of)) if is_shape else _text(of, name)}"


def keywords(verb):
    return getattr(options_of_verbs, verb.title().replace("_", "") + "Options").__annotations__
