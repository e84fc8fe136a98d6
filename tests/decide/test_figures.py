"""Figures of `quantize` come from samples that nothing was calibrated or chosen by; --require; alarms."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper


def samples(count):
    return np.random.default_rng(2).normal(size=(count, 3, 8, 8)).astype(np.float32)


def quantize(preon, *options, status=0):
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--json", *([] if "--threads" in options else ["--threads", 1]), *options)
    assert done.returncode == status, (done.returncode, done.stderr)
    return json.loads(done.stdout)


@pytest.fixture
def many(model, tmp_path):
    np.savez(tmp_path / "many.npz", input=samples(60))
    return "many.npz"


def test_a_fifth_is_kept_apart_and_the_model_is_calibrated_with_all(preon, many, tmp_path):
    for method in ("auto", "minmax"):
        result = quantize(preon, "--data", many, "--method", method)
        assert result["figures_from"] == "held_out" and result["samples"] == 60 and result["compare"]["samples"] == 12
        low, high = result["compare"]["outputs"]["logits"]["sqnr_db_interval"]
        assert low < result["compare"]["outputs"]["logits"]["sqnr_db"] < high
        written = (tmp_path / "out.onnx").read_bytes()
        assert preon("calibrate", "model.onnx", "-o", "a.calib", "--data", many).returncode == 0
        from_file = quantize(preon, "--calib", "a.calib", "--data", many, "--method", method)
        assert (tmp_path / "out.onnx").read_bytes() == written
        assert from_file["figures_from"] == "ranges_may_have_seen"


@pytest.mark.parametrize("options", [["--algorithm", "adaquant"], ["--weight", "int4"]], ids=" ".join)
def test_restored_ranges_may_have_seen_the_samples_but_fitted_codes_have_not(preon, many, tmp_path, options):
    written = []
    for figures_from in ("held_out", "ranges_may_have_seen"):
        result = quantize(preon, "--data", many, "--method", "minmax", "--save-and-restore", "r.json", "--always-write", *options)
        assert result["compare"]["samples"] == 12 and result["improved"][0]["runs"] >= 40
        assert result["figures_from"] == ("ranges_have_seen" if figures_from == "held_out" else figures_from)
        written.append((tmp_path / "out.onnx").read_bytes())
    assert written[0] == written[1]


def test_codes_of_a_calibration_file_are_judged_by_samples_that_they_have_not_seen(preon, many):
    assert preon("calibrate", "model.onnx", "-o", "a.calib", "--data", many).returncode == 0
    result = quantize(preon, "--calib", "a.calib", "--data", many, "--method", "minmax", "--algorithm", "adaquant", "--always-write")
    assert result["figures_from"] == "ranges_may_have_seen" and result["compare"]["samples"] == 12


def test_the_same_for_all_threads(preon, many):
    first, again = (quantize(preon, "--data", many, "--method", "minmse", "--threads", threads) for threads in (1, 2))
    assert first["compare"]["outputs"] == again["compare"]["outputs"]


@pytest.mark.thorough
def test_the_figures_are_of_ranges_without_the_samples_held_out(preon, model, tmp_path):
    """One sample is ten times as large. Where it is held out, the ranges that the figures come from cut it off; else they cover it."""
    plain = quantize_values(preon, tmp_path, samples(60))
    drops = []
    for place in range(12):
        values = samples(60)
        values[place] *= 10
        drops.append(plain - quantize_values(preon, tmp_path, values))
    assert 1 <= sum(drop > 30 for drop in drops) <= 4 and all(drop < 20 or drop > 30 for drop in drops)


def quantize_values(preon, tmp_path, values):
    np.savez(tmp_path / "values.npz", input=values)
    return quantize(preon, "--data", "values.npz", "--method", "minmax", "--effort", "fast")["compare"]["outputs"]["logits"]["sqnr_db"]


def test_each_of_few_samples_is_measured_with_the_ranges_of_others(preon, model, tmp_path):
    """One sample is ten times as large: wherever it stands, the ranges that its figure comes from cut it off."""
    plain = quantize_values(preon, tmp_path, samples(12))
    for place in range(0, 12, 2):
        values = samples(12)
        values[place] *= 10
        assert plain - quantize_values(preon, tmp_path, values) > 20, place
    options = ["--data", "values.npz", "--method", "minmax", "--effort", "fast"]
    result = quantize(preon, *options)
    assert result["figures_from"] == "cross_validation" and result["compare"]["samples"] == 12
    written = (tmp_path / "out.onnx").read_bytes()
    assert preon("calibrate", "model.onnx", "-o", "a.calib", "--data", "values.npz").returncode == 0
    quantize(preon, "--calib", "a.calib", *options)
    assert (tmp_path / "out.onnx").read_bytes() == written
    text = preon("quantize", "model.onnx", "-o", "out.onnx", *options).stdout
    assert "on 12 samples of the calibration, by models whose ranges were made without them; all were used for choices" in text


def test_too_few_samples_are_said(preon, model, tmp_path):
    np.savez(tmp_path / "few.npz", input=samples(7))
    result = quantize(preon, "--data", "few.npz")
    assert result["figures_from"] == "calibration" and result["compare"]["samples"] == 7
    text = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "few.npz").stdout
    assert "so other samples may give worse figures (with 24 samples or more, some are kept for this)" in text


def test_samples_beyond_those_of_calibration_are_unseen(preon, many):
    result = quantize(preon, "--data", many, "--calib-samples", 20)
    assert (result["figures_from"], result["samples"]) == ("held_out", 20) and result["compare"]["samples"] >= 40


def test_methods_that_need_the_order_say_where_figures_come_from(preon, many):
    result = quantize(preon, "--data", many, "--method", "minmax", "--method-option", "CalibMovingAverage=true")
    assert result["figures_from"] == "calibration" and result["compare"]["samples"] == 60


def test_a_requirement_that_fails_writes_nothing(preon, many):
    preon.fails(4, 5602, "quantize", "model.onnx", "-o", "out.onnx", "--data", many, "--require", "sqnr>=90,size<=1%",
                says="out.onnx: not written: required sqnr>=90, got ")
    preon.fails(4, 5602, "quantize", "model.onnx", "-o", "out.onnx", "--data", many, "--require", "sqnr>=90", "--json")
    preon.fails(2, 1003, "quantize", "model.onnx", "-o", "out.onnx", "--data", many, "--require", "drop<=1%",
                says="--require drop<=1%: not measured; needs samples with labels")
    preon.fails(2, 1003, "quantize", "model.onnx", "-o", "out.onnx", "--data", "random:8", "--require", "sqnr>=1",
                says="--require sqnr>=1: not measured; needs samples of your own (--data) and an output that can be compared")
    preon.fails(2, 1002, "quantize", "model.onnx", "-o", "out.onnx", "--data", many, "--require", "sqnr>20", says="wanted NAME<=VALUE")


def test_a_requirement_that_holds(preon, many, tmp_path):
    result = quantize(preon, "--data", many, "--require", "sqnr>=15, agreement>=50%")
    assert [(each["requirement"], each["holds"]) for each in result["requirements"]] == [("sqnr>=15", True), ("agreement>=50%", True)]
    assert (tmp_path / "out.onnx").exists() and result["alarms"] == []


def test_a_requirement_that_barely_holds_is_said_once(preon, many):
    known = quantize(preon, "--data", many)["compare"]["outputs"]["logits"]["sqnr_db"]
    result = quantize(preon, "--data", many, "--require", f"sqnr>={known - 0.01:.2f}")
    assert sum("holds on these samples" in warning for warning in result["warnings"]) == 1


def ids(result):
    return {alarm["id"] for alarm in result["alarms"]}


def test_alarms_of_a_result_that_is_far_from_float(preon, many):
    result = quantize(preon, "--data", many, "--weight", "int2", "--target", "simulate")
    assert "low_sqnr" in ids(result) or "low_agreement" in ids(result)
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", many, "--weight", "int2", "--target", "simulate")
    assert done.returncode == 0 and done.stdout.splitlines()[-1].startswith("  ALARM ")


def test_alarm_for_a_large_file(preon, model, tmp_path):
    """A table that the user leaves in float and that is most of the file."""
    model = onnx.load(tmp_path / model)
    table = np.random.default_rng(0).normal(size=(40000, 4)).astype(np.float32)
    model.graph.initializer.append(numpy_helper.from_array(table, "table"))
    model.graph.input.append(helper.make_tensor_value_info("row", TensorProto.INT64, ["N"]))
    model.graph.node.append(helper.make_node("Gather", ["table", "row"], ["found"], name="gather"))
    model.graph.output.append(helper.make_tensor_value_info("found", TensorProto.FLOAT, ["N", 4]))
    onnx.save(model, tmp_path / "model.onnx")
    np.savez(tmp_path / "calib.npz", input=samples(20), row=np.arange(20))
    result = quantize(preon, "--data", "calib.npz", "--target", "ort-cpu", "--exclude", "gather", "--float-weights", "float32")
    assert "large_file" in ids(result)
    assert "'table' with 640000 bytes" in next(alarm["message"] for alarm in result["alarms"] if alarm["id"] == "large_file")
