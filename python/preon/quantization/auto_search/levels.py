"""The search space of AutoSearch: fields of QuantizationConfig, extra_options beside them, FastFinetune in these."""
import copy
import itertools

from ...calibration.methods import CalibrationMethod

_EXTRA, _TUNING, _JOINT = "extra_options", "FastFinetune", "NumIterLR"


class SearchSpace:
    """All configurations of a space, and which of them make sense: dicts of the form of the space, with values for lists.

    Raises TypeError where there is no list.
    """

    def __init__(self, conf, logger=None):
        self.raw_search_space, self.logger = conf, logger

    def get_all_configs(self):
        """Every combination: fields change slowest, FastFinetune fastest."""
        fields, extra, tuning = split_levels(self.raw_search_space)
        for name, choices in {**fields, **extra, **tuning}.items():
            if not isinstance(choices, (list, tuple)):
                raise TypeError(f"search_space: {name}: got {type(choices).__name__}, wanted a list")
        return [joined(*each) for each in itertools.product(*map(_combinations, (fields, extra, tuning)))]

    def remove_invalid_configs(self, input_all_coinfgs):
        """Without what has no effect in a configuration, and without those that are the same then."""
        valid = []
        for config in input_all_coinfgs:
            fields, extra, tuning = split_levels(config)
            if fields and extra:
                extra = {key: value for key, value in extra.items() if _has_effect(key, fields, extra)}
            if fields and fields.get("include_fast_ft") is not True:
                tuning = {}
            config = joined(fields, extra, tuning)
            if fields and _EXTRA in input_all_coinfgs[0]:
                config.setdefault(_EXTRA, {})
            if config not in valid:
                valid.append(config)
        return valid


def split_levels(config):
    """(fields, extra_options without FastFinetune, FastFinetune)."""
    fields = {key: value for key, value in config.items() if key != _EXTRA}
    extra = dict(config.get(_EXTRA) or {})
    tuning = dict(extra.pop(_TUNING, None) or {})
    return fields, extra, tuning


def joined(fields, extra, tuning):
    config = copy.deepcopy(fields)
    if extra or tuning:
        config[_EXTRA] = {**copy.deepcopy(extra), **({_TUNING: dict(tuning)} if tuning else {})}
    return config


def without_pairs(config):
    """NumIterLR as its two parts."""
    fields, extra, tuning = split_levels(config)
    if _JOINT in tuning:
        tuning["NumIterations"], tuning["LearningRate"] = tuning.pop(_JOINT)
    return joined(fields, extra, tuning)


def _combinations(choices):
    return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


def _has_effect(key, fields, extra):
    method = fields.get("calibrate_method")
    if key == "CalibMovingAverage":
        return method == CalibrationMethod.MinMax
    if key == "CalibMovingAverageConstant":
        return method == CalibrationMethod.MinMax and extra.get("CalibMovingAverage") is True
    if key == "Percentile":
        return method == CalibrationMethod.Percentile
    return key != "SmoothAlpha" or fields.get("include_sq") is True
