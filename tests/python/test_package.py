"""The Python package: plain functions, readers, errors, and configurations in the reference's words."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import onnx
import pytest

BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or pathlib.Path(__file__).resolve().parents[2] / "build")
sys.path.insert(0, str(BUILD / "python"))
preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")

DATA = pathlib.Path(os.environ.get("PREON_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared/data")


class Reader(preon_package.CalibrationDataReader):
    """Without rewind(), as most scripts write it."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)


@pytest.fixture
def samples(data, tmp_path):
    arrays = dict(np.load(tmp_path / data))
    return [{name: array[i:i + 1] for name, array in arrays.items()} for i in range(len(next(iter(arrays.values()))))]


def test_quantize_gives_the_command_lines_bytes(preon, model, data, samples, tmp_path):
    assert preon("quantize", model, "-o", "cli.onnx", "--data", data, "--method", "percentile").returncode == 0
    result = preon_package.quantize(tmp_path / model, tmp_path / "py.onnx", data=tmp_path / data, method="percentile")
    assert (tmp_path / "py.onnx").read_bytes() == (tmp_path / "cli.onnx").read_bytes()
    assert result.samples == len(samples) and result.verb == "quantize" and "SQNR" in repr(result)
    assert "<pre>" in result._repr_html_()
    preon_package.quantize(str(tmp_path / model), str(tmp_path / "reader.onnx"), reader=Reader(samples), method="percentile")
    assert (tmp_path / "reader.onnx").read_bytes() == (tmp_path / "cli.onnx").read_bytes()


def test_models_in_memory(model, samples, tmp_path):
    result = preon_package.quantize(onnx.load(tmp_path / model), reader=Reader(samples), activation="bfloat16")
    onnx.checker.check_model(result.model)
    assert result.target == "simulate" and any(node.op_type == "Cast" for node in result.model.graph.node)


def test_a_reader_that_rewinds_is_read_again(model, samples, tmp_path):
    class Rewinding(Reader):
        rewinds = 0

        def rewind(self):
            Rewinding.rewinds += 1
            self.samples = iter(samples)

    preon_package.quantize(tmp_path / model, tmp_path / "out.onnx", reader=Rewinding(samples), method="minmax")
    assert Rewinding.rewinds >= 1


class Broken(Reader):
    def get_next(self):
        raise OSError("the disk is gone")


@pytest.mark.parametrize("call, kind, says", [
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Broken([])), OSError, "the disk is gone"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([[1]])), TypeError, "wanted a dict"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([{"nope": np.zeros(3, np.float32)}])), preon_package.DataError, "no array for input"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", reader=Reader([])), preon_package.PreonError, r"\[E\d{4}\]"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="a.npz", reader=Reader(s)), preon_package.ConfigError, "wanted one"),
    (lambda m, s: preon_package.quantize("gone.onnx", "o.onnx", data="random:2"), FileNotFoundError, "gone.onnx"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="gone.npz"), FileNotFoundError, "gone.npz"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="random:2", activation="itn8"), ValueError, "did you mean 'int8'"),
    (lambda m, s: preon_package.quantize(m, "o.onnx", data="random:2", colour="red"), preon_package.ConfigError, "colour"),
    (lambda m, s: preon_package.quantize(7, "o.onnx", data="random:2"), TypeError, "onnx.ModelProto"),
])
def test_errors_by_kind(model, samples, tmp_path, monkeypatch, call, kind, says):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=says):
        call(model, samples)
    assert not (tmp_path / "o.onnx").exists()


def test_progress_is_told_and_may_raise(model, samples, tmp_path):
    stages = []
    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", reader=Reader(samples),
                            progress=lambda stage, done, total: stages.append(stage))
    assert "calibrate" in stages
    with pytest.raises(KeyError):
        preon_package.calibrate(tmp_path / model, tmp_path / "b.calib", reader=Reader(samples), progress=lambda *_: {}["x"])
    assert not (tmp_path / "b.calib").exists()


def test_other_threads_run_meanwhile(model, tmp_path):
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", data="random:20000")
    stop.set()
    thread.join()
    assert len(counted) > 20


def test_ctrl_c_ends_a_run(model, tmp_path):
    script = f"""import sys; sys.path.insert(0, {str(BUILD / 'python')!r}); import preon
print("ready", flush=True)
preon.calibrate({str(tmp_path / model)!r}, {str(tmp_path / 'a.calib')!r}, data="random:100G")"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=120)
    assert "KeyboardInterrupt" in errors and not (tmp_path / "a.calib").exists()


def mobilenet():
    paths = [DATA / "models/mobilenetv2_1.0.onnx", DATA / "images/imagenet224"]
    for path in paths:
        if not path.exists():
            pytest.skip(f"{path} is not there (set PREON_DATA)")
    return paths[0]


def random_images(model, count):
    name = onnx.load(model).graph.input[0].name
    generator = np.random.default_rng(0)
    return [{name: generator.normal(size=(1, 3, 224, 224)).astype(np.float32)} for _ in range(count)]


def test_the_references_example(tmp_path):
    """Its Int8 example and the one with a class of the user's own run with the import changed."""
    from preon import CalibMethod, Int8, Int8Spec, ModelQuantizer, QConfig, QLayerConfig, QTensorConfig, QuantGranularity, ScaleType

    model_input = mobilenet()
    config = QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()))
    quantizer = ModelQuantizer(config)
    assert quantizer.quantize_model(str(model_input), str(tmp_path / "a.onnx"), Reader(random_images(model_input, 10))) is None
    assert quantizer.result.activation == "int8" and quantizer.result.method == "percentile"

    class Int8Spec(QTensorConfig):  # noqa: F811
        def __init__(self, symmetric=True, scale_type=ScaleType.Float32, calibration_method=CalibMethod.MinMax,
                     quant_granularity=QuantGranularity.Tensor, data_type=Int8):
            super().__init__(symmetric, scale_type, calibration_method, quant_granularity, data_type)

    config = QConfig(global_config=QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()))
    written = ModelQuantizer(config).quantize_model(str(model_input), None, Reader(random_images(model_input, 4)))
    weights = [t for t in written.graph.initializer if t.name.endswith("_scale") and t.dims]
    assert all(np.prod(t.dims) == 1 for t in weights)  # per tensor, as the granularity says


def test_configs_compare_by_value_and_survive_a_round_trip():
    from preon import BFP16Spec, Int8Spec, QConfig, QLayerConfig

    config = QConfig(QLayerConfig(input_tensors=BFP16Spec(), weight=Int8Spec()), exclude=["head"], extra_options={"Percentile": 99.9})
    same = QConfig(QLayerConfig(input_tensors=BFP16Spec(), weight=Int8Spec()), exclude=["head"], extra_options={"Percentile": 99.9})
    assert config == same == QConfig.from_dict(config.to_dict())
    assert config != QConfig(QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()))
    config.extra_options["CalibDataSize"] = 4
    assert config != same


def test_every_type_has_a_name_that_preon_knows():
    from preon.quantization.config import data_type

    known = subprocess.run([BUILD / "bin/preon", "doctor", "--json"], capture_output=True, text=True, check=True).stdout
    import json
    names = set(json.loads(known)["types"])
    assert {each.preon_name for each in data_type.ALL} <= names


@pytest.mark.parametrize("change, says", [
    ({"specific_layer_config": {1: ["a"]}}, "specific_layer_config"),
    ({"algo_config": [1]}, "algo_config"),
    ({"exclude": [("a", "b")]}, "sub-graphs"),
    ({"use_external_data_format": True}, "use_external_data_format"),
    ({"extra_options": {"ConvertBNToConv": True}}, "ConvertBNToConv"),
    ({"extra_options": {"CalibDataSiez": 4}}, "did you mean 'CalibDataSize'"),
    ({"extra_options": [1]}, "must be a dict"),
])
def test_what_is_missing_says_so(model, samples, tmp_path, change, says):
    from preon import ModelQuantizer, QConfig, QLayerConfig, UInt8Spec, Int8Spec

    with pytest.raises(preon_package.ConfigError, match=says):
        config = QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()), **change)
        ModelQuantizer(config).quantize_model(tmp_path / model, tmp_path / "o.onnx", Reader(samples))
    assert not (tmp_path / "o.onnx").exists()


@pytest.mark.parametrize("layer, says", [
    ({"weight": True}, "input_tensors"), ({"input_tensors": True}, "weight"),
    ({"input_tensors": True, "activation": True, "weight": True}, "Both `activation`"),
])
def test_roles_that_are_missing_or_double(layer, says):
    from preon import Int8Spec, QConfig, QLayerConfig

    with pytest.raises(ValueError, match=says):
        QConfig(QLayerConfig(**{role: Int8Spec() for role in layer})).settings()


def test_a_preset_can_be_used_twice(model, samples, tmp_path):
    from preon import BFP16_QCONFIG, ModelQuantizer

    before = repr(BFP16_QCONFIG)
    for _ in range(2):
        written = ModelQuantizer(BFP16_QCONFIG).quantize_model(tmp_path / model, None, Reader(samples))
        assert any(node.op_type == "BFPQuantizeDequantize" for node in written.graph.node)
    assert repr(BFP16_QCONFIG) == before
