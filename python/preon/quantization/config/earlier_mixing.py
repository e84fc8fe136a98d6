"""Parameters that AutoMixprecisionConfig had before it took configurations of layers: types of tensors."""
import warnings

from ...errors import ConfigError, not_yet
from .spec import CalibMethod, QLayerConfig, QTensorConfig, QuantGranularity, ScaleType

_TYPES = ("target_quant_type", "act_target_quant_type", "weight_target_quant_type", "bias_target_quant_type")
#: Others that have a name today.
_RENAMED = {"output_index": "metric_output_index", "l2_target": "metric_threshold"}
#: Without one, and the values with which they do nothing.
_ABSENT = {"top1_acc_target": None, "evaluate_function": None, "num_target": 0, "target_tensors": [], "target_indices": [],
           "exclude_indices": [], "auto_mix_use_fast_ft": False}
_DEFAULTS = {"l2_target": 0.5, "no_input_qdq_shared": True}


def translated(given):
    """Today's keywords for those of the earlier form; others stay. Warns of the older names. Raises ConfigError."""
    known = (*_TYPES, *_RENAMED, *_ABSENT)
    if not any(name in given for name in known):
        return given
    if "target_layer_config" in given:
        raise ConfigError(1004, "AutoMixprecisionConfig: got target_layer_config and the older " +
                          ", ".join(name for name in known if name in given) + ", wanted the one or the others", exit_status=2)
    warnings.warn("AutoMixprecisionConfig: types of tensors are the older form of target_layer_config", DeprecationWarning, 3)
    given = {**_DEFAULTS, **given}
    for name, nothing in _ABSENT.items():
        if given.pop(name, nothing) not in (nothing, None):
            raise not_yet(f"AutoMixprecisionConfig.{name}")
    kinds = {name: given.pop(name, None) for name in _TYPES}
    if kinds["act_target_quant_type"] is None and kinds["weight_target_quant_type"] is None:
        kinds["act_target_quant_type"] = kinds["target_quant_type"]
    if all(kinds[name] is None for name in _TYPES[1:3]):
        raise ConfigError(1003, f"AutoMixprecisionConfig: wanted one of {', '.join(_TYPES[:3])}", exit_status=2)
    tensors = {field: _tensor(kinds[name], name) for field, name in zip(("input_tensors", "weight", "bias"), _TYPES[1:])}
    return {"target_layer_config": QLayerConfig(**{field: tensor for field, tensor in tensors.items() if tensor is not None}),
            **{_RENAMED.get(name, name): value for name, value in given.items()}}


def _tensor(member, name):
    from .legacy import type_of   # which imports the algorithms

    if member is None:
        return None
    kind = member if isinstance(member, type) else type_of(member, f"AutoMixprecisionConfig.{name}", {})
    symmetric = name != "act_target_quant_type" or not hasattr(kind, "min_value")
    return QTensorConfig(symmetric, ScaleType.Float32, CalibMethod.MinMax, QuantGranularity.Tensor, kind)
