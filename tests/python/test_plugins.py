"""preon inside Olive and behind Optimum."""
import json
import os
import subprocess
import sys

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon.plugins.optimum import PreonQuantizer  # noqa: E402


@pytest.fixture
def exported(model, tmp_path):
    """A folder as an exporter leaves it."""
    folder = tmp_path / "exported"
    folder.mkdir()
    os.rename(tmp_path / model, folder / "model.onnx")
    (folder / "config.json").write_text('{"model_type": "tiny"}')
    (folder / "vocab.txt").write_text("a\nb\n")
    (folder / "model.onnx_data").write_bytes(b"weights of another model")
    return folder


def samples(folder, count=16):
    shape = [axis.dim_value for axis in onnx.load(folder / "model.onnx").graph.input[0].type.tensor_type.shape.dim][1:]
    return [{"input": x[None]} for x in np.random.default_rng(0).normal(size=(count, *shape)).astype(np.float32)]


def environment():
    return {**os.environ, "PYTHONPATH": ":".join(sys.path)}


def test_a_folder_becomes_a_folder(exported, tmp_path):
    result = PreonQuantizer.from_pretrained(exported).quantize(tmp_path / "int8", data=samples(exported), always_write=True, latency=0)
    assert sorted(path.name for path in (tmp_path / "int8").iterdir()) == ["config.json", "model_quantized.onnx", "vocab.txt"]
    assert result.output == str(tmp_path / "int8/model_quantized.onnx")
    assert any(node.op_type == "QuantizeLinear" for node in onnx.load(tmp_path / "int8/model_quantized.onnx").graph.node)


def test_the_same_folder_keeps_its_files(exported):
    before = sorted(path.name for path in exported.iterdir())
    PreonQuantizer.from_pretrained(str(exported)).quantize(exported, data=samples(exported), file_suffix="int8", always_write=True, latency=0)
    assert sorted(path.name for path in exported.iterdir()) == sorted([*before, "model_int8.onnx"])


def test_several_models_want_a_name(exported, tmp_path):
    onnx.save(onnx.load(exported / "model.onnx"), exported / "decoder.onnx")
    with pytest.raises(preon_package.ConfigError, match="decoder.onnx, model.onnx, wanted one .onnx file(.|\n)*file_name=") as failed:
        PreonQuantizer.from_pretrained(exported)
    assert failed.value.exit_status == 2
    assert PreonQuantizer.from_pretrained(exported, file_name="model.onnx").model == exported / "model.onnx"
    with pytest.raises(preon_package.ConfigError, match="got none"):
        PreonQuantizer.from_pretrained(tmp_path)


@pytest.mark.parametrize("what, package, call", [
    ("olive", "olive", "import preon.plugins.olive"),
    ("optimum", "optimum.exporters.onnx", "from preon.plugins.optimum import export; export('m', 'out')")])
def test_a_package_that_is_not_there(what, package, call):
    script = f"import sys; sys.modules['{package}'] = None; import preon\ntry: {call}\nexcept preon.ConfigError as error: print(error)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment())
    assert f'pip install "preon[{what}]"' in done.stdout and f"plugins.{what}" in done.stdout, done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["data", "data_config"])
def test_a_run_of_olive(exported, tmp_path, source):
    pytest.importorskip("olive", reason='pip install "preon[olive]"')
    done = subprocess.run([sys.executable, "-m", "preon.plugins.olive", tmp_path / "packages.json"], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "packages.json").read_text())["passes"]["PreonQuantization"]["module_path"] == "preon.plugins.olive.PreonQuantization"
    arrays = [sample["input"] for sample in samples(exported)]
    np.savez(tmp_path / "calib.npz", input=np.concatenate(arrays))
    (tmp_path / "numbers/input").mkdir(parents=True)
    for index, array in enumerate(arrays):
        array.tofile(tmp_path / f"numbers/input/{index:02}.bin")
    raw = {"name": "raw", "type": "RawDataContainer",
           "load_dataset_config": {"data_dir": str(tmp_path / "numbers"), "input_names": ["input"], "input_shapes": [list(arrays[0].shape)]}}
    given = {"data": {"options": {"data": str(tmp_path / "calib.npz"), "target": "simulate", "latency": 0}},
             "data_config": {"data_config": "raw", "options": {"target": "simulate", "latency": 0}}}
    config = {"input_model": {"type": "ONNXModel", "model_path": str(exported / "model.onnx")}, "data_configs": [raw],
              "passes": {"int8": {"type": "PreonQuantization", **given[source]}},
              "output_dir": str(tmp_path / "out"), "cache_dir": str(tmp_path / "cache")}
    (tmp_path / "run.json").write_text(json.dumps(config))
    done = subprocess.run([sys.executable, "-m", "olive", "run", "--config", tmp_path / "run.json", "--package-config", tmp_path / "packages.json"],
                          capture_output=True, text=True, env=environment(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    [written] = (tmp_path / "out").rglob("*.onnx")
    assert any(node.op_type == "QuantizeLinear" for node in onnx.load(written).graph.node)


@pytest.mark.thorough
def test_export_and_quantize_a_transformer(tmp_path):
    pytest.importorskip("optimum.exporters.onnx", reason='pip install "preon[optimum]"')
    transformers = pytest.importorskip("transformers")
    from optimum.onnxruntime import ORTModelForSequenceClassification
    from preon.plugins.optimum import export
    config = transformers.BertConfig(vocab_size=50, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64)
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path / "bert")
    random = np.random.default_rng(0)
    data = [{"input_ids": random.integers(0, 50, (1, 16)), "attention_mask": np.ones((1, 16), np.int64),
             "token_type_ids": np.zeros((1, 16), np.int64)} for _ in range(16)]
    export(tmp_path / "bert", tmp_path / "onnx", data=data, task="text-classification", always_write=True, latency=0)
    loaded = ORTModelForSequenceClassification.from_pretrained(tmp_path / "onnx", file_name="model_quantized.onnx")
    in_float = ORTModelForSequenceClassification.from_pretrained(tmp_path / "onnx", file_name="model.onnx")
    quantizer = PreonQuantizer.from_pretrained(in_float)
    quantizer.quantize(tmp_path / "again", data=data, always_write=True, latency=0)
    assert (tmp_path / "again/config.json").exists()
    import torch
    feeds = {name: torch.from_numpy(value) for name, value in data[0].items()}
    np.testing.assert_allclose(loaded(**feeds).logits.numpy(), in_float(**feeds).logits.numpy(), atol=0.05)
