"""Mixed precision by a function of the caller's: metric_distance_fn, metric_evaluate_fn, precision_distance."""
import numpy as np
import pytest

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
import preon  # noqa: E402
from preon import AutoMixprecisionConfig, Int8Spec, Int16Spec, ModelQuantizer, QConfig, QLayerConfig  # noqa: E402

TARGET = QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec())


@pytest.fixture
def mixed(model, tmp_path, reader, samples):
    """mixed(**parameters): the bytes of the model and what the search tells of its candidates."""
    def run(extra=None, **parameters):
        config = QConfig(QLayerConfig(input_tensors=Int16Spec(), weight=Int16Spec()), extra_options=extra,
                         algo_config=[AutoMixprecisionConfig(TARGET, **parameters)])
        before = repr(config)
        quantizer = ModelQuantizer(config)
        quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(samples))
        assert repr(config) == before
        return (tmp_path / "o.onnx").read_bytes(), quantizer.result.precision

    return run


def l2(of_float, of_quantized):
    """Quark's default, as its functions are called: a list of outputs for each sample."""
    assert isinstance(of_float, list) and isinstance(of_float[0], list) and len(of_float[0]) == 1
    pairs = [pair for runs in zip(of_float, of_quantized) for pair in zip(*runs)]
    assert all(a.dtype == np.float32 and a.shape == b.shape for a, b in pairs)
    return np.mean([np.linalg.norm(a - b) for a, b in pairs])


def test_the_default_distance_as_a_function(mixed):
    for threshold in (0.05, 0, 1e9):
        by_name, told = mixed(metric_threshold=threshold)
        by_function, told_too = mixed(metric_threshold=threshold, metric_distance_fn=l2)
        assert by_name == by_function and (told.metric, told_too.metric) == ("l2", "own")
        assert [each.score for each in told_too.candidates] == pytest.approx([each.score for each in told.candidates], rel=1e-5)


def test_the_function_decides(mixed):
    none, told = mixed(metric_threshold=0.5, metric_distance_fn=lambda a, b: 1.0)
    assert not any(each.changed for each in told.candidates)
    every, told = mixed(metric_threshold=0.5, metric_distance_fn=lambda a, b: 0.0)
    assert all(each.changed for each in told.candidates) and every != none


def test_scores_are_differences(mixed):
    """Higher is better; the float model's is asked for once."""
    seen = []

    def score(outputs):
        seen.append(len(outputs))
        return -np.mean([np.abs(array).mean() for run in outputs for array in run])

    made, told = mixed(metric_threshold=1e9, metric_evaluate_fn=score)
    assert len(set(seen)) == 1 and len(seen) == told.trials + 1 and all(each.changed for each in told.candidates)


def test_in_the_table_of_extra_options(mixed):
    by_parameter, _ = mixed(metric_threshold=0.05, metric_distance_fn=l2)
    by_key, told = mixed(extra={"AutoMixprecision": {"MetricDistanceFn": l2}}, metric_threshold=0.05)
    assert by_parameter == by_key and told.metric == "own"
    assert mixed(extra={"AutoMixprecision": {"MetricDistanceFn": lambda a, b: 0.01}}, metric_threshold=0.05, metric_distance_fn=l2)[1].candidates[0].score == 0.01


@pytest.mark.parametrize("function, kind, says", [
    (lambda a, b: 1 / 0, ZeroDivisionError, "division"),
    (lambda a, b: "near", TypeError, "got str, wanted a number"),
    (lambda a, b: None, TypeError, "got NoneType, wanted a number")])
def test_what_it_raises_comes_back(mixed, tmp_path, function, kind, says):
    with pytest.raises(kind, match=says):
        mixed(metric_distance_fn=function)
    assert not (tmp_path / "o.onnx").exists()


def test_no_number_is_infinitely_far(mixed):
    _, told = mixed(metric_threshold=1e30, metric_distance_fn=lambda a, b: float("nan"))
    assert not any(each.changed for each in told.candidates)


def test_as_an_argument(package, model, data, tmp_path):
    seen = []

    def distance(of_float, of_quantized):
        seen.append((len(of_float), of_float[0].shape, of_float[0].dtype))
        of_float[0][:] = 0  # copies
        return 1

    result = preon.quantize(tmp_path / model, data=tmp_path / data, activation="int16", weight="int8", target="quark", precision_distance=distance,
                            algorithm='auto_mixprecision:target_layer_config="int8"')
    assert len(set(seen)) == 1 and seen[0][2] == np.float32 and result.precision.metric == "own"
