"""Ready-made spaces of AutoSearchPro, with the values of AMD Quark's."""
import copy

from ...errors import ConfigError
from ..members import did_you_mean

_ACTIVATION, _WEIGHT = {"only_if": "activation"}, {"only_if": "weight"}
_RANGE_METHODS = ["MinMax", "Percentile", "LayerwisePercentile"]


def _tuning(name, most_iterations, lowest, highest, **more):
    return {f"{name}_params": {"num_iterations": {"type": "int", "low": 3000, "high": most_iterations, "step": 3000},
                               "learning_rate": {"type": "float", "low": lowest, "high": highest, "log": True},
                               **more, "only_if": {"algorithms": name}}}


def _on_device(data_size):
    return {"optim_device": ["cuda:0"], "infer_device": ["cuda:0"], "data_size": [data_size], "batch_size": [2], "early_stop": [True]}


_CLE = {"cle_algo": ["cle", None], "cle_params": {"cle_steps": [-1, 1], "only_if": {"cle_algo": "cle"}}}
_BOTH = {"algorithms": ["adaround", "adaquant"], **_tuning("adaquant", 20000, 1e-6, 1e-4, **_on_device(1000)),
         **_tuning("adaround", 20000, 1e-2, 1e-1)}
_FIXED = {"specific_layer_config": [None], "layer_type_config": [None], "exclude": [None], "use_external_data_format": [False],
          "OptimizeModel": [True]}
_ALIGNED = {"AlignSlice": [False], "FoldRelu": [True], "AlignConcat": [True]}

_SPACES = {
    "ADVANCED_SEARCH": {
        "activation": ["Int8Spec"],
        "activation_params": {"symmetric": [True, False], "calibration_method": _RANGE_METHODS, "scale_type": ["Float32"],
                              "quant_granularity": ["Tensor"], **_ACTIVATION},
        "weight": ["Int8Spec"],
        "weight_params": {"symmetric": [True], "calibration_method": ["MinMax", "MinMSE"], **_WEIGHT},
        **_CLE, "algorithms": ["adaround", "adaquant"], **_tuning("adaquant", 30000, 1e-6, 1e-3, **_on_device(3000)),
        **_tuning("adaround", 30000, 1e-2, 1e-1, **_on_device(3000)), **_FIXED},
    "XINT8_SEARCH": {
        "activation": ["XInt8Spec"],
        "activation_params": {"symmetric": [True], "calibration_method": ["MinMSE"], **_ACTIVATION},
        "weight": ["XInt8Spec"], "weight_params": {"symmetric": [True], "quant_granularity": ["Tensor"], **_WEIGHT},
        **_CLE, **_BOTH, **_FIXED},
    "A8W8_SEARCH": {
        "activation": ["Int8Spec"],
        "activation_params": {"symmetric": [True, False], "calibration_method": _RANGE_METHODS, **_ACTIVATION},
        "weight": ["Int8Spec"], "weight_params": {"symmetric": [True], "quant_granularity": ["Tensor"], **_WEIGHT},
        **_BOTH, **_CLE, **_FIXED, **_ALIGNED,
        "PercentileCandidates": [[99.99, 99.999, 99.9999], [99.0, 99.9, 99.99, 99.999, 99.9999]]},
    "A16W8_SEARCH": {
        "activation": ["Int16Spec"],
        "activation_params": {"symmetric": [True, False], "calibration_method": ["MinMax", "Percentile"], **_ACTIVATION},
        "weight": ["Int8Spec"], "weight_params": {"symmetric": [True], "quant_granularity": ["Tensor"], **_WEIGHT},
        **_CLE, **_BOTH, **_FIXED, **_ALIGNED, "AlignEltwiseQuantType": [True]},
}
_SETTINGS = {"n_trials": 20, "n_jobs": 1, "output_dir": "./output", "temp_dir": "./temp_dir", "search_algo": "TPE", "search_evaluator": None,
             "search_metric": None, "direction": "minimize", "base_framework": "onnx", "study_storage_db": "auto_search.db",
             "load_study_if_exists": True, "study_name": "AutoSearch", "model_input": None, "calib_data_reader": None,
             "eval_data_reader": None, "two_stage_search": True, "plot_results": False}


def get_auto_search_config(config_name):
    """A new dict for AutoSearchPro: the space of that name (ADVANCED_SEARCH, XINT8_SEARCH, A8W8_SEARCH, A16W8_SEARCH) and settings.

    Raises ConfigError for another name.
    """
    if config_name not in _SPACES:
        raise ConfigError(1002, f"get_auto_search_config: got {config_name!r}, wanted one of {', '.join(_SPACES)}"
                                + did_you_mean(config_name, _SPACES), exit_status=2)
    return copy.deepcopy({"search_space": _SPACES[config_name], **_SETTINGS})
