"""What a run tells while it goes on, and how much it tries."""
import json

import pytest


def stages(done):
    """{stage: [(done, total), ...]} of the JSON lines on stderr."""
    told = {}
    for line in done.stderr.splitlines():
        if line.startswith("{"):
            now = json.loads(line)
            told.setdefault(now["stage"], []).append((now["done"], now["total"]))
    return told


@pytest.mark.thorough
def test_every_stage_is_told(preon, model, data):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--always-write", "--json", measured=True)
    assert done.returncode == 0, done.stderr
    told = stages(done)
    assert set(told) == set(json.loads(done.stdout)["seconds"]) - {"total"}
    tried = told["try"]
    assert tried == sorted(tried, key=lambda now: now[0])
    assert tried[-1][0] == tried[-1][1] == 16  # samples; one candidate, whose 48 dB are good enough


def test_a_quick_run_is_silent_in_a_pipe(preon, model, data):
    done = preon("run", model, "--data", data)
    assert done.returncode == 0 and done.stderr == ""


def test_one_method_without_trials(preon, model, data):
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--effort", "fast", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["method"] == "minmse" and "candidates" not in result and "try" not in result["seconds"]
    assert "try" not in stages(done) and not any("auto" in warning for warning in result["warnings"])
    chosen = preon("quantize", model, "-o", "out.onnx", "--data", data, "--effort", "fast", "--method", "minmax", "--json")
    assert json.loads(chosen.stdout)["method"] == "minmax"
    default = preon("quantize", model, "-o", "out.onnx", "--data", data, "--effort", "default", "--json")
    [candidate] = json.loads(default.stdout)["candidates"]
    assert candidate["sqnr_db"] > 45, "no other method is tried where nobody sees a difference"


def test_auto_without_samples(preon, model, data):
    """Nothing can be tried: the first warning says what is lost."""
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    done = preon("quantize", model, "-o", "out.onnx", "--calib", "a.calib", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["method"] == "minmse" and "candidates" not in result
    assert result["warnings"][0].startswith("accuracy may be lower: --method auto used minmse, because it can't compare methods")
    with_samples = preon("quantize", model, "-o", "out.onnx", "--calib", "a.calib", "--data", data, "--json")
    assert "candidates" in json.loads(with_samples.stdout)


def test_high_effort_changes_codes_too(preon, model, data):
    results = []
    for options in (["--effort", "high"], ["--algorithm", "adaquant"], ["--effort", "high", "--algorithm", "adaround"]):
        done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--json", *options)
        assert done.returncode == 0, done.stderr
        results.append((json.loads(done.stdout), (preon.folder / "out.onnx").read_bytes()))
    (high, high_bytes), (asked, asked_bytes), (other, _) = results
    assert high_bytes == asked_bytes and high["candidates"] == asked["candidates"]
    assert [each["algorithm"] for each in high["improved"]] == ["adaquant"] and [each["algorithm"] for each in other["improved"]] == ["adaround"]
    (preon.folder / "out.onnx").unlink()
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--data", data, "--effort", "high", "--target", "quark", "--compat", "quark", says="--compat")
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    preon.fails(2, 1003, "quantize", model, "-o", "out.onnx", "--calib", "a.calib", "--effort", "high", says="needs --data")


def test_default_effort_changes_codes_where_that_gains(preon, model, data):
    """No more is said than what --disable-algorithm leaves out, and what was not done has its reason."""
    results = []
    for options in ([], ["--disable-algorithm", "adaquant"], ["--effort", "fast"]):
        done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--json", *options)
        assert done.returncode == 0, done.stderr
        results.append(json.loads(done.stdout))
    [improved] = results[0]["improved"]
    assert improved["algorithm"] == "adaquant"
    if "why_not" not in improved:
        assert improved["runs"] >= 8 and improved["sqnr_db_after"] >= improved["sqnr_db_before"] + 0.2
    assert all("improved" not in result and not any("adaquant" in warning for warning in result["warnings"]) for result in results[1:])
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    without = preon("quantize", model, "-o", "out.onnx", "--calib", "a.calib", "--json")
    assert json.loads(without.stdout)["improved"] == [{"algorithm": "adaquant", "why_not": "needs --data"}]
    compat = preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", "quark", "--compat", "quark", "--json")
    assert "improved" not in json.loads(compat.stdout)


def test_an_effort_that_is_not_there(preon, model, data):
    preon.fails(2, 1002, "quantize", model, "-o", "out.onnx", "--data", data, "--effort", "quick", says="got 'quick', wanted fast, default or high")


def test_effort_without_ranges_has_no_effect(preon, model):
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--target", "dynamic", "--effort", "fast", says="--effort")


@pytest.mark.thorough
@pytest.mark.parametrize("verb", ["quantize", "compare"])
def test_no_speed_without_its_interval(preon, model, data, verb):
    quantize = preon("quantize", model, "-o", "out.onnx", "--data", data, "--always-write", "--json", measured=True)
    done = quantize if verb == "quantize" else preon("compare", model, "out.onnx", "--data", data, "--json", measured=True)
    result = json.loads(done.stdout)
    measured = result["compare"] if verb == "quantize" else result
    speed = measured["speedup"]
    assert 0 < speed["low"] <= speed["median"] <= speed["high"] and speed["busy"] in (True, False)
    assert speed["busy"] or speed["high"] / speed["low"] <= 1.25
    assert set(measured["latency_ms"]["float"]) == {"p50", "p90", "p99"}


@pytest.mark.parametrize("verb", ["quantize", "compare"])
def test_latency_is_measured_unless_told(preon, model, data, verb):
    assert preon("quantize", model, "-o", "out.onnx", "--data", data).returncode == 0
    arguments = [model, "-o", "other.onnx"] if verb == "quantize" else [model, "out.onnx"]
    done = preon(verb, *arguments, "--data", data, "--latency", "0", "--json")
    result = json.loads(done.stdout)
    assert not {"speedup", "latency_ms"} & (result["compare"] if verb == "quantize" else result).keys()
    assert "latency" not in stages(done)
    text = preon(verb, *arguments, "--data", data, "--latency", "0").stdout
    assert "speed " not in text and "latency" not in text
    preon.fails(2, 1002, verb, *arguments, "--data", data, "--latency", "-1", says="seconds from 0 to 3600")
