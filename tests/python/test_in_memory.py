"""Models and samples in memory: what results and messages call them, where they lie meanwhile, and those that are no model in one piece."""
import copy
import json
import os
import re

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import ModelError  # noqa: E402

TEMPORARY = re.compile(r"preon-\w+[/\\]")


@pytest.fixture
def quantized(proto, rows):
    return preon_package.quantize(proto, data=rows, effort="fast", always_write=True).model


def nothing_temporary(result):
    return not TEMPORARY.search(json.dumps(result.facts) + result.text)


def test_a_result_has_the_model_and_no_output(proto, rows, model, tmp_path):
    for given, name in ((proto, "model"), (tmp_path / model, str(tmp_path / model))):
        result = preon_package.quantize(given, data=rows, effort="fast", always_write=True)
        assert result.text.splitlines()[0] == f"{name} -> result.model" and result["model"] == name
        assert "output" not in result and result.model.graph.node and nothing_temporary(result)
    rewritten = preon_package.passes(proto, names="fold_constants")
    assert rewritten.text.splitlines()[0] == "result.model" and "output" not in rewritten


def test_names_of_models(proto, quantized, rows, model, tmp_path):
    judged = preon_package.validate(proto, [quantized, quantized], data=rows, eval_data=rows, latency=0)
    assert [each.name for each in judged.models] == ["quantized[0]", "quantized[1]"] and judged.best == "quantized[0]"
    assert preon_package.validate(proto, quantized, data=rows, latency=0).models[0].name == "quantized"
    compared = preon_package.compare(proto, quantized, data=rows)
    assert compared.float == "model" and compared.quantized == "quantized" and compared.text.startswith("model -> quantized, ")
    differs = preon_package.diff(tmp_path / model, quantized)
    assert differs.a == str(tmp_path / model) and differs.b == "other"
    assert preon_package.inspect(proto)["model"] == "model"
    assert all(map(nothing_temporary, (judged, compared, differs)))
    with pytest.raises(ModelError, match=r"^\[E2003\] quantized: not an ONNX model"):
        preon_package.compare(proto, type("Proto", (), {"SerializeToString": lambda self: b"no model"})(), data=rows)


def test_a_command_can_be_repeated_or_is_not_there(proto, quantized, rows, model, data, tmp_path):
    onnx.save(quantized, tmp_path / "q.onnx")
    options = {"latency": 0, "confirm": 0}
    paths = {"model": tmp_path / model, "quantized": tmp_path / "q.onnx", "data": tmp_path / data, **options}
    assert preon_package.report(**paths).command.startswith(f"preon report {tmp_path / model} {tmp_path / 'q.onnx'} --data {tmp_path / data}")
    for ending in ("html", "json", "txt"):
        made = preon_package.report(proto, tmp_path / f"report.{ending}", quantized, data=rows, eval_data=rows, **options)
        page = (tmp_path / f"report.{ending}").read_text()
        assert "command" not in made and not re.search("--latency 0|How to reproduce|  again ", made.text + page) and nothing_temporary(made)
        assert "quantized" in page and not TEMPORARY.search(page)
    for changed in ({"model": proto}, {"data": rows}, {"eval_data": rows}):
        assert "command" not in preon_package.report(**{**paths, **changed})
    preon_package.quantize(proto, data=rows, effort="fast", always_write=True, report=tmp_path / "made.html")
    assert not TEMPORARY.search((tmp_path / "made.html").read_text())


def test_tmp_dir_has_models_and_samples(proto, rows, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    folder = tmp_path / "a" / "b"
    made = preon_package.quantize(proto, data=rows, effort="fast", always_write=True, tmp_dir=folder)
    preon_package.validate(proto, made.model, data=rows, eval_data=rows, reference={"logits": np.zeros((len(rows), 4), np.float32)}, metric="psnr",
                           latency=0, tmp_dir=str(folder))
    assert list(folder.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        preon_package.inspect(proto)


def test_a_model_that_is_too_large(tmp_path):
    from google.protobuf.message import EncodeError

    class Large:
        def SerializeToString(self):
            raise EncodeError("Failed to serialize proto")

    with pytest.raises(ModelError, match=r"model: a model in memory may have at most 2147483647 bytes .*\n.*save_as_external_data=True.*give that path") as caught:
        preon_package.quantize(Large())
    assert caught.value.number == 2012


def test_a_model_without_its_values(proto, rows, tmp_path):
    onnx.save(copy.deepcopy(proto), tmp_path / "outside.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    half = onnx.load(tmp_path / "outside.onnx", load_external_data=False)
    with pytest.raises(ModelError, match=r"quantized\[1\]: tensor '.*' has its values in the file 'weights.bin'.*\n.*give the path of the model") as caught:
        preon_package.validate(proto, [proto, half], data=rows)
    assert caught.value.number == 2006
    assert preon_package.quantize(onnx.load(tmp_path / "outside.onnx"), data=rows, effort="fast", always_write=True).samples == len(rows)


def test_a_result_is_a_mapping(proto, tmp_path):
    result = preon_package.inspect(proto)
    assert dict(result) == dict(result.items()) == result.facts and len(result) == len(list(result)) == len(result.values())
    assert result.get("verb") == "inspect" and result.get("colour", "none") == "none" and "verb" in result
    other = copy.deepcopy(result)
    assert other == result and other.facts is not result.facts and other.operators.Conv == 1
    other.facts["verb"] = "lint"
    assert other != result


def test_samples_of_other_files_lie_there_too(model, rows, tmp_path, monkeypatch):
    fsspec = pytest.importorskip("fsspec", reason='pip install "preon[data]"')
    with fsspec.open("memory://kept/rows.npy", "wb") as file:
        np.save(file, rows)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    assert preon_package.calibrate(tmp_path / model, tmp_path / "m.calib", data="memory://kept/rows.npy", tmp_dir=tmp_path / "here").samples == len(rows)
    assert os.listdir(tmp_path / "here") == []
