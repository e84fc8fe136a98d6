"""`preon validate` on trained models, each with the metric that its users look at."""
import json
import pathlib
import subprocess
import sys

import data_root
import numpy as np
import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
MODELS = data_root.data_root() / "models"


@pytest.fixture
def judged(preon):
    """(model, validate's answer) of one of the bench's models, with its samples and these options."""
    def judge(name, *options, status=0):
        if not (MODELS / f"{name}.onnx").exists():
            pytest.skip(f"{name}.onnx is not there: PREON_DATA names the folder of models and data")
        subprocess.run([sys.executable, BENCH / "prepare_data.py", preon.folder, name], check=True, capture_output=True)
        done = preon("validate", MODELS / f"{name}.onnx", "--data", f"{name}/calib.npz", "--eval-data", f"{name}/eval.npz", "--json", "--quiet",
                     *options, timeout=300)
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)
    return judge


def metric_of(result, name=None):
    """Of the model that the verdict is about, or of the one with this name."""
    return next(model["metric"] for model in result["models"] if model["name"] == (name or result["judged"]))


@pytest.mark.thorough
def test_sst2_by_f1(judged):
    result = judged("sst2_transformer", "--metric", "f1", "--latency", 0)
    metric = metric_of(result)
    assert result["verdict"] == "ship" and 0.77 < metric["float"] < 0.79 and abs(metric["loss"]) < 0.01


@pytest.mark.thorough
def test_a_detector_by_the_boxes_that_float_finds(judged):
    """YOLOX-nano gives offsets in cells; there are no labelled boxes."""
    result = judged("yolox_nano", "--metric", "map", "--latency", 0)
    given, plain = metric_of(result), metric_of(result, "method minmax")
    assert given["float"] == 1 and given["of_float"] and given["loss"] < 0.05 and result["verdict"] == "ship"
    assert plain["loss"] > 0.3  # its figure tells good models from bad ones


@pytest.mark.thorough
def test_boxes_of_a_detector_are_those_of_its_usual_decoding(judged, preon):
    """The same boxes as a reference made with NumPy."""
    import onnxruntime as ort

    sys.path.insert(0, str(BENCH))
    from tasks.detect import overlap

    given = judged("ultraface_rfb_320", "--metric", "map", "--latency", 0)
    images = np.load(preon.folder / "ultraface_rfb_320/eval.npz")["input"]
    session = ort.InferenceSession(MODELS / "ultraface_rfb_320.onnx", providers=["CPUExecutionProvider"])
    samples = []
    for image in images:
        scores, boxes = (found[0] for found in session.run(None, {"input": image[None]}))
        order = np.argsort(-scores[:, 1], kind="stable")
        order, kept = order[scores[order, 1] >= 0.3], []
        while len(order):
            kept.append([*boxes[order[0]], 0])
            order = order[1:][overlap(boxes[order[0]], boxes[order[1:]]) <= 0.65]
        samples.append(kept[:100])
    most = max(map(len, samples))
    np.save(preon.folder / "boxes.npy", np.array([kept + [[0, 0, 0, 0, -1]] * (most - len(kept)) for kept in samples], np.float32))
    named = judged("ultraface_rfb_320", "--metric", "map", "--reference", "boxes.npy", "--latency", 0)
    assert not metric_of(named)["of_float"]
    for name in (None, "method minmax"):
        assert metric_of(named, name)["quantized"] == pytest.approx(metric_of(given, name)["quantized"], abs=1e-6)


@pytest.mark.thorough
def test_speech_by_a_script_that_puts_frames_together(judged, preon):
    (preon.folder / "si_sdr.py").write_text(f"""
import pathlib, sys
sys.path.insert(0, {str(BENCH)!r})
from prepare_data import TASKS, data_root, load
from tasks.task import Evaluation
unit = "dB"

def evaluate(model):
    reference = data_root() / "models/dtln_model_2.onnx"
    return TASKS["dtln_model_2"].score(Evaluation(pathlib.Path(model), reference, load("dtln_model_2/eval.npz"), load("dtln_model_2/truth.npz"), data_root()))
""")
    result = judged("dtln_model_2", "--metric", "si_sdr.py", "--latency", 0, "--float-weights", "float32")
    metric = metric_of(result)
    # quantize takes scales that are found in each run: its samples are loud and quiet.
    assert (result["judged"], result["verdict"]) == ("as given, target dynamic", "ship")
    assert metric["name"] == "si_sdr.py" and 9 < metric["float"] < 10.5 and metric["loss"] < 0.1


@pytest.mark.thorough
def test_another_target_is_a_step(judged):
    # More than a few layers in float give, which are kept where measured times allow: by chance on a busy machine. Stored as float16,
    # nearly all may stay float, and the file is half as large all the same.
    result = judged("dtln_model_2", "--target", "ort-cpu", "--latency", 0, "--require", "sqnr>=28", "--float-weights", "float32", status=4)
    assert (result["judged"], result["verdict"]) == ("as given", "adjust")
    step = result["steps"][-1]
    assert (step["kind"], step["enough"]) == ("target", True) and step["gain_db"] > 10 and step["command"].endswith("--target dynamic")


@pytest.mark.thorough
def test_a_result_that_gains_nothing_over_float_is_no_step(judged):
    """Target dynamic quantizes the last layer of ResNet20 alone; the others' weights in float16 would make a smaller file."""
    result = judged("resnet20_cifar10", "--latency", 0, "--require", "sqnr>=40", "--float-weights", "float32", status=4)
    assert result["verdict"] == "escalate" and [step["kind"] for step in result["steps"]] == ["training"]


@pytest.mark.thorough
def test_a_file_that_is_too_large_is_not_made_larger(judged):
    """Layers in float would gain 17 dB, which nobody asked for."""
    result = judged("yolox_nano", "--latency", 0, "--budget", 0, "--require", "size<=1MB", status=4)
    assert result["verdict"] == "escalate" and "float_layers" not in [step["kind"] for step in result["steps"]]


@pytest.mark.thorough
def test_where_nothing_is_gained_float_is_kept(judged):
    for _ in range(3):
        result = judged("mnist_cntk", "--threads", 1)
        if result["steps"]:
            break
    else:
        pytest.skip("the machine was busy: no measurement of speed counts")
    assert result["verdict"] == "adjust" and [step["kind"] for step in result["steps"]] == ["keep_float"]
    # On a busy machine only one of two measurements counts: the one of quantize, or validate's own.
    assert any("nothing to gain" in why or "slower than the float model" in why for why in result["models"][0]["why_not"])


@pytest.mark.thorough
def test_a_language_model_by_its_next_tokens(judged):
    metric = metric_of(judged("chargpt_shakespeare", "--metric", "nll", "--samples", 100, "--latency", 0))
    assert metric["unit"] == "nats" and 1.5 < metric["float"] < 1.8 and metric["loss"] < 0.01


@pytest.mark.slow
def test_mobilenet_within_a_minute_and_300_mb(judged):
    result = judged("mobilenetv2_1.0")
    assert result["verdict"] == "ship" and len(result["models"]) == 5
    assert sum(result["seconds"].values()) - result["seconds"].get("total", 0) < 60 and result["peak_rss_bytes"] < 300e6
