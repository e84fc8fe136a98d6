"""Published scripts of Quark, with the import changed and nothing else, on real images."""
import pathlib

import numpy as np
import onnx
import pytest

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
Image = pytest.importorskip("PIL.Image")

# The published Int8 example; the reader and the paths are the user's part.
INT8_EXAMPLE = """
from {root} import ModelQuantizer
from {root} import QConfig, QLayerConfig, Int8Spec

quant_config = QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()))
quantizer = ModelQuantizer(quant_config)
quantizer.quantize_model(model_input, model_output, calibration_data_reader)
"""

# The published example of a Spec of the user's own, with the imports that it lacks.
CUSTOM_SPEC_EXAMPLE = """
from {root} import ModelQuantizer, QConfig, QLayerConfig, QTensorConfig, BaseDataType
from {root} import CalibMethod, QuantGranularity, ScaleType, Int8

class Int8Spec(QTensorConfig):
    def __init__(
        self,
        symmetric: bool = True,
        scale_type: ScaleType = ScaleType.Float32,
        calibration_method: CalibMethod = CalibMethod.MinMax,
        quant_granularity: QuantGranularity = QuantGranularity.Tensor,
        data_type: type[BaseDataType] = Int8,
    ) -> None:
        super().__init__(symmetric, scale_type, calibration_method, quant_granularity, data_type)

quant_config = QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()))
quantizer = ModelQuantizer(quant_config)
quantizer.quantize_model(model_input, model_output, calibration_data_reader)
"""


class ImageReader:
    """What AMD Quark's tutorials have: images of a folder, normalized, one by one."""

    def __init__(self, folder, count, input_name):
        self.files = sorted(pathlib.Path(folder).glob("*.jpg"))[:count]
        self.input_name, self.place = input_name, 0

    def get_next(self):
        if self.place >= len(self.files):
            return None
        pixels = np.asarray(Image.open(self.files[self.place]).convert("RGB"), np.float32) / 255
        self.place += 1
        pixels = (pixels - np.float32([0.485, 0.456, 0.406])) / np.float32([0.229, 0.224, 0.225])
        return {self.input_name: pixels.transpose(2, 0, 1)[np.newaxis]}


def codes(model, name):
    """Initializers whose names end so, as arrays."""
    return {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer if t.name.endswith(name)}


@pytest.mark.thorough
@pytest.mark.parametrize("script, method", [(INT8_EXAMPLE, "percentile"), (CUSTOM_SPEC_EXAMPLE, "minmax")])
def test_published_example(shared, tmp_path, script, method):
    names = {"model_input": str(shared("models/mobilenetv2_1.0.onnx")), "model_output": str(tmp_path / "out.onnx"),
             "calibration_data_reader": ImageReader(shared("images/imagenet224"), 100, "input")}
    exec(script.format(root="preon"), names)
    result = names["quantizer"].result
    assert (result.samples, result.method, result.activation, result.weight) == (100, method, "int8", "int8")
    written = onnx.load(tmp_path / "out.onnx")
    assert {node.op_type for node in written.graph.node} >= {"QuantizeLinear", "DequantizeLinear"}
    zero_points = codes(written, "_zero_point").values()
    assert all(np.all(each == 0) for each in zero_points)  # symmetric
    assert {each.dtype for each in zero_points} <= {np.dtype(np.int8), np.dtype(np.int32)}
    scales = [each for name, each in codes(written, "_scale").items() if "quantized" not in name]
    assert scales and all(each.size == 1 for each in scales)  # one for each tensor
    assert result.compare["argmax_agreement"] > 0.5
