"""`--metric map` against pycocotools, and `wer` with its reference, through models whose outputs are their inputs."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

SAMPLES, CLASSES = 24, 3
#: Of the boxes below, by pycocotools 2.0.
COCO = (0.17443484250821195, 0.173987008942891)


def boxes():
    """Boxes that are there, and what a detector might find of them: shifted, missed, of another class, or not there."""
    random = np.random.default_rng(5)
    there, found = np.full((SAMPLES, 6, 5), -1, np.float32), np.zeros((SAMPLES, 12, 6), np.float32)
    for sample in range(SAMPLES):
        count = 0
        for place in range(random.integers(1, 7)):
            (x, y), (width, height), label = random.uniform(0, 80, 2), random.uniform(8, 40, 2), random.integers(0, CLASSES)
            there[sample, place] = [x, y, x + width, y + height, label]
            if random.random() < 0.8:
                shift = random.normal(0, 2.5, 4)
                score = random.uniform(0.3, 1)
                found[sample, count] = [x + shift[0], y + shift[1], x + width + shift[2], y + height + shift[3], score,
                                        label if random.random() < 0.85 else (label + 1) % CLASSES]
                count += 1
        for _ in range(random.integers(0, 4)):
            x, y = random.uniform(0, 80, 2)
            found[sample, count] = [x, y, x + 20, y + 20, random.uniform(0.05, 0.8), random.integers(0, CLASSES)]
            count += 1
    return there, found


def scaling(path, factors, shape, elements=TensorProto.FLOAT):
    """A model that multiplies its input."""
    node = helper.make_node("Mul", ["x", "factors"], ["y"])
    graph = helper.make_graph([node], "g", [helper.make_tensor_value_info("x", elements, shape)],
                              [helper.make_tensor_value_info("y", elements, shape)],
                              [helper.make_tensor("factors", elements, [len(factors)], factors)])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def by_coco(there, found):
    coco, evaluation = pytest.importorskip("pycocotools.coco"), pytest.importorskip("pycocotools.cocoeval")
    corners = lambda box: [float(box[0]), float(box[1]), float(box[2]) - float(box[0]), float(box[3]) - float(box[1])]
    entries = [{"id": place + 1, "image_id": sample, "category_id": int(box[4]), "bbox": corners(box),
                "area": float((box[2] - box[0]) * (box[3] - box[1])), "iscrowd": 0}
               for place, (sample, box) in enumerate((sample, box) for sample in range(SAMPLES) for box in there[sample] if box[4] >= 0)]
    truth = coco.COCO()
    truth.dataset = {"images": [{"id": sample} for sample in range(SAMPLES)], "categories": [{"id": label} for label in range(CLASSES)],
                     "annotations": entries, "info": {}}
    truth.createIndex()
    answers = [{"image_id": sample, "category_id": int(box[5]), "bbox": corners(box), "score": float(box[4])}
               for sample in range(SAMPLES) for box in found[sample] if box[4] > 0]
    judge = evaluation.COCOeval(truth, truth.loadRes(answers), "bbox")
    judge.evaluate()
    judge.accumulate()
    judge.summarize()
    return judge.stats[0]


def metric_of(preon, *arguments):
    done = preon("validate", "float.onnx", "other.onnx", "--data", "x.npz", "--eval-data", "x.npz", "--reference", "reference.npz", "--latency", 0,
                 "--json", "--quiet", *arguments)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["models"][0]["metric"]


@pytest.fixture
def detections(preon):
    there, found = boxes()
    np.savez(preon.folder / "x.npz", x=found)
    np.savez(preon.folder / "reference.npz", y=there)
    scaling(preon.folder / "float.onnx", [1, 1, 1, 1, 1, 1], ["N", 12, 6])
    scaling(preon.folder / "other.onnx", [1.02, 1, 1.02, 1, 1, 1], ["N", 12, 6])
    return there, found


@pytest.mark.parametrize("batch", [1, 4])
def test_average_precision_is_that_of_coco(preon, detections, batch):
    metric = metric_of(preon, "--metric", "map", "--batch", batch)
    assert abs(metric["float"] - COCO[0]) < 1e-9 and abs(metric["quantized"] - COCO[1]) < 1e-9
    assert metric["loss_interval"][0] < metric["loss"] < metric["loss_interval"][1]


def test_the_figures_are_those_of_pycocotools(detections):
    there, found = detections
    for factors, wanted in zip(([1] * 6, [1.02, 1, 1.02, 1, 1, 1]), COCO):
        assert abs(by_coco(there, found * np.array(factors, np.float32)) - wanted) < 1e-12


def test_word_errors(preon):
    """Ten tokens; in the second model one sample's first token is another one."""
    scores = np.zeros((4, 6, 5), np.float32)
    for sample, tops in enumerate(([1, 1, 0, 2, 0, 3], [4, 0, 4, 0, 0, 0], [2, 3, 0, 0, 0, 1], [1, 2, 2, 0, 0, 0])):
        scores[sample, range(6), tops] = 1
    np.savez(preon.folder / "x.npz", x=scores)
    np.savez(preon.folder / "reference.npz", y=np.array([[1, 2, 3, -1], [4, 4, -1, -1], [2, 3, 1, -1], [1, 2, -1, -1]]))
    scaling(preon.folder / "float.onnx", [1, 1, 1, 1, 1], ["N", 6, 5])
    scaling(preon.folder / "other.onnx", [1, 1, 1, -1, 1], ["N", 6, 5])
    metric = metric_of(preon, "--metric", "wer")
    assert metric["float"] == 0 and abs(metric["quantized"] - 0.2) < 1e-12 and abs(metric["loss"] - 0.2) < 1e-12


def test_what_does_not_fit(preon, detections):
    np.savez(preon.folder / "reference.npz", y=np.zeros((SAMPLES, 2, 4), np.float32))
    common = ["validate", "float.onnx", "other.onnx", "--data", "x.npz", "--eval-data", "x.npz", "--metric", "map"]
    preon.fails(2, 3004, *common, "--reference", "reference.npz")


def test_without_a_reference_float_finds_what_there_is(preon, detections):
    done = preon("validate", "float.onnx", "other.onnx", "--data", "x.npz", "--eval-data", "x.npz", "--metric", "map", "--json", "--latency", 0)
    metric = json.loads(done.stdout)["models"][0]["metric"]
    assert metric["of_float"] and metric["float"] == 1 > metric["quantized"] > 0
