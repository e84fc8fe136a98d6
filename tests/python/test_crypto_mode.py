"""AMD Quark's CryptoMode: a model in memory gives a model in memory, and nothing readable is in a folder at any time."""
import os
import warnings

import numpy as np
import onnx
import pytest
from folder_events import FolderEvents

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (AdaRoundConfig, AutoMixprecisionConfig, ConfigError, Int8Spec, Int16Spec, ModelError, ModelQuantizer, QConfig, QLayerConfig, QuantizationConfig, UInt8Spec)  # noqa: E402

PREON_OPTIONS = {"effort": "fast", "always-write": True}


@pytest.fixture
def key(tmp_path):
    (tmp_path / "key").write_bytes(os.urandom(32))
    (tmp_path / "key").chmod(0o600)
    return tmp_path / "key"


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """The folder of temporary files and the working folder; with their events."""
    folders = [tmp_path / "temporary", tmp_path / "working"]
    for folder in folders:
        folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folders[0]))
    monkeypatch.setenv("TMPDIR", str(folders[0]))
    monkeypatch.chdir(folders[1])
    return FolderEvents(*folders)


def config(extra=None, more=None, **fields):
    return QConfig(QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()), extra_options={"CryptoMode": True, **(extra or {})},
                   preon_options={**PREON_OPTIONS, **(more or {})}, **fields)


def quantized(given, model, samples, output=None):
    """(the model, texts of warnings)"""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = ModelQuantizer(given).quantize_model(model, output, samples)
    return made, [str(each.message) for each in caught]


def test_the_model_of_a_run_without_it(proto, reader, samples):
    made, told = quantized(config(), proto, reader(samples))
    plain, _ = quantized(config({"CryptoMode": False, "OptimizeModel": False}), proto, reader(samples))
    assert made.SerializeToString() == plain.SerializeToString() and any(node.op_type == "QuantizeLinear" for node in made.graph.node)
    assert "OptimizeModel: is off in crypto mode" in told


def test_nothing_is_in_a_folder(proto, reader, samples, rows, watched):
    with watched as made:
        quantized(config({"EncryptionAlgorithm": "AES-256"}), proto, reader(samples))
        quantized(config(algo_config=[AdaRoundConfig()]), proto, reader(samples))
        preon_package.quantize(proto, data=rows, option="CryptoMode=true", always_write=True)
        for method in ("percentile", "distribution", "minmse", "layerwise-percentile"):
            preon_package.quantize(proto, data=rows, option="CryptoMode=true", method=method, always_write=True)
    assert made.names == set()
    with watched as made:  # what the test would see
        preon_package.quantize(proto, data=rows, **{"effort": "fast", "always_write": True})
    assert any(name.startswith("preon-") for name in made.names)


def test_nothing_is_in_a_folder_where_it_fails(proto, reader, samples, watched):
    with watched as made:
        with pytest.raises(ConfigError, match="Percentile"):
            quantized(config({"Percentile": 150}), proto, reader(samples))
        with pytest.raises(ConfigError, match=r"^\[E1006\] quantize: an option names a node or tensor that is not in the model \(in crypto mode no more is told\)$"):
            quantized(config(more={"exclude": ["gone"]}), proto, reader(samples))
        with pytest.raises(ValueError, match=r"^\[E3004\] quantize: the shape of the data does not match the input \(in crypto mode no more is told\)$"):
            quantized(config(), proto, reader([{"input": np.zeros((1, 3, 9, 7), np.float32)}]))
    assert made.names == set()


def test_nothing_is_told_of_the_model(proto, reader, samples, capfd):
    quantizer = ModelQuantizer(config())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = quantizer.quantize_model(proto, None, reader(samples))
    out = capfd.readouterr()
    names = {node.name for node in made.graph.node if node.name} | {name for node in made.graph.node for name in node.output}
    told = out.out + out.err + repr(quantizer.result) + str(quantizer.result.facts) + "".join(str(each.message) for each in caught)
    assert len(names) > 5 and not [name for name in names if name in told]
    assert quantizer.result.crypto_mode and quantizer.result.text.startswith("model -> result.model\n")


def test_a_path_is_refused(tmp_path, model, reader, samples):
    with pytest.raises(ValueError, match="For the crypto mode, the input model should be in onnx.ModelProto format") as caught:
        quantized(config(), tmp_path / model, reader(samples))
    assert isinstance(caught.value, ConfigError) and caught.value.number == 1004


def test_external_data_are_refused(proto, reader, samples):
    with pytest.raises(ValueError, match="use_external_data_format|external-data") as caught:
        quantized(config(use_external_data_format=True), proto, reader(samples))
    assert "can't be used in crypto mode: it writes weights to the disk" in str(caught.value)


@pytest.mark.parametrize("option, by_quark", [({"SaveAndRestore": "r.json"}, "SaveAndRestore"), ({"SaveTensorHistFig": True}, "SaveTensorHistFig")])
def test_what_writes_is_refused(proto, reader, samples, watched, option, by_quark):
    with watched as made, pytest.raises(ConfigError, match=f"{by_quark}: can't be used in crypto mode"):
        quantized(config(option), proto, reader(samples))
    assert made.names == set()


def test_a_cache_of_sensitivities_is_refused(proto, reader, samples):
    mixing = AutoMixprecisionConfig(QLayerConfig(input_tensors=Int16Spec(), weight=Int16Spec()))
    with pytest.raises(ConfigError, match="SensitivityCacheFile: can't be used in crypto mode"):
        quantized(config({"AutoMixprecision": {"SensitivityCacheFile": "s.json"}}, algo_config=[mixing]), proto, reader(samples))


@pytest.mark.parametrize("given, says", [
    ({}, "OptimizeModel: is off in crypto mode"), ({"OptimizeModel": True}, "OptimizeModel: is off in crypto mode"),
    ({"CalibOptimizeMem": True}, "CalibOptimizeMem: saving memory is off in crypto mode"),
    ({"CalibWorkerNum": 2}, "CalibWorkerNum: one process is used"),
    ({"FastFinetune": {"MemOptLevel": 2}}, "MemOptLevel: 1 instead of 2 in crypto mode"),
    ({"TmpDir": "here"}, "TmpDir: has no effect in crypto mode")])
def test_what_is_another_way(proto, reader, samples, watched, given, says):
    made, told = quantized(config(given), proto, reader(samples))
    assert made.graph.node and any(text.startswith(says) for text in told), told


def test_mem_opt_level_of_an_algorithm(proto, reader, samples):
    _, told = quantized(config(algo_config=[AdaRoundConfig(mem_opt_level=2)]), proto, reader(samples))
    assert any(text.startswith("MemOptLevel: 1 instead of 2") for text in told), told


def test_what_is_that_way_is_not_told(proto, reader, samples):
    _, told = quantized(config({"OptimizeModel": False, "CalibOptimizeMem": False, "CalibWorkerNum": 1}), proto, reader(samples))
    assert not any("in crypto mode" in text and "not told" not in text for text in told), told


def test_the_output_is_ignored(proto, reader, samples, tmp_path):
    made, told = quantized(config(), proto, reader(samples), tmp_path / "o.onnx")
    assert made.graph.node and not (tmp_path / "o.onnx").exists()
    assert any(text.startswith("CryptoMode: the result is returned and the output is ignored") for text in told), told


def test_with_a_key_the_output_is_encrypted(proto, rows, key, tmp_path):
    result = preon_package.quantize(proto, tmp_path / "o.enc", data=rows, option="CryptoMode=true", key_file=key, effort="fast", always_write=True)
    assert result.model is None and (tmp_path / "o.enc").read_bytes().startswith(b"PREONENC")
    made = preon_package.quantize(proto, data=rows, option="CryptoMode=true", effort="fast", always_write=True).model
    assert preon_package.decrypt(tmp_path / "o.enc", key_file=key).model == made


def test_settings_of_layers(proto, reader, samples):
    layers = {QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec()): ["gemm_1"]}
    made, _ = quantized(config(specific_layer_config=layers), proto, reader(samples))
    assert made.graph.node


def test_the_algorithm_alone(proto, reader, samples):
    made, told = quantized(config({"CryptoMode": False, "EncryptionAlgorithm": "AES-256"}), proto, reader(samples))
    assert made.graph.node and any(text.startswith("EncryptionAlgorithm: has no effect without CryptoMode=true") for text in told), told
    for value in ("AES-128", "aes", 1):
        with pytest.raises(ConfigError, match="EncryptionAlgorithm: got '.*', wanted one of AES-256"):
            quantized(config({"EncryptionAlgorithm": value}), proto, reader(samples))
    assert quantized(config({"CryptoMode": False, "EncryptionAlgorithm": None}), proto, reader(samples))[0].graph.node


def test_older_configurations(proto, reader, samples):
    given = preon_package.Config(QuantizationConfig(include_cle=False, crypto_mode=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        quantizer = ModelQuantizer(given)
    made, told = None, []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = quantizer.quantize_model(proto, "ignored.onnx", reader(samples))
        told = [str(each.message) for each in caught]
    assert made.graph.node and not os.path.exists("ignored.onnx") and "OptimizeModel: is off in crypto mode" in told


def test_without_samples(proto):
    with pytest.raises(ConfigError, match="A calibration data reader is required for quantization, but none was provided"):
        quantized(config(), proto, None)


def test_samples_that_need_a_folder(proto, rows, reader, samples, tmp_path):
    for more in ({"eval_data": rows}, {"reference": {"logits": rows}}):
        with pytest.raises(ConfigError, match="these samples would have to be written to a folder") as caught:
            preon_package.quantize(proto, data=rows, option="CryptoMode=true", **more)
        assert caught.value.number == 1004
    with pytest.raises(ConfigError, match=r"E1004. eval_data \(Quark's EvalDataReader\): these samples would have to be written to a folder") as caught:
        quantized(config({"EvalMetrics": True, "EvalDataReader": reader(samples)}), proto, reader(samples))
    assert caught.value.hint.endswith("as eval_data; without it the samples of the calibration judge")
    np.savez(tmp_path / "eval.npz", input=rows[:5])  # what the hint says is possible
    given = config({"EvalMetrics": True}, {"eval_data": str(tmp_path / "eval.npz")})
    quantizer = ModelQuantizer(given)
    quantizer.quantize_model(proto, None, reader(samples))
    assert quantizer.result.crypto_mode and quantizer.result.model.graph.node
    with pytest.raises(ConfigError, match="^.E1004. data: these samples would have to be written"):
        preon_package.quantize(proto, data=tmp_path / "x.tar", option="CryptoMode=true")


def test_encrypted_files(proto, rows, key, model, tmp_path, watched):
    with watched as made:
        preon_package.encrypt(proto, tmp_path / "m.enc", key_file=key)
        assert preon_package.decrypt(tmp_path / "m.enc", key_file=key).model == proto
        small = preon_package.quantize(tmp_path / "m.enc", data=rows, key_file=key, effort="fast", always_write=True)
        preon_package.quantize(tmp_path / "m.enc", tmp_path / "small.enc", data=rows, key_file=str(key), effort="fast", always_write=True)
    assert made.names == set()
    assert small.model == preon_package.decrypt(tmp_path / "small.enc", key_file=key).model
    assert small.model == preon_package.quantize(tmp_path / model, data=rows, effort="fast", always_write=True).model
    assert preon_package.decrypt(tmp_path / "m.enc", tmp_path / "plain.onnx", key_file=key).size_bytes == (tmp_path / "plain.onnx").stat().st_size
    (tmp_path / "other").write_text("0" * 64)
    with pytest.raises(ModelError, match=r"^\[E2016\] .*m.enc: the key is another one, or the file was changed or cut short$"):
        preon_package.decrypt(tmp_path / "m.enc", key_file=tmp_path / "other")
    with pytest.raises(ModelError, match=r"^\[E2015\] .*m.enc: is encrypted"):
        preon_package.inspect(tmp_path / "m.enc")


def test_the_key_of_the_environment(proto, rows, tmp_path, monkeypatch, watched):
    monkeypatch.setenv("PREON_KEY", "ab" * 32)
    with watched as made:
        preon_package.encrypt(proto, tmp_path / "m.enc")
        assert preon_package.quantize(tmp_path / "m.enc", data=rows, effort="fast", always_write=True).model.graph.node
    assert made.names == set()
    monkeypatch.delenv("PREON_KEY")
    with pytest.raises(ConfigError, match="no key; wanted --key-file FILE, or the environment variable PREON_KEY"):
        preon_package.decrypt(tmp_path / "m.enc")
