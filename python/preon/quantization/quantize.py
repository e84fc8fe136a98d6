"""quantize_static and quantize_dynamic: the older functions. Each argument is a field of QuantizationConfig."""
from ..calibration.methods import CalibrationMethod
from .api import ModelQuantizer
from .config.config import Config
from .config.legacy import QuantizationConfig
from .quant_utils import QuantFormat, QuantType


def quantize_static(model_input, model_output=None, calibration_data_reader=None, calibration_data_path=None,
                    quant_format=QuantFormat.QDQ, calibrate_method=CalibrationMethod.MinMax, input_nodes=[], output_nodes=[],
                    op_types_to_quantize=[], extra_op_types_to_quantize=[], per_channel=False, reduce_range=False,
                    activation_type=QuantType.QInt8, weight_type=QuantType.QInt8, nodes_to_quantize=[], nodes_to_exclude=[],
                    subgraphs_to_exclude=[], optimize_model=True, use_external_data_format=False,
                    execution_providers=["CPUExecutionProvider"], enable_dpu=False, enable_npu_cnn=False,
                    enable_npu_transformer=False, specific_tensor_precision=False, convert_fp16_to_fp32=False,
                    convert_nchw_to_nhwc=False, debug_mode=False, crypto_mode=False, include_cle=True, include_sq=False,
                    include_rotation=False, include_fast_ft=False, include_auto_mp=False, print_summary=True, extra_options={}):
    """Quantizes with samples. Returns and raises as ModelQuantizer.quantize_model()."""
    fields = {name: value for name, value in locals().items() if name not in _OF_THE_CALL}
    fields["enable_npu_cnn"] = enable_npu_cnn or enable_dpu
    return ModelQuantizer(Config(QuantizationConfig(**fields))).quantize_model(
        model_input, model_output, calibration_data_reader, calibration_data_path)


def quantize_dynamic(model_input, model_output=None, op_types_to_quantize=[], per_channel=False, reduce_range=False,
                     weight_type=QuantType.QInt8, nodes_to_quantize=[], nodes_to_exclude=[], subgraphs_to_exclude=[],
                     use_external_data_format=False, debug_mode=False, crypto_mode=False, extra_options={}):
    """Quantizes only weights; ranges of activations are computed in each run. Returns and raises as quantize_static()."""
    fields = {name: value for name, value in locals().items() if name not in _OF_THE_CALL}
    return ModelQuantizer(Config(QuantizationConfig(**fields, use_dynamic_quant=True, include_cle=False))).quantize_model(
        model_input, model_output)


_OF_THE_CALL = ("model_input", "model_output", "calibration_data_reader", "calibration_data_path", "enable_dpu")
