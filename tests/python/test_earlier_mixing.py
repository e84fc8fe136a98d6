"""AutoMixprecisionConfig with the parameters that it had before it took configurations of layers."""
import numpy as np
import pytest
from onnxruntime.quantization.quant_utils import QuantType
from preon import AutoMixprecisionConfig, CalibMethod, ConfigError, Int8, Int16Spec, ModelQuantizer, QConfig, QLayerConfig


def earlier(**given):
    with pytest.warns(DeprecationWarning, match="older form of target_layer_config"):
        return AutoMixprecisionConfig(**given)


def test_types_become_a_configuration_of_layers():
    config = earlier(act_target_quant_type=QuantType.QUInt8, weight_target_quant_type=Int8, output_index=1, data_size=50)
    target = config.target_layer_config
    assert (target.input_tensors.data_type.__name__, target.weight.data_type, target.bias) == ("UInt8", Int8, None)
    assert (target.input_tensors.symmetric, target.weight.symmetric, target.weight.calibration_method) == (False, True, CalibMethod.MinMax)
    assert (config.metric_output_index, config.metric_threshold, config.data_size, config.no_input_qdq_shared) == (1, 0.5, 50, True)
    alone = earlier(target_quant_type=Int8, l2_target=0.2)
    assert alone.target_layer_config.weight is None and alone.target_layer_config.input_tensors.data_type is Int8 and alone.metric_threshold == 0.2


def test_the_same_model(model, tmp_path):
    reader = lambda: type("Reader", (), {"samples": iter([{"input": each[None]} for each in np.random.default_rng(1).normal(
        size=(16, 3, 8, 8)).astype(np.float32)]), "get_next": lambda self: next(self.samples, None)})()
    target = earlier(act_target_quant_type=Int8, weight_target_quant_type=Int8).target_layer_config
    made = []
    for algorithm in (earlier(act_target_quant_type=Int8, weight_target_quant_type=Int8, l2_target=0.3),
                      AutoMixprecisionConfig(target, metric_threshold=0.3, no_input_qdq_shared=True)):
        layers = QLayerConfig(input_tensors=Int16Spec(), weight=Int16Spec())
        ModelQuantizer(QConfig(global_config=layers, algo_config=[algorithm])).quantize_model(tmp_path / model, tmp_path / "o.onnx", reader())
        made.append((tmp_path / "o.onnx").read_bytes())
    assert made[0] == made[1]


@pytest.mark.parametrize("given, number, says", [
    ({"act_target_quant_type": Int8, "top1_acc_target": 0.02}, 1007, "top1_acc_target"),
    ({"act_target_quant_type": Int8, "target_indices": [1]}, 1007, "target_indices"),
    ({"l2_target": 0.3}, 1003, "wanted one of target_quant_type, act_target_quant_type, weight_target_quant_type"),
    ({"act_target_quant_type": "Int99"}, 1002, "act_target_quant_type"),
    ({"target_layer_config": QLayerConfig(), "l2_target": 0.3}, 1004, "got target_layer_config and the older l2_target")])
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_what_is_not_possible(given, number, says):
    with pytest.raises(ConfigError, match=says) as error:
        AutoMixprecisionConfig(**given)
    assert error.value.number == number
