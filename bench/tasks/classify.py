"""Classifiers: images and sentences."""
import gzip
import pathlib

import numpy as np
from PIL import Image

from tasks.task import Prepared, Task, outputs, pick, top1

GLYPHS = pathlib.Path(__file__).resolve().parents[2] / "examples/glyphs"
IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def normalized(pixels, mean=IMAGENET_MEAN, std=IMAGENET_STD):
    """uint8[N, C, H, W], 0-255, to float32 with the mean and deviation of each channel."""
    scale = lambda values: np.array(values, np.float32)[:, None, None]
    return ((pixels.astype(np.float32) / 255 - scale(mean)) / scale(std)).astype(np.float32)


def imagenet(data):
    """500 images of 224 x 224, named class index first. Returns pixels uint8[N, 3, 224, 224] and classes."""
    files = sorted((data / "images/imagenet224").glob("*.jpg"))
    pixels = np.stack([np.asarray(Image.open(f).convert("RGB")).transpose(2, 0, 1) for f in files])
    return pixels, np.array([int(f.name[:4]) for f in files])


def split(arrays, calib, evaluate):
    """The rows to calibrate on lose their labels: calibration must not see them."""
    return Prepared({k: v for k, v in pick(arrays, calib).items() if k != "label"}, pick(arrays, evaluate))


def prepare_mobilenet(data, built):
    pixels, label = imagenet(data)
    rows = np.arange(len(label))
    return split({"input": normalized(pixels), "label": label}, rows < 100, rows >= 100)


def probe_group(label):
    """The eight groups of ImageNet's classes that the probe tells apart, recovered from the images its head was fitted on:
    birds, reptiles, insects, dogs, other mammals, sea animals, food and plants, things."""
    groups = np.full(1000, 7)
    for group, spans in enumerate((
            [(7, 25), (80, 101), (127, 147)], [(25, 69)], [(69, 80), (300, 327)], [(151, 281)],
            [(101, 107), (147, 151), (281, 300), (330, 389)], [(0, 7), (107, 127), (327, 330), (389, 398)],
            [(924, 970), (984, 999)])):
        for first, last in spans:
            groups[first:last] = group
    return groups[label]


def prepare_lite0(data, built):
    """Crops of photos, whose classes are not known: what counts is the float model's class."""
    files = sorted((data / "images/imagenet224").glob("*.jpg"))
    arrays = {"input": normalized(np.stack([np.asarray(Image.open(f).convert("RGB")).transpose(2, 0, 1) for f in files]))}
    return Prepared(pick(arrays, slice(0, 100)), pick(arrays, slice(100, None)))


def as_float(evaluation):
    """Of every sample whether its class is the float model's, in percent; float scores 100."""
    ours, theirs = (outputs(path, evaluation.arrays, 8)[0].argmax(1) for path in (evaluation.model, evaluation.reference))
    return 100.0 * (ours == theirs)


def prepare_glyphs(data, built):
    """The example that comes with the project."""
    calib, test = (dict(np.load(GLYPHS / f"{part}.npz")) for part in ("calib", "test"))
    return Prepared({"image": calib["image"]}, {"image": test["image"], "label": test["label"]})


def prepare_resnet_probe(data, built):
    # The head was fitted on the images of even index: judged on odd ones only.
    pixels, label = imagenet(data)
    rows = np.arange(len(label))
    return split({"data": normalized(pixels), "label": probe_group(label)}, rows[::2][:100], rows[1::2])


def cifar(data, mean, std):
    records = np.fromfile(data / "images/cifar10_test_jpegq75_dev2000.bin", np.uint8).reshape(-1, 3073)
    pixels = records[:, 1:].reshape(-1, 3, 32, 32)
    arrays = {"input": normalized(pixels, mean, std), "label": records[:, 0].astype(np.int64)}
    rows = np.arange(len(records))
    return split(arrays, rows < 500, rows >= 500)


def prepare_mnist(data, name, scale):
    def read(file, header):
        return np.frombuffer(gzip.open(data / "images/mnist" / file).read(), np.uint8)[header:]
    pixels = read("dev5000-images-idx3-ubyte.gz", 16).reshape(-1, 1, 28, 28)
    label = read("dev5000-labels-idx1-ubyte.gz", 8).astype(np.int64)
    rows = np.arange(len(label))
    return split({name: pixels.astype(np.float32) * scale, "label": label}, rows < 500, rows >= 500)


def prepare_sst2(data, built):
    """Calibrates on training sentences, judges on all of the development set."""
    words = (data / "text/sst2_vocab.txt").read_text(encoding="utf-8").splitlines()
    index = {word: i for i, word in enumerate(words)}

    def encode(sentence, length=64):
        ids = ([index["[CLS]"]] + [index.get(word, index["[UNK]"]) for word in sentence.split()])[:length]
        return ids + [0] * (length - len(ids)), [1] * len(ids) + [0] * (length - len(ids))

    def sentences(file):
        return [line.rsplit("\t", 1)[0] for line in (data / "text" / file).read_text(encoding="utf-8").splitlines()]

    dev = np.load(data / "text/sst2_dev_ids_mask_label.npy").astype(np.int64)
    ids, mask = dev[:, :64], dev[:, 64:128]
    again = np.array([encode(sentence) for sentence in sentences("sst2_dev.tsv")])
    assert (again[:, 0] == ids).all() and (again[:, 1] == mask).all(), "the tokenizer differs from the one of the model"
    train = sentences("sst2_train.tsv")
    calib = np.array([encode(sentence) for sentence in train[:: len(train) // 100][:100]], np.int64)
    return Prepared({"input_ids": calib[:, 0], "attention_mask": calib[:, 1]},
                    {"input_ids": ids, "attention_mask": mask, "label": dev[:, 128]})


def prepare_minilm(data, built):
    """Its sets come with the models."""
    if (data / "text/minilm_sst2_calib.npz").exists():
        built = data / "text"
    calib, evaluate = np.load(built / "minilm_sst2_calib.npz"), np.load(built / "minilm_sst2_dev.npz")
    return Prepared({k: calib[k][:100] for k in calib}, {k: evaluate[k] for k in evaluate})


TASKS = [
    Task("mobilenetv2_1.0", "top-1 %", prepare_mobilenet, lambda evaluation: top1(evaluation, batch=1)),
    Task("resnet50v2_stage3_probe", "top-1 %", prepare_resnet_probe, top1),
    Task("resnet20_cifar10", "top-1 %", lambda data, _: cifar(data, IMAGENET_MEAN, IMAGENET_STD), top1),
    Task("vit_cifar10_ibp_3_3_8", "top-1 %",
         lambda data, _: cifar(data, (0.4914, 0.4822, 0.4465), (0.2023, 0.1994, 0.2010)), top1),
    Task("mnist_cntk", "top-1 %", lambda data, _: prepare_mnist(data, "Input3", np.float32(1)),
         lambda evaluation: top1(evaluation, batch=1)),
    Task("lenet_mnist", "top-1 %", lambda data, _: prepare_mnist(data, "data", np.float32(1 / 255)), top1),
    Task("sst2_transformer", "accuracy %", prepare_sst2, top1),
    Task("efficientnet_lite0", "class as float %", prepare_lite0, as_float),
    Task("glyphs", "top-1 %", prepare_glyphs, top1, str(GLYPHS / "model.onnx")),
    Task("minilm_l6", "accuracy %", prepare_minilm, top1),
    Task("minilm_l6_decomposed", "accuracy %", prepare_minilm, top1),
]
