"""How a search ends, and what it answers: a table, files, a log."""
import contextlib
import json
import logging
import os
import time

from ...errors import ConfigError
from ...result import Result
from .files import write_json
from .trials import BEST_CONFIG, BEST_MODEL

_MOST_ROWS = 20
_log = logging.getLogger("preon.auto_search")


@contextlib.contextmanager
def log_file(path):
    """Every trial as a line of this file, as soon as it has run."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s"))
    level = _log.level
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)
    try:
        yield
    finally:
        _log.setLevel(level)
        _log.removeHandler(handler)
        handler.close()


def concluded(trials, metric, run):
    """Runs a search and makes its best model again with the samples. `run()` answers whether Ctrl-C has ended it.

    Returns the Result, which is also search.json beside the best model. Raises ConfigError where no trial has a score,
    KeyboardInterrupt where Ctrl-C came before the first score.
    """
    begin = time.monotonic()
    try:
        interrupted = run()
        if trials.best is None:
            raise KeyboardInterrupt if interrupted else _no_score(trials)
        if not interrupted:
            try:
                trials.finish()
            except KeyboardInterrupt:
                interrupted = True
    finally:
        trials.statistics.remove()
    return _result_of(trials, metric, time.monotonic() - begin, interrupted)


def _no_score(trials):
    reason = trials.records[-1]["error"] if trials.records else "no time, or no configuration"
    return ConfigError(1002, f"search: no trial has a score; the last one: {reason}", exit_status=1)


def _result_of(trials, metric, seconds, interrupted):
    facts = {"verb": "search", "metric": metric, "large_wins": trials.large_wins, "trials": trials.records,
             "best": trials.best, "best_model": os.fspath(trials.folder / BEST_MODEL),
             "best_config": os.fspath(trials.folder / BEST_CONFIG), "interrupted": interrupted,
             "seconds": {"total": round(seconds, 3)}}
    text = _text(facts)
    _log.info("%s", text)
    write_json(trials.folder / "search.json", facts)
    return Result(facts, text)


def _text(facts):
    judged = [each for each in facts["trials"] if "score" in each]
    sign = -1 if facts["large_wins"] else 1
    judged.sort(key=lambda each: (each["state"] != "complete", sign * each["score"]))
    varied = _varied(facts["trials"])
    lines = [f"{len(facts['trials'])} trials in {facts['seconds']['total']:.1f} s, by {facts['metric']}"
             + (" (ended early)" if facts["interrupted"] else "")]
    for each in judged[:_MOST_ROWS]:
        shown = ", ".join(f"{name}={value}" for name, value in _leaves(each["params"]).items() if name in varied)
        state = "" if each["state"] == "complete" else " (given up)"
        lines.append(f"  trial {each['index']:3}: {each['score']:.6g}{state}  {shown}")
    failed = [each for each in facts["trials"] if "error" in each]
    warnings = dict.fromkeys(text for each in facts["trials"] for text in each.get("warnings", ()))
    lines += [f"  {len(judged) - _MOST_ROWS} more"] * (len(judged) > _MOST_ROWS)
    lines += [f"  {len(failed)} failed, the last one: {failed[-1]['error']}"] if failed else []
    lines += [f"warning: {text}" for text in warnings]
    if "score_with_samples" in facts["best"]:
        lines.append(f"best model made again with the samples: {facts['best']['score_with_samples']:.6g}")
    lines.append("Scores are of the samples that chose between the trials: judge the best model on others.")
    return "\n".join([*lines, f"best model: {facts['best_model']}", f"its configuration: {facts['best_config']}"])


def _varied(trials):
    """Names whose values differ."""
    values = {}
    for each in trials:
        for name, value in _leaves(each["params"]).items():
            values.setdefault(name, set()).add(json.dumps(value))
    return {name for name, each in values.items() if len(each) > 1}


def _leaves(params):
    leaves = {}
    for name, value in params.items():
        leaves.update({f"{name}.{key}": each for key, each in _leaves(value).items()} if isinstance(value, dict) else {name: value})
    return leaves
