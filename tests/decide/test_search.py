"""`preon search`: configurations of a space, one after the other, and the best of them."""
import json
import signal

import numpy as np
import onnx
import pytest

import data_root
from test_accuracy_fallback import loud_channel_model

SPACE = {"method": ["minmax", "percentile", "minmse", "sample-extremes"], "symmetric": [True, False], "per_tensor": [True, False], "effort": "fast"}
MANY = {"method": "percentile", "effort": "fast", "method_options": {"Percentile": {"type": "float", "low": 90, "high": 99.999}}}


@pytest.fixture
def data(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(2).normal(size=(60, 3, 8, 8)).astype(np.float32))
    return "x.npy"


def search(preon, *arguments, space=SPACE):
    (preon.folder / "space.json").write_text(json.dumps(space))
    done = preon("search", *arguments, "--space", "space.json", "-o", "best.onnx", "--json", "--quiet", "--latency", 0, timeout=600)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def configs(result):
    return [trial["config"] for trial in result["trials"]]


def figures(result):
    return [{key: value for key, value in trial.items() if key != "seconds"} for trial in result["trials"]]


def test_a_grid_is_tried_whole_from_one_calibration(preon, model, data):
    result = search(preon, model, "--data", data, "--sampler", "grid")
    assert result["configurations"] == len(result["trials"]) == 16 and result["ended"] == "all_tried" and result["calibrations"] == 1
    assert len({json.dumps(config) for config in configs(result)}) == 16
    best = result["trials"][result["best"]]
    assert best["sqnr_db"] == max(trial["sqnr_db"] for trial in result["trials"]) and best["on_front"]
    assert result["unseen"] and result["compare"]["samples"] == 6
    assert result["size_bytes"]["quantized"] == (preon.folder / "best.onnx").stat().st_size == best["size_bytes"]


def test_a_fixed_batch(preon, model, data):
    """Halves of the samples that judge are whole batches."""
    fixed = onnx.load(preon.folder / model)
    for value in [*fixed.graph.input, *fixed.graph.output]:
        value.type.tensor_type.shape.dim[0].dim_value = 4
    onnx.save(fixed, preon.folder / "fixed.onnx")
    result = search(preon, "fixed.onnx", "--data", data, "--sampler", "grid", space={"method": ["minmax", "minmse"], "effort": "fast"})
    assert result["unseen"] and result["compare"]["samples"] % 4 == 0 and all("sqnr_db" in trial for trial in result["trials"])


@pytest.mark.thorough
def test_the_best_model_is_that_of_its_configuration(preon, model, data):
    """`preon quantize --config` of the same samples gives it again, with the statistics of the samples that calibrated."""
    result = search(preon, model, "--data", data, "--eval-data", data, "--sampler", "grid", space={**SPACE, "weight_method": ["minmax", "minmse"]})
    (preon.folder / "best.json").write_text(json.dumps(result["trials"][result["best"]]["config"]))
    assert preon("calibrate", model, "-o", "x.calib", "--data", data).returncode == 0
    data_of = ["--data", data] if result["with_samples"] else []
    done = preon("quantize", model, "-o", "again.onnx", "--calib", "x.calib", *data_of, "--config", "best.json", "--latency", 0, "--always-write")
    assert done.returncode == 0, done.stderr
    told = json.loads(preon("diff", "best.onnx", "again.onnx", "--json").stdout)
    assert told["same"], told


@pytest.mark.thorough
def test_groups_and_numbers(preon, model, data):
    space = {**SPACE, "percentile": {"only_if": {"method": "percentile"}, "method_options": {"Percentile": {"type": "float", "low": 99, "high": 99.99}}}}
    result = search(preon, model, "--data", data, "--trials", 30, "--seed", 3, space=space)
    assert len(result["trials"]) == 30 and result["configurations"] is None and result["ended"] == "trials"
    for config in configs(result):
        assert ("method_options" in config) == (config["method"] == "percentile")
    chosen = [config["method_options"]["Percentile"] for config in configs(result) if "method_options" in config]
    assert len(set(chosen)) > 1 and all(99 <= value <= 99.99 for value in chosen)


def test_yaml_and_text(preon, model, data):
    (preon.folder / "space.yaml").write_text("method: [minmax, minmse]\nsymmetric: [true, false]  # of activations\neffort: fast\n")
    done = preon("search", model, "--data", data, "--space", "space.yaml", "-o", "best.onnx", "--latency", 0.05)
    assert done.returncode == 0, done.stderr
    for text in ("tried       4 configurations of 4; all configurations were tried", 'best        ', '"method":"min', "times the speed of float",
                 "6 samples that neither calibrated nor chose"):
        assert text in done.stdout


def test_another_graph_gets_statistics_of_its_own(preon, model, data):
    result = search(preon, model, "--data", data, space={"algorithm": [None, "cle"], "method": ["minmax", "minmse"], "effort": "fast"})
    assert len(result["trials"]) == 4 and not any("failed" in trial for trial in result["trials"]) and result["calibrations"] == 2
    targets = search(preon, model, "--data", data, space={"target": ["ort-cpu", "dynamic"]})
    assert not any("failed" in trial for trial in targets["trials"])


@pytest.mark.thorough
def test_layers_in_float_move_ranges_to_other_tensors(preon, pooled, data):
    """What the pool gives is quantized only where the convolution in front of it is not."""
    space = {"method": "minmax", "effort": "fast", "exclude": [None, ["first"], ["second"]]}
    result = search(preon, pooled, "--data", data, "--sampler", "grid", space=space)
    assert len(result["trials"]) == 3 and all("sqnr_db" in trial for trial in result["trials"]), result["trials"]


def test_a_configuration_without_a_model_does_not_end_the_search(preon, model, data):
    result = search(preon, model, "--data", data, space={"target": ["ort-cpu", "dynamic"], "effort": [None, "fast"]})
    failed = [trial for trial in result["trials"] if "failed" in trial]
    assert [trial["failed"] for trial in failed] == ["--effort: has no effect with --target dynamic"]
    assert "gave no model" in preon("search", model, "--data", data, "--space", "space.json", "-o", "b.onnx").stdout


def test_none_gives_a_model(preon, model, data):
    (preon.folder / "space.json").write_text(json.dumps({"target": "dynamic", "effort": ["fast", "high"]}))
    preon.fails(1, 5001, "search", model, "--data", data, "--space", "space.json", "-o", "best.onnx", says="none of 2 configurations gave a model")


def test_the_smallest_that_is_good_enough(preon, model, data):
    space = {"weight": ["int8", "int4"], "per_tensor": [True, False], "effort": "fast", "method": "minmax"}
    result = search(preon, model, "--data", data, "--goal", "size", "--require", "sqnr>=40", space=space)
    best = result["trials"][result["best"]]
    enough = [trial for trial in result["trials"] if not trial["why_not"]]
    assert 0 < len(enough) < 4 and best["size_bytes"] == min(trial["size_bytes"] for trial in enough)
    preon.fails(4, 5602, "search", model, "--data", data, "--space", "space.json", "-o", "none.onnx", "--require", "sqnr>=90", says="none of 4 configurations reaches what is required")
    preon.fails(2, 1003, "search", model, "--data", data, "--space", "space.json", "-o", "none.onnx", "--goal", "size", says="wanted --require as well")


@pytest.mark.thorough
def test_what_is_required_holds_on_samples_that_did_not_choose(preon, model):
    """Half of those that are kept chose; the others are nearer to the edge of what a range of few samples covers."""
    rng = np.random.default_rng(7)
    np.save(preon.folder / "fit.npy", rng.normal(size=(20, 3, 8, 8)).astype(np.float32))
    judging = rng.normal(size=(20, 3, 8, 8)).astype(np.float32)
    np.save(preon.folder / "eval.npy", judging * np.linspace(0.5, 3, 20).reshape(-1, 1, 1, 1).astype(np.float32))
    arguments = (model, "--data", "fit.npy", "--eval-data", "eval.npy", "--sampler", "grid")
    result = search(preon, *arguments)
    chosen, unseen = result["trials"][result["best"]]["sqnr_db"], result["compare"]["outputs"]["logits"]["sqnr_db"]
    assert abs(chosen - unseen) > 0.2, "the halves differ"
    (preon.folder / "best.onnx").unlink()
    command = ["search", *arguments, "--space", "space.json", "-o", "best.onnx", "--latency", 0, "--require", f"sqnr>={(chosen + unseen) / 2}"]
    preon.fails(4, 5602, *command, says="on the samples that chose it, not on others" if chosen > unseen else "none of 16 configurations")


def test_the_fastest(preon, model, data):
    result = search(preon, model, "--data", data, "--goal", "speed", "--require", "sqnr>=10", space={"method": ["minmax", "minmse"], "effort": "fast"})
    assert all(trial["speedup"] > 0 for trial in result["trials"])


def test_a_metric_chooses(preon, model, data):
    import onnxruntime as ort

    values = np.load(preon.folder / data)
    logits, = ort.InferenceSession(preon.folder / model, providers=["CPUExecutionProvider"]).run(None, {"input": values})
    np.savez(preon.folder / "labelled.npz", input=values, label=logits.argmax(1))
    result = search(preon, model, "--data", "labelled.npz", "--metric", "nll")
    assert result["metric"] == "nll" and result["metric_loss_interval"][0] <= result["metric_loss"]
    losses = [trial["metric_loss"] for trial in result["trials"]]
    assert losses[result["best"]] == min(losses)


def test_few_samples(preon, model, data):
    result = search(preon, model, "--data", data, "--samples", 8, space={"method": ["minmax", "minmse"], "effort": "fast"})
    assert not result["unseen"] and any("too few samples to keep some apart" in each for each in result["warnings"])


def test_samples_that_judge(preon, model, data):
    np.save(preon.folder / "y.npy", np.random.default_rng(8).normal(size=(40, 3, 8, 8)).astype(np.float32))
    result = search(preon, model, "--data", data, "--eval-data", "y.npy", space={"method": ["minmax", "minmse"], "effort": "fast"})
    assert result["unseen"] and result["compare"]["samples"] == 20


@pytest.mark.thorough
def test_a_search_goes_on_after_a_kill(preon, model, data):
    """The trials are those of a search that nothing has ended."""
    options = [model, "--data", data, "--trials", 25, "--seed", 1]
    whole = search(preon, *options, "--study", "whole.study", space=MANY)
    model_of_whole = (preon.folder / "best.onnx").read_bytes()
    process = preon.start("search", *options, "--space", "space.json", "-o", "killed.onnx", "--study", "killed.study", "--json")
    study = preon.folder / "killed.study"
    while not study.exists() or study.read_bytes().count(b"\n") < 8:
        assert process.poll() is None
    process.kill()
    process.wait()
    assert not (preon.folder / "killed.onnx").exists()
    tried = study.read_bytes().count(b"\n") - 1
    result = search(preon, *options, "--study", "killed.study", space=MANY)
    assert 7 <= result["from_study"] in (tried, tried + 1) and len(result["trials"]) == 25
    assert configs(result) == configs(whole) and figures(result) == figures(whole) and result["best"] == whole["best"]
    assert (preon.folder / "best.onnx").read_bytes() == model_of_whole
    more = search(preon, model, "--data", data, "--trials", 28, "--seed", 1, "--study", "killed.study", space=MANY)
    assert more["from_study"] == 25 and len(more["trials"]) == 28 and configs(more)[:25] == configs(whole)


def test_a_study_of_something_else(preon, model, data):
    search(preon, model, "--data", data, "--study", "a.study", "--trials", 2)
    study = (preon.folder / "a.study").read_bytes()
    again = ["search", model, "--data", data, "-o", "other.onnx", "--study", "a.study", "--trials", 2]
    preon.fails(2, 1004, *again, "--space", "space.json", "--seed", 5, says="was made with other options")
    preon.fails(2, 1004, *again, "--space", '{"method": ["minmax"]}', says="was made with another space")
    np.save(preon.folder / data, np.load(preon.folder / data) * 2)
    preon.fails(2, 1004, *again, "--space", "space.json", says="was made with other samples")
    assert (preon.folder / "a.study").read_bytes() == study
    (preon.folder / "photo.study").write_text("a photo")
    preon.fails(2, 1005, *again[:-4], "--study", "photo.study", "--space", "space.json", says="not a study of preon search")


def test_a_study_of_other_external_weights(preon, model, data):
    onnx.save(onnx.load(preon.folder / model), preon.folder / "external.onnx", save_as_external_data=True, location="weights.bin", size_threshold=0)
    search(preon, "external.onnx", "--data", data, "--study", "a.study", "--trials", 2)
    weights = bytearray((preon.folder / "weights.bin").read_bytes())
    weights[3] ^= 1
    (preon.folder / "weights.bin").write_bytes(weights)
    preon.fails(2, 1004, "search", "external.onnx", "--data", data, "-o", "other.onnx", "--study", "a.study", "--trials", 2, "--space", "space.json",
                says="was made with another model")


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_the_best_so_far(preon, model, data, number):
    (preon.folder / "space.json").write_text(json.dumps(MANY))
    process = preon.start("search", model, "--data", data, "--space", "space.json", "-o", "best.onnx", "--trials", 100000, "--json")
    while (told := json.loads(process.stderr.readline())).get("stage") != "search" or told["done"] < 3:
        pass
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    result = json.loads(stdout)
    assert result["ended"] == "interrupted" and 3 <= len(result["trials"]) < 100000
    onnx.checker.check_model(str(preon.folder / "best.onnx"))


@pytest.mark.thorough
def test_the_time_ends_it(preon, model, data):
    result = search(preon, model, "--data", data, "--trials", 100000, "--time", "2s", space=MANY)
    assert result["ended"] == "time" and 0 < len(result["trials"]) < 100000
    (preon.folder / "space.json").write_text(json.dumps(MANY))
    preon.fails(2, 1002, "search", model, "--data", data, "--space", "space.json", "-o", "b.onnx", "--time", "5 minutes", says="a time such as 90s, 5m or 2h")


@pytest.mark.parametrize("space, number, says", [
    ({"metod": ["minmax"]}, 1005, "key 'metod' is unknown; did you mean 'method'"),
    ({"method": ["minmax", "minmsee"]}, 1001, "minmsee"),
    ({"weight": ["int9"]}, 1005, "weight: "),
    ({"threads": [1, 2]}, 1005, "threads: can't be searched"),
    ({"require": ["sqnr>=2"]}, 1005, "require: can't be searched"),
    ({"method": []}, 1005, "method: wanted at least one choice"),
    ([], 1005, "wanted an object"),
    ({"budget": {"type": "float", "low": 1, "high": 200}}, 1005, "space.json: budget: got '200"),
])
def test_mistakes_in_a_space(preon, model, data, space, number, says):
    (preon.folder / "space.json").write_text(json.dumps(space))
    preon.fails(2, number, "search", model, "--data", data, "--space", "space.json", "-o", "best.onnx", says=says)


def test_what_is_no_space(preon, model, data):
    common = ["search", model, "--data", data, "-o", "b.onnx", "--space"]
    preon.fails(2, 1002, *common, "gone.yaml", says="--space: got 'gone.yaml', wanted a file that exists")
    (preon.folder / "space.json").write_text('{"budget": {"choices": []}}')
    preon.fails(2, 1005, *common, "space.json", says="budget: wanted at least one choice")
    (preon.folder / "space.json").write_text('{"budget": {"type": "float", "low": 0, "high": 1, "step": 1e-18}}')
    preon.fails(2, 1005, *common, "space.json", says="budget: step: 1e-18 is too small for values from 0 to 1")
    (preon.folder / "space.json").write_text('{"method": ["minmax"], "method": ["minmse"]}')
    preon.fails(2, 1005, *common, "space.json", says="space.json: key 'method' is given twice")
    (preon.folder / "space.yaml").write_text("a: &x [*x]")
    preon.fails(2, 1005, *common, "space.yaml", says="space.yaml: line 1")


def test_what_is_missing(preon, model, data):
    (preon.folder / "space.json").write_text(json.dumps(MANY))
    preon.fails(2, 1003, "search", model, "--data", data, "-o", "b.onnx", says="no space; wanted --space FILE")
    preon.fails(2, 1003, "search", model, "--space", "space.json", "-o", "b.onnx", says="--data SRC")
    preon.fails(2, 1003, "search", model, "--data", data, "--space", "space.json", says="wanted -o FILE")
    preon.fails(2, 1004, "search", model, "--data", data, "--space", "space.json", "-o", "space.json", says="inputs are never written to")
    preon.fails(2, 1001, "search", model, "--data", data, "--space", "space.json", "-o", "b.onnx", "--sampler", "tbe", says="did you mean 'tpe'")
    preon.fails(2, 1002, "search", model, "--data", data, "--space", "space.json", "-o", "b.onnx", "--sampler", "grid", says="numbers without a step")


def test_from_python(model, tmp_path):
    preon = pytest.importorskip("preon")
    x = np.random.default_rng(2).normal(size=(60, 3, 8, 8)).astype(np.float32)
    result = preon.search(tmp_path / model, tmp_path / "best.onnx", {"method": ["minmax", "minmse"], "symmetric": [True, False], "effort": "fast"}, data=x, latency=0)
    assert len(result.trials) == 4 and (tmp_path / "best.onnx").exists() and result.trials[result.best]["config"]["effort"] == "fast"


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["resnet20_cifar10", "sst2_transformer", "dtln_model_1", "ultraface_rfb_320"])
def test_real_models(preon, name):
    model = data_root.data_root() / "models" / f"{name}.onnx"
    if not model.exists():
        pytest.skip(f"{model} is not there")
    result = search(preon, model, "--data", "random:30", "--trials", 6)
    errors = [trial["sqnr_db"] for trial in result["trials"]]
    assert errors[result["best"]] == max(errors) > min(errors) and result["calibrations"] == 1


@pytest.mark.thorough
def test_auto_is_what_quantize_does_and_its_absence_is_told(preon):
    """One layer that must stay in float: only trials on samples find it."""
    onnx.save(loud_channel_model(2000), preon.folder / "model.onnx")
    np.save(preon.folder / "x.npy", np.random.default_rng(2).normal(size=(60, 3, 16, 16)).astype(np.float32))
    space = lambda other: {"method": ["minmax", other]}
    without, with_auto = (search(preon, "model.onnx", "--data", "x.npy", space=space(other)) for other in ("minmse", "auto"))
    assert [warning.split(":")[0] for warning in without["warnings"]] == ["quantize without the settings of the space is much nearer to float"]
    assert with_auto["warnings"] == []
    best = [answer["trials"][answer["best"]] for answer in (without, with_auto)]
    assert best[1]["config"]["method"] == "auto" and best[1]["sqnr_db"] > best[0]["sqnr_db"] + 3


@pytest.mark.thorough
def test_trials_of_few_bits_are_what_quantize_makes(preon):
    """Codes of 4 bits are far from float until they are fitted to samples."""
    model = data_root.data_root() / "models/resnet20_cifar10.onnx"
    if not model.exists():
        pytest.skip(f"{model} is not there")
    result = search(preon, model, "--data", "random:60", "--sampler", "grid", space={"method": ["minmax", "minmse"], "weight": ["int8", "int4"]})
    for trial in result["trials"]:
        done = preon("quantize", model, "-o", "q.onnx", "--data", "random:60", "--latency", 0, "--always-write", "--json", "--quiet",
                     "--method", trial["config"]["method"], "--weight", trial["config"]["weight"])
        assert trial["sqnr_db"] > json.loads(done.stdout)["compare"]["outputs"]["output"]["sqnr_db"] - 2, trial
