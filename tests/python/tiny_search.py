"""A search space of eight configurations."""
SPACE = {"activation": ["Int8Spec"],
         "activation_params": {"symmetric": [True, False], "calibration_method": ["MinMax", "Percentile"], "only_if": "activation"},
         "weight": ["Int8Spec"],
         "weight_params": {"quant_granularity": ["Tensor", "Channel"], "only_if": "weight"}}
