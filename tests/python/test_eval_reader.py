"""EvalMetrics with EvalDataReader, and eval_data of quantize(): the samples that a result is judged by."""
import warnings

import numpy as np
import onnx
import pytest

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
import preon  # noqa: E402
from preon import Config, ConfigError, Int8Spec, ModelQuantizer, QConfig, QLayerConfig, QuantizationConfig, UInt8Spec  # noqa: E402


def quantizer_of(**extra):
    return ModelQuantizer(QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()), extra_options=extra))


@pytest.fixture
def judging():
    """Samples that nothing is calibrated with; 300 of them are more than quantize compares of its own."""
    values = np.random.default_rng(8).normal(size=(300, 1, 3, 8, 8)).astype(np.float32)
    return [{"input": value} for value in values]


def run_of(package, tmp_path, model, reader, samples, **extra):
    quantizer = quantizer_of(**extra)
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(samples))
    return quantizer.result, (tmp_path / "o.onnx").read_bytes()


def test_figures_are_of_its_samples(package, tmp_path, model, reader, samples, judging):
    plain, bytes_plain = run_of(package, tmp_path, model, reader, samples)
    result, written = run_of(package, tmp_path, model, reader, samples, EvalMetrics=True, EvalDataReader=reader(judging))
    assert (result.figures_from, result.compare.samples) == ("eval_data", 300) and plain.figures_from != "eval_data"
    assert written == bytes_plain and result.samples == plain.samples  # judging changes nothing
    assert not result.warnings or all("eval" not in each.lower() for each in result.warnings)


def test_as_numpy_says(package, tmp_path, model, reader, samples, judging, monkeypatch):
    """All outputs; cosine: mean and least; L2: mean and largest; SQNR over all."""
    onnxruntime = pytest.importorskip("onnxruntime")
    result, written = run_of(package, tmp_path, model, reader, samples, EvalMetrics=True, EvalDataReader=reader(judging[:40]))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    sessions = [onnxruntime.InferenceSession(each, options) for each in ((tmp_path / model).read_bytes(), written)]
    of_float, of_quantized = (np.array([session.run(None, sample)[0].ravel() for sample in judging[:40]], np.float64) for session in sessions)
    cosines = (of_float * of_quantized).sum(1) / np.linalg.norm(of_float, axis=1) / np.linalg.norm(of_quantized, axis=1)
    distances = np.linalg.norm(of_float - of_quantized, axis=1)
    (figures,) = result.compare.outputs.values()
    each = figures.per_sample
    assert (each.cosine_mean, each.cosine_min) == pytest.approx((cosines.mean(), cosines.min()), abs=2e-4)
    assert (each.l2_mean, each.l2_max) == pytest.approx((distances.mean(), distances.max()), rel=0.2)
    assert figures.sqnr_db == pytest.approx(10 * np.log10((of_float ** 2).sum() / ((of_float - of_quantized) ** 2).sum()), abs=1.5)


def test_without_metrics_it_is_not_read(package, tmp_path, model, reader, samples):
    class NeverRead:
        def get_next(self):
            raise AssertionError("read")

    with pytest.warns(UserWarning, match="EvalDataReader: has no effect without EvalMetrics=True"):
        result, _ = run_of(package, tmp_path, model, reader, samples, EvalDataReader=NeverRead())
    assert result.figures_from != "eval_data" and "EvalDataReader: has no effect without EvalMetrics=True" in result.warnings
    assert "warning     EvalDataReader: has no effect without EvalMetrics=True" in result.text


def test_without_reader_the_calibrations_samples_judge(package, tmp_path, model, reader, samples):
    plain, _ = run_of(package, tmp_path, model, reader, samples)
    assert run_of(package, tmp_path, model, reader, samples, EvalMetrics=True)[0].figures_from == plain.figures_from
    same = reader(samples)
    quantizer = quantizer_of(EvalMetrics=True, EvalDataReader=same)
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", same)
    assert quantizer.result.figures_from == plain.figures_from and quantizer.result.samples == plain.samples


def test_in_the_older_configuration(package, tmp_path, model, reader, samples, judging):
    options = {"EvalMetrics": True, "EvalDataReader": reader(judging[:9]), "ActivationSymmetric": True}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        quantizer = ModelQuantizer(Config(QuantizationConfig(extra_options=options, include_cle=False)))
        quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(samples))
    assert (quantizer.result.figures_from, quantizer.result.compare.samples) == ("eval_data", 9)
    assert options["EvalDataReader"] is not None  # a configuration is never changed


def test_what_the_reader_raises_comes_back(package, tmp_path, model, reader, samples):
    class Broken:
        def get_next(self):
            raise KeyError("no such sample")

    with pytest.raises(KeyError, match="no such sample"):
        run_of(package, tmp_path, model, reader, samples, EvalMetrics=True, EvalDataReader=Broken())
    assert not (tmp_path / "o.onnx").exists()


@pytest.mark.parametrize("bad", [object(), 3, dict])
def test_no_reader(package, tmp_path, model, reader, samples, bad):
    with pytest.raises(ConfigError, match="EvalDataReader: got .*, wanted an object with get_next"):
        run_of(package, tmp_path, model, reader, samples, EvalMetrics=True, EvalDataReader=bad)


def test_on_the_command_line(preon, model, data, judging):
    np.savez(preon.folder / "test.npz", input=np.concatenate([each["input"] for each in judging]))
    done = preon("quantize", model, "-o", "one.onnx", "--data", data, "--eval-data", "test.npz")
    assert done.returncode == 0 and "300 samples of --eval-data, not used for calibration or choices" in done.stdout, done.stderr
    assert preon("quantize", model, "-o", "two.onnx", "--data", data).returncode == 0
    assert (preon.folder / "one.onnx").read_bytes() == (preon.folder / "two.onnx").read_bytes()
    seen = preon("quantize", model, "-o", "one.onnx", "--data", data, "--eval-data", data, "--json")
    assert '"figures_from": "calibration"' in seen.stdout.replace('":"', '": "') and "also used for calibration" in seen.stdout
    preon.fails(2, 3001, "quantize", model, "-o", "three.onnx", "--data", data, "--eval-data", "gone.npz", says="--eval-data")


def test_as_an_argument(package, tmp_path, model, data, reader, judging):
    by_array = preon.quantize(tmp_path / model, data=tmp_path / data, eval_data=np.concatenate([each["input"] for each in judging[:20]]))
    by_reader = preon.quantize(tmp_path / model, data=tmp_path / data, eval_data=reader(judging[:20]))
    assert by_array.compare == by_reader.compare and by_array.figures_from == "eval_data"
    assert isinstance(by_reader.model, onnx.ModelProto)
