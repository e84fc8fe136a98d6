"""create_calibrator_float_scale and create_calibrator_power_of_two: ONNX Runtime's interface of a calibrater over the library."""
import subprocess
import sys
import warnings

import numpy as np
import onnx
import pytest

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (CalibrationMethod, ConfigError, DataError, LayerWiseMethod, PowerOfTwoMethod, QuantType,  # noqa: E402
                   create_calibrator_float_scale, create_calibrator_power_of_two)


def collected(create, model, reader, *parts, **given):
    calibrater = create(model, **given)
    for part in parts:
        calibrater.collect_data(reader(part))
    return calibrater.compute_data()


def test_the_ranges_of_onnx_runtime(tmp_path, model, reader, samples):
    """Every float tensor of the model as it stands, minima and maxima alike."""
    quantization = pytest.importorskip("onnxruntime.quantization.calibrate")
    theirs = quantization.create_calibrator(str(tmp_path / model), augmented_model_path=str(tmp_path / "augmented.onnx"))
    theirs.collect_data(reader(samples))
    theirs = theirs.compute_data()
    ours = collected(create_calibrator_float_scale, tmp_path / model, reader, samples)
    assert isinstance(ours, quantization.TensorsData) and set(ours.keys()) == set(theirs.keys())
    for name, data in ours.items():
        assert isinstance(data, quantization.TensorData)
        low, high = np.min(theirs[name].lowest), np.max(theirs[name].highest)
        np.testing.assert_allclose(data.range_value, [min(low, 0), max(high, 0)], rtol=1e-5, atol=1e-6)
        assert data.lowest.dtype == data.highest.dtype == np.float32


def test_collects_from_several_readers(tmp_path, model, reader, samples):
    whole = collected(create_calibrator_float_scale, tmp_path / model, reader, samples)
    parts = collected(create_calibrator_float_scale, tmp_path / model, reader, samples[:3], samples[3:])
    assert {name: each.range_value for name, each in whole.items()} == {name: each.range_value for name, each in parts.items()}


def test_of_some_operators(tmp_path, model, reader, samples):
    proto = onnx.load(tmp_path / model)
    kind = proto.graph.node[0].op_type
    wanted = {name for node in proto.graph.node if node.op_type == kind for name in (*node.input, *node.output)}
    some = collected(create_calibrator_float_scale, proto, reader, samples, op_types_to_calibrate=[kind])
    assert set(some.keys()) == wanted - {each.name for each in proto.graph.initializer}


@pytest.mark.parametrize("method, options", [
    (CalibrationMethod.Entropy, {"num_bins": 512, "num_quantized_bins": 128}), (CalibrationMethod.Percentile, {"percentile": 99.0}),
    (CalibrationMethod.Distribution, {}), (LayerWiseMethod.LayerWisePercentile, {"percentile_candidates": [99, 99.9], "lwp_metric": "mse"}),
    (CalibrationMethod.MinMax, {"moving_average": True, "averaging_constant": 0.5}), (CalibrationMethod.MinMax, {"symmetric": True})])
def test_methods_of_float_scales(tmp_path, model, reader, samples, method, options):
    whole = collected(create_calibrator_float_scale, tmp_path / model, reader, samples)
    ranges = collected(create_calibrator_float_scale, tmp_path / model, reader, samples, calibrate_method=method, extra_options=options)
    assert set(ranges.keys()) == set(whole.keys()) and ranges.calibration_method == method
    assert any(ranges[name].range_value != whole[name].range_value for name in whole.keys())
    if options.get("symmetric"):
        assert all(each.lowest == -each.highest for each in ranges.values())


@pytest.mark.parametrize("method", PowerOfTwoMethod)
def test_methods_of_powers_of_two(tmp_path, model, reader, samples, method):
    ranges = collected(create_calibrator_power_of_two, tmp_path / model, reader, samples, calibrate_method=method, activation_type=QuantType.QInt8)
    largest = {name: max(abs(low), abs(high)) for name, (low, high) in
               ((name, each.range_value) for name, each in collected(create_calibrator_float_scale, tmp_path / model, reader, samples).items())}
    assert set(ranges.keys()) == set(largest)
    assert all(each.lowest == -each.highest and largest[name] / 4 < each.highest < 2.02 * largest[name] for name, each in ranges.items())
    if method is PowerOfTwoMethod.NonOverflow:
        assert all(each.highest >= largest[name] for name, each in ranges.items())


def test_the_older_form(tmp_path, model, reader, samples):
    calibrater = create_calibrator_float_scale(tmp_path / model)
    calibrater.collect_data(reader(samples))
    assert {name: tuple(map(float, each.range_value)) for name, each in calibrater.compute_data().items()} == calibrater.compute_range()
    assert sorted(path.name for path in tmp_path.iterdir() if "augmented" in path.name) == []  # no file that nobody asked for


def test_without_onnx_runtime(tmp_path, model, data):
    code = f"""
import sys
sys.modules["onnxruntime"] = None
import numpy as np, preon
calibrater = preon.create_calibrator_float_scale({str(tmp_path / model)!r})
calibrater.collect_data(type("R", (), {{"rows": iter(np.load({str(tmp_path / data)!r})["input"]), "get_next": lambda self: next(({{"input": row[None]}} for row in self.rows), None)}})())
data = calibrater.compute_data()
assert data.calibration_method is preon.CalibrationMethod.MinMax
print([(name, float(each.lowest), each.range_value == (each.lowest, each.highest)) for name, each in data.items()])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": ":".join(sys.path)})
    assert done.returncode == 0 and "True" in done.stdout and "False" not in done.stdout, done.stderr


def test_what_has_no_effect_is_told(tmp_path, model):
    with pytest.warns(UserWarning, match="worker_num: has no effect"):
        create_calibrator_float_scale(tmp_path / model, extra_options={"worker_num": 4})
    with pytest.warns(UserWarning, match="CUDAExecutionProvider; models run on CPUExecutionProvider"):
        create_calibrator_float_scale(tmp_path / model, execution_providers=["CUDAExecutionProvider", "CPUExecutionProvider"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        create_calibrator_float_scale(tmp_path / model).set_execution_providers(["CPUExecutionProvider"])


@pytest.mark.parametrize("create, given, says", [
    (create_calibrator_float_scale, {"calibrate_method": PowerOfTwoMethod.MinMSE}, "calibrate_method: got .*wanted one of CalibrationMethod.MinMax"),
    (create_calibrator_power_of_two, {"calibrate_method": CalibrationMethod.MinMax}, "wanted one of PowerOfTwoMethod.NonOverflow"),
    (create_calibrator_float_scale, {"extra_options": {"symetric": True}}, "unknown 'symetric'.*did you mean 'symmetric'"),
    (create_calibrator_float_scale, {"activation_type": "int99"}, "activation_type: got 'int99'")])
def test_mistakes(tmp_path, model, create, given, says):
    with pytest.raises(ConfigError, match=says):
        create(tmp_path / model, **given)


def test_without_samples(tmp_path, model, reader):
    calibrater = create_calibrator_float_scale(tmp_path / model)
    with pytest.raises(DataError, match="No data is collected"):
        calibrater.compute_data()
    with pytest.raises(DataError, match="No data in the input calibration data reader"):
        calibrater.collect_data(reader([]))
