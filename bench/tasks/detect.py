"""Detectors: objects, faces, areas of text."""
import numpy as np
from PIL import Image

from tasks.classify import IMAGENET_MEAN, IMAGENET_STD, normalized
from tasks.task import Prepared, Task, outputs

YOLOX_SIZE = 416
YOLOX_FOUND = 0.3
FACE_SCORE = 0.7
OVERLAP = 0.5
TEXT_TILE = 480
TEXT_SCORE = 0.3
YOLOV8_SCORE = 0.25


def letterbox(image, size, fill=114):
    """Fits an image into a square, top left, keeping its aspect. Returns BGR float32[3, size, size], 0-255."""
    ratio = min(size / image.width, size / image.height)
    small = image.convert("RGB").resize((round(image.width * ratio), round(image.height * ratio)), Image.BILINEAR)
    canvas = np.full((size, size, 3), fill, np.float32)
    canvas[: small.height, : small.width] = np.asarray(small)[:, :, ::-1]
    return canvas.transpose(2, 0, 1)


def yolox_halves(data):
    """Every second labelled image, and the others: (images, classes) twice."""
    names = (data / "images/coco.names").read_text().split("\n")
    files = sorted((data / "images/coco_mappable").glob("*.jpg"))
    images = np.stack([letterbox(Image.open(f), YOLOX_SIZE) for f in files])
    # Class names with a space are written with an underscore in file names.
    label = np.array([names.index(f.stem[5:].replace("_", " ")) for f in files])
    return [({"images": images[half::2]}, {"class": label[half::2]}) for half in (0, 1)]


def prepare_yolox(data, built):
    (calib, _), (judge, truth) = yolox_halves(data)
    return Prepared(calib, judge, truth)


def prepare_yolox_swapped(data, built):
    """The halves in the other roles: 26 images are few, and one object of them is 3.8 %."""
    (judge, truth), (calib, _) = yolox_halves(data)
    return Prepared(calib, judge, truth)


def score_yolox(evaluation):
    """Share of images in which the class in the file's name is found with a score above YOLOX_FOUND."""
    boxes = outputs(evaluation.model, evaluation.arrays)[0]  # [N, 3549, 4 coordinates + objectness + 80 classes]
    best = (boxes[:, :, 4:5] * boxes[:, :, 5:]).max(1)
    return 100 * float((best[np.arange(len(best)), evaluation.truth["class"]] > YOLOX_FOUND).mean())


def faces_of(image):
    pixels = np.asarray(image.convert("RGB").resize((320, 240), Image.BILINEAR), np.float32)
    return ((pixels - 127) / 128).transpose(2, 0, 1)


def prepare_ultraface(data, built):
    files = sorted((data / "images/faces").glob("*.jpg"), key=lambda f: int(f.stem))
    # Twelve crowds only: calibrate on four and their mirror images, judge on the other eight.
    calib = [Image.open(f) for f in files[::3]]
    mirrored = [image.transpose(Image.FLIP_LEFT_RIGHT) for image in calib]
    return Prepared({"input": np.stack([faces_of(image) for image in calib + mirrored])},
                    {"input": np.stack([faces_of(Image.open(f)) for i, f in enumerate(files) if i % 3])})


def overlap(box, boxes):
    """Intersection over union of one box [x0, y0, x1, y1] with each of several."""
    low, high = np.maximum(box[:2], boxes[:, :2]), np.minimum(box[2:], boxes[:, 2:])
    common = np.prod(np.clip(high - low, 0, None), 1)
    area = lambda b: (b[..., 2] - b[..., 0]) * (b[..., 3] - b[..., 1])
    return common / (area(box) + area(boxes) - common)


def faces(scores, boxes):
    """Boxes scored above FACE_SCORE, best first, without those that overlap a better one."""
    rows = np.flatnonzero(scores[:, 1] > FACE_SCORE)
    rows = rows[np.argsort(-scores[rows, 1], kind="stable")]
    kept = []
    while len(rows):
        kept.append(boxes[rows[0]])
        rows = rows[1:][overlap(boxes[rows[0]], boxes[rows[1:]]) < OVERLAP]
    return np.array(kept).reshape(-1, 4)


def score_ultraface(evaluation):
    """F1 of the faces found against those that the float model finds, in percent; float scores 100."""
    hits = total = 0
    found, wanted = (zip(*outputs(path, evaluation.arrays)) for path in (evaluation.model, evaluation.reference))
    for ours, theirs in zip(found, wanted):
        ours, theirs = faces(*ours), faces(*theirs)
        total += len(ours) + len(theirs)
        for box in ours:
            if len(theirs) and (overlap(box, theirs) > OVERLAP).any():
                theirs = np.delete(theirs, overlap(box, theirs).argmax(), 0)
                hits += 2
    return 100 * hits / total


def prepare_ppocr(data, built):
    def tiles(file):
        pixels = np.asarray(Image.open(data / "images/ocr" / file).convert("RGB"))[:, :, ::-1].transpose(2, 0, 1)
        steps = [range(0, extent - TEXT_TILE + 1, TEXT_TILE // 2) for extent in pixels.shape[1:]]
        return np.stack([pixels[:, y:y + TEXT_TILE, x:x + TEXT_TILE] for y in steps[0] for x in steps[1]])
    prepared = lambda *files: {"x": normalized(np.concatenate([tiles(f) for f in files]), IMAGENET_MEAN, IMAGENET_STD)}
    return Prepared(prepared("gt_97.jpg", "gt_198.jpg"), prepared("gt_113.jpg"))


def score_ppocr(evaluation):
    """Intersection over union of the text areas with the float model's, in percent; float scores 100."""
    ours, theirs = (outputs(path, evaluation.arrays)[0] > TEXT_SCORE for path in (evaluation.model, evaluation.reference))
    return 100 * float((ours & theirs).sum() / (ours | theirs).sum())


def prepare_yolov8(data, built):
    """The scenes calibrate, their mirror images judge."""
    images = np.stack([letterbox(Image.open(f), 320, 0)[::-1] / 255 for f in sorted((data / "images/coco_mappable").glob("*.jpg"))]).astype(np.float32)
    return Prepared({"images": images[:len(images) // 2]}, {"images": images[len(images) // 2:]})


def best_boxes(places):
    """Corners of the boxes scored above YOLOV8_SCORE, best first, without those that overlap a better one. places: [4 + classes, N]."""
    places = places.T[places[4:].max(0) > YOLOV8_SCORE]
    places = places[np.argsort(-places[:, 4:].max(1), kind="stable")]
    boxes, kept = np.concatenate([places[:, :2] - places[:, 2:4] / 2, places[:, :2] + places[:, 2:4] / 2], 1), []
    while len(boxes):
        kept.append(boxes[0])
        boxes = boxes[1:][overlap(boxes[0], boxes[1:]) < OVERLAP]
    return np.array(kept).reshape(-1, 4)


def score_yolov8(evaluation):
    """F1 of the boxes found against those of the float model, in percent; float scores 100."""
    hits = total = 0
    for ours, theirs in zip(*(outputs(path, evaluation.arrays)[0] for path in (evaluation.model, evaluation.reference))):
        ours, theirs = best_boxes(ours), best_boxes(theirs)
        total += len(ours) + len(theirs)
        hits += 2 * sum(len(theirs) > 0 and (overlap(box, theirs) > OVERLAP).any() for box in ours)
    return 100 * hits / total


TASKS = [
    Task("yolox_nano", "class found %", prepare_yolox, score_yolox),
    Task("yolox_nano_swapped", "class found %", prepare_yolox_swapped, score_yolox, "yolox_nano.onnx"),
    Task("ultraface_rfb_320", "faces F1 to float %", prepare_ultraface, score_ultraface),
    Task("ppocr_v3_det", "text area IoU to float %", prepare_ppocr, score_ppocr, any_export=True),
    Task("yolov8n_320", "boxes F1 to float %", prepare_yolov8, score_yolov8),
]
