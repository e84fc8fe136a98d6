"""Resource options and AMD Quark's keys: what each value means, and what none can mean."""
import json
import xml.etree.ElementTree as xml

import numpy as np
import pytest

QUANTIZE = ["quantize", "model.onnx", "-o", "out.onnx"]
DATA = ["--data", "calib.npz"]


def answer(preon, *arguments):
    done = preon(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("option, number, says", [
    ("CalibDataSiz=3", 1001, "did you mean 'CalibDataSize'?"),
    ("CalibDataSize=-1", 1002, "CalibDataSize: got '-1', wanted an integer of at least 0"),
    ("CalibDataSize=many", 1002, "CalibDataSize"),
    ("CalibWorkerNum=0", 1002, "CalibWorkerNum: got '0'"),
    ("CalibOptimizeMem=maybe", 1002, "wanted true or false"),
    ("CalibOptimizeDisk=2", 1002, "wanted true or false"),
    ("UseRandomData=2", 1002, "wanted true or false"),
    ("SaveTensorHistFig=DIR", 1002, "wanted true or false"),
    ("TmpDir=model.onnx/tmp", 1002, "--tmp-dir"),
    ("CalibPassthroughOpTypes=Concat", 1002, "Concat joins several tensors"),
    ("Percentile=101", 1002, "Percentile"),
    ("nothing", 1002, "wanted KEY=VALUE"),
    ("RandomDataReaderInputShape=[1,2]", 1002, "wanted a JSON object"),
    ('RandomDataReaderInputDataRange={"input": [0, 1]}', 1004, "no effect without random samples"),
])
def test_bad_values(preon, model, data, option, number, says):
    preon.fails(2, number, *QUANTIZE, *DATA, "--method", "percentile", "--option", option, says=says)


@pytest.mark.parametrize("arguments, number, says", [
    (["--workers", "0"], 1002, "--workers"),
    (["--memory", "little"], 1002, "wanted low, balanced or fast"),
    (["--calib-samples", "0"], 1002, "--calib-samples"),
    (["--calib", "a.calib", "--workers", "2"], 1004, "--workers: has no effect with --calib"),
    (["--calib", "a.calib", "--calib-samples", "2"], 1004, "--calib-samples: has no effect with --calib"),
    (["--save-and-restore", "out.onnx"], 1004, "is the output, too"),
    (["--save-histograms", "model.onnx"], 7002, "is not a folder"),
])
def test_bad_options(preon, model, data, arguments, number, says):
    preon.fails(1 if number == 7002 else 2, number, *QUANTIZE, *DATA, *arguments, says=says)


@pytest.mark.parametrize("option, says", [
    ("CalibDataSize=0", "calibrates with all samples"),
    ("CalibWorkerNum=4000", "workers start"),
    ("CalibOptimizeDisk=false", "CalibOptimizeDisk: has no effect"),
    ("UseRandomData=true", "UseRandomData: has no effect with --data"),
    ("CalibPassthroughOpTypes=Reshap", "'Reshap' has no effect: the rewritten model has no such operator; did you mean 'Reshape'?"),
    ("CalibPassthroughOpTypes=Relu", "Relu changes values"),
])
def test_warnings(preon, model, data, option, says):
    result = answer(preon, *QUANTIZE, *DATA, "--option", option)
    assert any(says in warning for warning in result["warnings"]), result["warnings"]


def test_a_key_of_another_verb_is_a_warning(preon, model, data):
    result = answer(preon, "calibrate", model, *DATA, "-o", "a.calib", "--option", "Percentile=99")
    assert result["warnings"] == ["Percentile=99: no effect on calibrate",
                                  "all convolutions are small: quantizing them saves memory but little time"]


def test_calib_data_size_limits_calibration_alone(preon, model, data, tmp_path):
    result = answer(preon, *QUANTIZE, *DATA, "--method", "minmax", "--option", "CalibDataSize=5")
    assert (result["samples"], result["compare"]["samples"]) == (5, 11)  # the others
    limited = (tmp_path / "out.onnx").read_bytes()
    assert answer(preon, *QUANTIZE, *DATA, "--method", "minmax", "--samples", "5")["compare"]["samples"] == 5
    assert (tmp_path / "out.onnx").read_bytes() == limited


def test_keys_in_a_configuration_file(preon, model, data, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps({"method": "percentile", "extra_options": {"CalibDataSize": 5, "Percentile": 99.9}}))
    assert answer(preon, *QUANTIZE, *DATA, "--config", "c.json")["samples"] == 5
    (tmp_path / "c.json").write_text(json.dumps({"extra_options": {"CalibDataSiz": 5}}))
    preon.fails(2, 1005, *QUANTIZE, *DATA, "--config", "c.json", says="did you mean 'CalibDataSize'?")


@pytest.mark.parametrize("memory", ["low", "fast"])
def test_memory_does_not_change_the_result(preon, model, data, tmp_path, memory):
    assert preon(*QUANTIZE, *DATA).returncode == 0
    usual = (tmp_path / "out.onnx").read_bytes()
    assert preon(*QUANTIZE, *DATA, "--memory", memory).returncode == 0
    assert (tmp_path / "out.onnx").read_bytes() == usual


def test_tmp_dir_is_made(preon, model, data, tmp_path):
    assert preon(*QUANTIZE, *DATA, "--option", "TmpDir=a/b").returncode == 0
    assert list((tmp_path / "a/b").iterdir()) == []


def test_random_data(preon, model, tmp_path):
    """Uniform in [0, 1) without a range; every sample another."""
    result = answer(preon, "calibrate", model, "-o", "a.calib", "--exact", "--option", "UseRandomData=true", "--option",
                    "RandomDataReaderNumSamples=20")
    assert result["samples"] == 20 and any("random samples" in warning for warning in result["warnings"])
    seen = answer(preon, "inspect", "a.calib")["tensors"]["input"]
    assert 0 <= seen["min"] < 0.01 and 0.99 < seen["max"] < 1 and abs(seen["mean"] - 0.5) < 0.02 and seen["count"] == 20 * 192
    shape = ("--option", 'RandomDataReaderInputShape={"input": [1, 3, 8, 8]}')
    assert answer(preon, "calibrate", model, "-o", "b.calib", "--data", "random:2", *shape)["samples"] == 2
    preon.fails(2, 3004, "calibrate", model, "-o", "c.calib", "--data", "random:2", "--random-shape", "input=1x3x9x8", says="wanted [1, 3, 8, 8]")
    preon.fails(2, 1002, "calibrate", model, "-o", "c.calib", "--data", "random:2", "--random-shape", "input=1x-3x8x8", says="-1 leaves a size open")
    preon.fails(2, 3003, "calibrate", model, "-o", "c.calib", "--data", "random:2", "--random-range", "img=0:1", says="no random input 'img'")


# --save-histograms

def test_histograms(preon, model, data, tmp_path):
    result = answer(preon, *QUANTIZE, *DATA, "--save-histograms", "figures")
    assert result["histograms"] == "figures"
    pictures = sorted((tmp_path / "figures").iterdir())
    assert len(pictures) == result["observed_tensors"]
    for picture in pictures:
        root = xml.parse(picture).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
        assert any(title.startswith("min ") for title in titles) and any(title.startswith("max ") for title in titles)
        assert any(title.startswith("selected: ") for title in titles)
    # Again, into the folder that is there, from statistics alone.
    assert preon("calibrate", model, *DATA, "-o", "a.calib").returncode == 0
    assert preon("analyze", "a.calib", "--save-histograms", "figures").returncode == 0
    assert sorted((tmp_path / "figures").iterdir()) == pictures
    assert [name for name in preon.files() if "preon-" in name] == []


def test_no_histograms_without_a_model(preon, model, data, tmp_path):
    preon.fails(1, 7003, *QUANTIZE, *DATA, "--save-histograms", "nowhere/figures", says="does not exist")


# --save-and-restore

def saved(preon, model, data, tmp_path, *options):
    assert preon(*QUANTIZE, *DATA, "--save-and-restore", "r.json", *options).returncode == 0
    return json.loads((tmp_path / "r.json").read_text()), (tmp_path / "out.onnx").read_bytes()


def restore(preon, tmp_path, content, *options):
    (tmp_path / "r.json").write_text(content if isinstance(content, str) else json.dumps(content))
    return answer(preon, *QUANTIZE, "--save-and-restore", "r.json", *options)


@pytest.mark.parametrize("options", [[], ["--method", "percentile", "--target", "quark"], ["--passthrough", "Reshape"]])
def test_a_restored_model_is_the_same(preon, model, data, tmp_path, options):
    ranges, whole = saved(preon, model, data, tmp_path, *options)
    assert ranges["format"] == 1 and ranges["calibration"]["samples"] == 16
    result = answer(preon, *QUANTIZE, *DATA, "--save-and-restore", "r.json", *options)
    assert "calibrate" not in result["seconds"]
    assert result["restored"] == {"file": "r.json", "tensors": len(ranges["tensors_range"])}
    assert (tmp_path / "out.onnx").read_bytes() == whole
    assert answer(preon, *QUANTIZE, "--save-and-restore", "r.json", *options)["samples"] == 16  # no data at all
    assert (tmp_path / "out.onnx").read_bytes() == whole
    assert json.loads((tmp_path / "r.json").read_text()) == ranges


def test_codes_that_are_fitted_to_samples(preon, model, data, tmp_path):
    (name, values), = np.load(tmp_path / data).items()
    np.savez(tmp_path / "others.npz", **{name: -values[::-1]})
    for options, fits in [(["--weight", "int4", "--algorithm", "adaquant"], True), (["--effort", "fast"], False)]:
        (tmp_path / "r.json").unlink(missing_ok=True)
        ranges, whole = saved(preon, model, data, tmp_path, *options)
        warnings = restore(preon, tmp_path, ranges, "--data", "others.npz", *options)["warnings"]
        told = [each for each in warnings if each.startswith("r.json: has ranges alone; codes of weights are fitted to the samples of this run")]
        assert len(told) == fits and ((tmp_path / "out.onnx").read_bytes() != whole) == fits


def test_edited_ranges_are_taken(preon, model, data, tmp_path):
    ranges, whole = saved(preon, model, data, tmp_path)
    ranges["tensors_range"]["input"] = [-50, 50]
    restore(preon, tmp_path, ranges)
    assert (tmp_path / "out.onnx").read_bytes() != whole


def test_only_missing_tensors_are_calibrated(preon, model, data, tmp_path):
    ranges, whole = saved(preon, model, data, tmp_path, "--method", "minmax")
    before = dict(ranges["tensors_range"])
    del ranges["tensors_range"]["input"]
    ranges["note"] = "mine"
    (tmp_path / "r.json").write_text(json.dumps(ranges))
    preon.fails(2, 1003, *QUANTIZE, "--save-and-restore", "r.json", says="no range for 'input'")
    result = restore(preon, tmp_path, ranges, *DATA, "--method", "minmax")
    assert result["restored"]["tensors"] == len(before) - 1 and "calibrate" in result["seconds"]
    assert (tmp_path / "out.onnx").read_bytes() == whole
    after = json.loads((tmp_path / "r.json").read_text())
    assert after["tensors_range"] == before and after["note"] == "mine"


def test_the_references_file(preon, model, data, tmp_path):
    ranges, _ = saved(preon, model, data, tmp_path)
    old = {"quark_version": "0.11", "layers_to_finetune": [3],
           "tensors_range": {name: [[low], [high]] for name, (low, high) in ranges["tensors_range"].items()}}
    old["tensors_range"]["gone"] = [0, 1]
    result = restore(preon, tmp_path, old)
    assert any("1 of its tensors are not in the rewritten model, for example 'gone'" in warning for warning in result["warnings"])


def test_missing_statistics_of_an_algorithm_are_a_warning(preon, model, data, tmp_path):
    ranges, whole = saved(preon, model, data, tmp_path)
    assert any(ranges.pop("channel_means"))
    for options in ([], DATA):
        warnings = restore(preon, tmp_path, ranges, *options)["warnings"]
        assert any("r.json: lacks statistics for bias-correction" in warning for warning in warnings), warnings
    assert (tmp_path / "out.onnx").read_bytes() != whole
    assert not any("lacks" in warning for warning in restore(preon, tmp_path, ranges, "--no-bias-correction")["warnings"])


@pytest.mark.parametrize("key, value, says", [
    ("model_sha256", "0" * 64, "made from another model"), ("config_sha256", "0" * 64, "made with other options")])
def test_files_of_others_are_a_warning(preon, model, data, tmp_path, key, value, says):
    ranges, _ = saved(preon, model, data, tmp_path)
    result = restore(preon, tmp_path, {**ranges, key: value})
    assert any(says in warning for warning in result["warnings"])


def test_what_is_missing_in_the_file_of_another_model_is_not_added_to_it(preon, model, data, tmp_path):
    ranges, _ = saved(preon, model, data, tmp_path)
    ranges["tensors_range"].popitem()
    of_another = {**ranges, "model_sha256": "0" * 64}
    restore(preon, tmp_path, of_another, *DATA)
    assert json.loads((tmp_path / "r.json").read_text()) == of_another
    restore(preon, tmp_path, ranges, *DATA)
    assert json.loads((tmp_path / "r.json").read_text())["tensors_range"] != ranges["tensors_range"]


@pytest.mark.parametrize("content, says", [
    ("{", "not a JSON object"), ("[]", "not a JSON object"), ("{}", "no key tensors_range"),
    ('{"tensors_range": {"input": [2, 1]}}', "tensors_range: 'input': got [2,1], wanted [min, max]"),
    ('{"tensors_range": {"input": [0, 1e300]}}', "finite float32"), ('{"tensors_range": {"input": [0, 1e999]}}', "not a JSON object"),
    ('{"tensors_range": {"input": [null, 1]}}', "finite float32"), ('{"tensors_range": {"input": 1}}', "finite float32"),
    ('{"tensors_range": [1]}', "wanted an object"), ('{"format": 2, "tensors_range": {}}', "format: got 2"),
    ('{"tensors_range": {}, "left_float": {"conv_1": "mood"}}', "left_float: 'conv_1': got \"mood\""),
])
def test_malformed_files(preon, model, data, tmp_path, content, says):
    (tmp_path / "r.json").write_text(content)
    preon.fails(2, 3015, *QUANTIZE, *DATA, "--save-and-restore", "r.json", says=says)
    assert (tmp_path / "r.json").read_text() == content


def test_restored_ranges_of_other_numbers_are_named(preon, model, data):
    def warnings(output, *options):
        done = preon("quantize", model, "-o", output, "--data", data, "--method", "minmax", "--save-and-restore", "r.json", "--json", *options)
        assert done.returncode == 0, done.stderr
        return [warning for warning in json.loads(done.stdout)["warnings"] if "made with other options" in warning]

    assert warnings("a.onnx") == warnings("b.onnx") == []
    assert len(warnings("c.onnx", "--compat", "onnxruntime")) == 1
