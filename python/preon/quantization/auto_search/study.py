"""Which configuration comes next: samplers of Optuna, in a study that may be kept in a file.

Each trial gets a sampler with a seed of its own, made from the number of trials before it. So a process that goes on with
a study chooses what the one before it would have chosen, wherever that one ended.
"""
import dataclasses
import json
import time

from ...errors import ConfigError
from ..members import did_you_mean
from .configs import label, labels
from .space import Interval, flat

GRID = "Grid"
_MOST_REPEATS = 5  # behind which the next configuration of the grid is taken


@dataclasses.dataclass
class Budget:
    """How long a search goes on."""

    trials: int
    seconds: float = float("inf")
    began: float = dataclasses.field(default_factory=time.monotonic)

    def is_left(self, done):
        return done < self.trials and time.monotonic() - self.began < self.seconds


def optuna_module():
    try:
        import optuna
    except ImportError:
        raise ImportError("the search needs Optuna: pip install 'preon[search]'") from None
    return optuna


class Study:
    """Raises ConfigError for an unknown sampler, and for a study of that name that was made of something else."""

    def __init__(self, space, sampler, seed, name, large_wins, storage=None, load=False, made_of=None):
        self.space, self.seed, self.optuna = space, seed, optuna_module()
        self.sampler = self._kind_of(sampler)
        with _quiet(self.optuna):
            try:
                self.study = self.optuna.create_study(study_name=name, storage=storage, load_if_exists=load,
                                                      direction="maximize" if large_wins else "minimize")
            except self.optuna.exceptions.DuplicatedStudyError:
                raise ConfigError(1004, f"study_name: {storage} has a study '{name}' already",
                                  "load_study_if_exists=True goes on with it", 2) from None
        self._check(made_of or {})
        self.seen, self.told = {}, 0   #: records by configuration; trials that have an answer

    def run(self, trials, budget, output_of, progress=None):
        """Runs trials until the budget is spent or all configurations have been tried. Returns whether Ctrl-C ended it.

        output_of  path of the model of a trial, by its place in the study
        progress   called as progress(stage, done, total)
        """
        self._resume(trials)
        try:
            while budget.is_left(len(self.seen)):
                if progress is not None:
                    progress("search", len(self.seen), budget.trials)
                asked = self._ask()
                if asked is None:
                    break
                trial, params = asked
                record = trials.run(params, output_of(len(self.seen)))
                if record is trials.best:
                    trial.set_user_attr("values", trials.best_values)
                self._tell(trial, record)
                self.seen[_key(params)] = record
        except KeyboardInterrupt:
            return True
        return False

    def _kind_of(self, name):
        samplers = self.optuna.samplers
        kinds = {"TPE": samplers.TPESampler, "Random": samplers.RandomSampler, "CmaEs": samplers.CmaEsSampler,
                 "GPS": samplers.GPSampler, "NSGAII": samplers.NSGAIISampler, "QMC": samplers.QMCSampler, GRID: None}
        if name not in kinds:
            raise ConfigError(1002, f"search_algo: got {name!r}, wanted one of {', '.join(kinds)}" + did_you_mean(name, kinds),
                              exit_status=2)
        return kinds[name]

    def _check(self, made_of):
        known = self.study.user_attrs.get("made_of")
        if known is None:
            self.study.set_user_attr("made_of", made_of)
        elif known != made_of:
            other = [key for key in made_of if known.get(key) != made_of[key]]
            raise ConfigError(1004, f"study '{self.study.study_name}': was made with another {' and another '.join(other)}",
                              "another study_name, or another file", 2)

    def _resume(self, trials):
        """Notes the trials of earlier processes; one that was killed before it had a record counts as none."""
        states = self.optuna.trial.TrialState
        for each in self.study.get_trials():
            record = each.user_attrs.get("record")
            if each.state == states.RUNNING:
                self._end(each.number, record or {"state": "failed"})
            if record is None:
                continue
            self.told += 1
            params = self.space.choose(lambda name, choices: _choice(choices, each.params[name]))
            if _key(params) not in self.seen:
                trials.note(record, params, tuple(each.user_attrs.get("values", ())))
                self.seen[_key(params)] = record

    def _ask(self):
        """(trial, parameters) of a configuration that has not run, or None where there is none."""
        for _ in range(_MOST_REPEATS if self.sampler else 0):
            trial, params = self._asked(self.sampler(seed=self.seed + self.told))
            record = self.seen.get(_key(params))
            if record is None:
                return trial, params
            self._tell(trial, record)
        if not self.space.is_countable():
            return self._asked(self.optuna.samplers.RandomSampler(seed=self.seed + self.told))
        untried = next((config for config in self.space.configs() if _key(config) not in self.seen), None)
        return None if untried is None else self._asked(_given(self.optuna, flat(untried)))

    def _asked(self, sampler):
        self.study.sampler = sampler
        try:
            trial = self.study.ask()
            return trial, self.space.choose(lambda name, choices: _suggested(trial, name, choices))
        except ImportError as error:  # of what a sampler needs beside Optuna
            raise ConfigError(1007, f"search_algo: {type(sampler).__name__}: {error}", exit_status=2) from None

    def _tell(self, trial, record):
        """The record comes last: a process that goes on with the study needs nothing else to end the trial."""
        if record["state"] == "given up":
            trial.report(record["score"], 0)
        trial.set_user_attr("record", record)
        self._end(trial, record)
        self.told += 1

    def _end(self, trial, record):
        states = self.optuna.trial.TrialState
        state = {"complete": states.COMPLETE, "given up": states.PRUNED, "failed": states.FAIL}[record["state"]]
        self.study.tell(trial, record["score"] if state == states.COMPLETE else None, state=state)


def _suggested(trial, name, choices):
    if not isinstance(choices, Interval):
        return _choice(choices, trial.suggest_categorical(name, [label(each) for each in choices]))
    if choices.whole:
        return trial.suggest_int(name, choices.low, choices.last(), step=choices.step or 1, log=choices.log)
    return trial.suggest_float(name, choices.low, choices.last(), step=choices.step, log=choices.log)


def _choice(choices, picked):
    """The choice that has this label; flags and numbers that are equal are told apart."""
    if isinstance(choices, Interval):
        return picked
    return next(each for each in choices if label(each) == picked and type(label(each)) is type(picked))


def _key(params):
    return json.dumps(labels(params), sort_keys=True)


def _given(optuna, values):
    """A sampler that gives these values."""
    class Given(optuna.samplers.BaseSampler):
        def infer_relative_search_space(self, study, trial):
            return {}

        def sample_relative(self, study, trial, search_space):
            return {}

        def sample_independent(self, study, trial, param_name, param_distribution):
            return label(values[param_name])

    return Given()


class _quiet:
    """Optuna tells about each study that it makes."""

    def __init__(self, optuna):
        self.logging = optuna.logging

    def __enter__(self):
        self.before = self.logging.get_verbosity()
        self.logging.set_verbosity(self.logging.WARNING)

    def __exit__(self, *_):
        self.logging.set_verbosity(self.before)
