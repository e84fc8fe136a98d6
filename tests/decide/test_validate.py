"""`preon validate`: figures, metrics and the verdict, each kind on a model that was made for it."""
import json
import shlex

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import data_root
from test_accuracy_fallback import loud_channel_model


def samples(count, seed=2):
    return np.random.default_rng(seed).normal(size=(count, 3, 8, 8)).astype(np.float32)


def validate(preon, *arguments):
    done = preon("validate", *arguments, "--json", "--quiet", timeout=300)
    result = json.loads(done.stdout)
    assert done.returncode == (0 if result["meets_requirements"] else 4), done.stderr
    return result


def kinds(result):
    return [step["kind"] for step in result["steps"]]


@pytest.fixture
def labelled(model, tmp_path):
    """Samples whose labels are the float model's own classes, so that it is always right."""
    import onnxruntime as ort

    values = samples(100)
    logits, = ort.InferenceSession(tmp_path / model, providers=["CPUExecutionProvider"]).run(None, {"input": values})
    np.savez(tmp_path / "labelled.npz", input=values, label=logits.argmax(1))
    return "labelled.npz"


def test_a_good_model_may_be_shipped(preon, model, labelled):
    result = validate(preon, model, "--data", labelled, "--latency", 0)
    assert (result["verdict"], result["why_not"], result["steps"], result["unseen"]) == ("ship", [], [], True)
    assert all(each["options"].endswith(" --effort fast") for each in result["models"][1:])
    assert [each["name"] for each in result["models"]] == ["as given", "method minmax", "method percentile", "method minmse", "method sample-extremes"]
    given = result["models"][0]["compare"]
    assert given["samples"] == 20 and given["accuracy"]["float"]["top1"] == 1 and "top1_drop_interval" in given["accuracy"]
    text = preon("validate", model, "--data", labelled, "--latency", 0).stdout
    assert "verdict     SHIP: quantize with these options is good enough" in text and "base line   float: top-1 100.0 %" in text


@pytest.mark.thorough
def test_speed_at_one_thread_and_at_all(preon, model, labelled):
    result = validate(preon, model, "--data", labelled, "--latency", 0.05)
    assert result["latency"][0]["threads"] == 1 and len(result["latency"]) <= 2


@pytest.mark.thorough
def test_metrics_of_both_models(preon, model, labelled, tmp_path):
    for name, best in (("top1", 1), ("f1", 1), ("top3", 1)):
        metric = validate(preon, model, "--data", labelled, "--metric", name, "--latency", 0)["models"][0]["metric"]
        assert metric["name"] == name and metric["float"] == best and metric["quantized"] <= best
        assert metric["loss_interval"][0] <= metric["loss"] <= metric["loss_interval"][1]
    metric = validate(preon, model, "--data", labelled, "--metric", "nll", "--latency", 0)["models"][0]["metric"]
    assert metric["unit"] == "nats" and abs(metric["loss"]) < 0.1
    preon.fails(2, 1001, "validate", model, "--data", labelled, "--metric", "f2", says="did you mean 'f1'?")
    preon.fails(2, 1002, "validate", model, "--data", labelled, "--metric", "top4", says="the model has 4 classes, so every answer counts as right; wanted top3 or less")


def test_a_metric_against_what_the_output_should_be(preon, model, labelled, tmp_path):
    import onnxruntime as ort

    values = np.load(tmp_path / labelled)["input"]
    wanted, = ort.InferenceSession(tmp_path / model, providers=["CPUExecutionProvider"]).run(None, {"input": values})
    np.savez(tmp_path / "wanted.npz", logits=wanted + np.float32(0.1) * np.random.default_rng(0).normal(size=wanted.shape).astype(np.float32))
    for name in ("psnr", "sisdr"):
        metric = validate(preon, model, "--data", labelled, "--reference", "wanted.npz", "--metric", name, "--latency", 0)["models"][0]["metric"]
        assert metric["unit"] == "dB" and metric["float"] > 10 and abs(metric["loss"]) < 3
    preon.fails(2, 1003, "validate", model, "--data", labelled, "--metric", "psnr", says="needs --reference SRC")


def test_a_metric_by_a_script(preon, model, labelled, tmp_path):
    (tmp_path / "score.py").write_text("import os\nhigher_is_better = False\nunit = 'nats'\n\n\ndef evaluate(model):\n    print('noise')\n    return [os.path.getsize(model), 5.0]\n")
    metric = validate(preon, model, "--data", labelled, "--metric", "score.py", "--latency", 0)["models"][0]["metric"]
    assert metric["float"] == ((tmp_path / model).stat().st_size + 5) / 2 and metric["loss"] == metric["quantized"] - metric["float"]
    (tmp_path / "bad.py").write_text("def evaluate(model):\n    raise ValueError('no such thing')\n")
    preon.fails(1, 6002, "validate", model, "--data", labelled, "--metric", "bad.py", says="ValueError: no such thing")
    preon.fails(2, 3001, "validate", model, "--data", labelled, "--metric", "none.py", says="no such file")


def test_units_of_a_script(preon, model, labelled, tmp_path):
    """Percent are no shares: 78.1 would be a loss of 50 points for half a point."""
    def metric(*head, required=()):
        (tmp_path / "score.py").write_text("\n".join([*head, "import os", "def evaluate(model):", "    return 78.1 if os.path.basename(model) == 'model.onnx' else 77.6"]))
        return validate(preon, model, "--data", labelled, "--metric", "score.py", "--latency", 0, *required)["models"][0]
    percent = metric("unit = 'percent'")
    assert percent["metric"]["unit"] == "share" and percent["metric"]["loss"] == pytest.approx(0.005)
    number = metric("unit = 'number'", required=("--require", "drop<=0.6"))
    assert number["metric"]["unit"] == "number" and number["metric"]["loss"] == pytest.approx(0.5)
    arguments = ("validate", model, "--data", labelled, "--metric", "score.py", "--latency", 0)
    assert "loses       0.5000 units of score.py" in preon(*arguments).stdout
    preon.fails(2, 1002, *arguments, "--require", "drop<=1%", says="the metric is a number without a unit")
    for unit, says in (("", "returned 78.1, wanted a share from 0 to 1"), ("unit = 'points'", "unit: got 'points', wanted share, percent")):
        (tmp_path / "score.py").write_text(f"{unit}\ndef evaluate(model):\n    return 78.1\n")
        preon.fails(2, 1002, *arguments, says=says)
    assert "a variable `unit` in the script says" in preon(*arguments).stderr


def test_the_command_of_the_step_data_takes_the_place_of_all_samples(preon, model, tmp_path):
    """--input and --data can't be used together, and all of --eval-data counted."""
    np.savez(tmp_path / "raw.npz", input=samples(60) * 100)
    np.savez(tmp_path / "right.npz", input=samples(60, seed=3))
    result = validate(preon, model, "--input", "input=raw.npz", "--samples", 50, "--eval-data", "right.npz", "--latency", 0)
    command = result["steps"][0]["command"]
    assert command == f"preon quantize {model} -o OUT.onnx --data right.npz" and preon(*shlex.split(command)[1:], "--always-write").returncode == 0


def test_wrong_samples_in_calibration_are_the_first_step(preon, model, tmp_path):
    np.savez(tmp_path / "raw.npz", input=samples(60) * 100)
    np.savez(tmp_path / "right.npz", input=samples(60, seed=3))
    result = validate(preon, model, "--data", "raw.npz", "--eval-data", "right.npz", "--latency", 0)
    assert result["verdict"] == "adjust" and kinds(result)[0] == "data"
    step = result["steps"][0]
    assert step["enough"] and step["gain_db"] > 10 and step["command"].endswith("--data right.npz")


@pytest.mark.thorough
def test_a_layer_that_hurts_is_left_in_float_and_then_it_ships(preon, tmp_path):
    onnx.save(loud_channel_model(2000), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", np.random.default_rng(2).normal(size=(60, 3, 16, 16)).astype(np.float32))
    result = validate(preon, "model.onnx", "--data", "x.npy", "--budget", 0, "--latency", 0)
    assert result["verdict"] == "adjust"
    step = next(step for step in result["steps"] if step["kind"] == "float_layers")
    assert step["enough"] and "--exclude 'loud'" in step["command"] and step["gain_db"] > 3
    excluded = [word for name in ("loud", "undone") if f"--exclude '{name}'" in step["command"] for word in ("--exclude", name)]
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "x.npy", "--budget", 0, *excluded)
    assert done.returncode == 0, done.stderr
    assert validate(preon, "model.onnx", "out.onnx", "--data", "x.npy", "--latency", 0)["verdict"] == "ship"


@pytest.mark.parametrize("name", ["loud", "loud" * 300])
def test_the_command_of_layers_in_float_makes_the_model_that_was_measured(preon, tmp_path, name):
    """Names that are too long to paste are left to the budget that found them."""
    float_model = loud_channel_model(2000)
    float_model.graph.node[0].name = name
    onnx.save(float_model, tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", np.random.default_rng(2).normal(size=(60, 3, 16, 16)).astype(np.float32))
    step = next(step for step in validate(preon, "model.onnx", "--data", "x.npy", "--budget", 0, "--latency", 0)["steps"] if step["kind"] == "float_layers")
    assert ("--budget" in step["command"]) == (f"--exclude '{name}'" in step["command"]) == (name == "loud")
    done = preon(*shlex.split(step["command"])[1:], "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    assert name in [node["node"] for node in json.loads(done.stdout)["placement"]["float"]]


def test_the_command_of_a_step_does_not_fail_by_what_is_required(preon, tmp_path):
    onnx.save(loud_channel_model(2000), tmp_path / "model.onnx")
    np.save(tmp_path / "x.npy", np.random.default_rng(2).normal(size=(60, 3, 16, 16)).astype(np.float32))
    result = validate(preon, "model.onnx", "--data", "x.npy", "--budget", 0, "--require", "sqnr>=60", "--latency", 0)
    step = next(step for step in result["steps"] if step["kind"] == "float_layers")
    assert not step["enough"] and preon(*shlex.split(step["command"])[1:]).returncode == 0


def test_two_bits_escalate_to_training(preon, model, labelled):
    result = validate(preon, model, "--data", labelled, "--weight", "int2", "--target", "simulate", "--latency", 0, "--require", "sqnr>=35")
    assert result["verdict"] == "escalate" and result["steps"][-1]["kind"] == "training"
    assert "35" in result["why_not"][0]
    assert result["steps"][-2]["kind"] == "weight_bits" and result["steps"][-1]["advice"].startswith("nothing that keeps the bits of the weights is enough")


@pytest.mark.thorough
def test_a_speed_that_nothing_reaches(preon, model, labelled):
    """Neither does the float model, so that to keep it is no step."""
    for required in ("speed>=1000", "latency<=0.00001ms"):
        result = validate(preon, model, "--data", labelled, "--latency", 0.02, "--require", required)
        assert result["verdict"] == "escalate" and kinds(result) == ["faster_machine"]


@pytest.mark.thorough
def test_requirements_replace_the_usual_bar(preon, model, labelled):
    strict = validate(preon, model, "--data", labelled, "--require", "size<=1%", "--latency", 0)
    assert not strict["meets_requirements"]
    assert strict["verdict"] == "escalate" and "required size<=1%" in strict["why_not"][0]
    assert validate(preon, model, "--data", labelled, "--require", "sqnr>=1", "--latency", 0)["verdict"] == "ship"


@pytest.mark.thorough
def test_a_slow_model_of_another_tool(preon):
    models = data_root.data_root() / "models"
    other = models / "mobilenetv2_v1w_int8_dynamic_ort.onnx"
    if not other.exists():
        pytest.skip(f"{other} is not there")
    for _ in range(3):
        result = validate(preon, models / "mobilenetv2_1.0.onnx", other, "--data", "random:24", "--latency", 0.2, "--threads", 1)
        if not result["latency"][0]["speedup"]["busy"]:
            break
    else:
        pytest.skip("the machine was busy: no measurement of speed counts")
    assert any("slower than the float model" in why for why in result["why_not"]) and kinds(result)[0] == "latency"


def test_what_it_cannot_do_is_said(preon, model, labelled):
    preon.fails(2, 1003, "validate", model, says="validate: no samples")
    preon.fails(2, 1001, "validate", model, "--data", labelled, "-o", "x.onnx", says="unknown option")


def test_a_model_that_preon_can_t_quantize_is_judged_all_the_same(preon, tmp_path):
    """Of another tool: the verdict stands, and the result says why no step was tried."""
    for name, factor in (("float.onnx", 1.0), ("other.onnx", 1.5)):
        graph = helper.make_graph([helper.make_node("Mul", ["x", "factor"], ["y"])], "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 4])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["N", 4])], [helper.make_tensor("factor", TensorProto.FLOAT, [1], [factor])])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / name)
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(40, 4)).astype(np.float32))
    result = validate(preon, "float.onnx", "other.onnx", "--data", "x.npy", "--latency", 0)
    assert result["verdict"] == "escalate" and any("no other quantization was tried: float.onnx: none of its 1 nodes" in each for each in result["warnings"])


def test_a_drop_is_required_in_the_unit_of_the_metric(preon, model, labelled, tmp_path):
    import onnxruntime as ort

    values = np.load(tmp_path / labelled)["input"]
    wanted, = ort.InferenceSession(tmp_path / model, providers=["CPUExecutionProvider"]).run(None, {"input": values})
    np.savez(tmp_path / "wanted.npz", logits=wanted + np.float32(0.1) * np.random.default_rng(0).normal(size=wanted.shape).astype(np.float32))
    by_psnr = ("validate", model, "--data", labelled, "--reference", "wanted.npz", "--metric", "psnr", "--latency", 0)
    preon.fails(2, 1002, *by_psnr, "--require", "drop<=1%", says="the metric is measured in dB; wanted a drop in dB, for example drop<=0.3dB")
    assert validate(preon, *by_psnr[1:], "--require", "drop<=9dB")["meets_requirements"]
    preon.fails(2, 1002, "quantize", model, "-o", "out.onnx", "--data", labelled, "--require", "drop<=1dB", says="drop<=1%")


def test_the_step_data_is_tried_where_a_drop_of_a_metric_is_required(preon, model, tmp_path):
    import onnxruntime as ort

    right = samples(60, seed=3)
    logits, = ort.InferenceSession(tmp_path / model, providers=["CPUExecutionProvider"]).run(None, {"input": right})
    np.savez(tmp_path / "raw.npz", input=samples(60) * 100)
    np.savez(tmp_path / "right.npz", input=right, label=logits.argmax(1))
    result = validate(preon, model, "--data", "raw.npz", "--eval-data", "right.npz", "--metric", "f1", "--require", "drop<=5%", "--latency", 0)
    assert kinds(result)[0] == "data" and result["steps"][0]["gain_db"] > 10


def test_quantize_names_no_option_that_it_lacks(preon, model, data):
    done = preon.fails(2, 1003, "quantize", model, "-o", "out.onnx", "--data", data, "--require", "drop<=1%", "--always-write", says="needs samples with labels")
    assert "--metric" not in done.stderr
