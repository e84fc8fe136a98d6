"""Real models with a few samples each, run through preon and through ONNX Runtime as an independent check."""
import gzip
import json
import pathlib
import re
import wave

import data_root
import stand_ins
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = data_root.data_root()
IMAGENET_MEAN, IMAGENET_STD = np.float32([0.485, 0.456, 0.406]), np.float32([0.229, 0.224, 0.225])


def photos(count):
    folder = DATA / "images/imagenet224"
    if not folder.exists():
        pytest.skip(f"{folder} is not there (./dev data fetches it)")
    paths = sorted(folder.glob("*.jpg"))[:count]
    return np.stack([np.asarray(Image.open(path).convert("RGB"), np.float32) / 255 for path in paths])


def normalized(images):
    return ((images - IMAGENET_MEAN) / IMAGENET_STD).transpose(0, 3, 1, 2).astype(np.float32)


def cifar(count):
    records = np.fromfile(DATA / "images/cifar10_test_jpegq75_dev2000.bin", np.uint8, count * 3073).reshape(count, 3073)
    return normalized(records[:, 1:].reshape(count, 3, 32, 32).transpose(0, 2, 3, 1).astype(np.float32) / 255)


def sentences(count):
    rows = np.load(DATA / "text/sst2_dev_ids_mask_label.npy")[:count].astype(np.int64)
    return {"input_ids": rows[:, :64], "attention_mask": rows[:, 64:128]}


def faces(count):
    images = [Image.fromarray((photo * 255).astype(np.uint8)).resize((320, 240)) for photo in photos(count)]
    return ((np.stack([np.asarray(image, np.float32) for image in images]) - 127) / 128).transpose(0, 3, 1, 2)


def digits(count):
    with gzip.open(next((DATA / "images/mnist").glob("*images*.gz"))) as file:
        return np.frombuffer(file.read()[16:16 + count * 784], np.uint8).reshape(count, 1, 28, 28).astype(np.float32) / 255


def scenes(count):
    paths = sorted((DATA / "images/coco_mappable").glob("*.jpg"))[:count]
    images = [np.asarray(Image.open(path).convert("RGB").resize((416, 416)), np.float32)[..., ::-1] for path in paths]
    return np.stack(images).transpose(0, 3, 1, 2)


def frames(count):
    """Magnitudes of frames of speech, and the state of the recurrent layers, which is 0 at first."""
    with wave.open(str(sorted((DATA / "audio").rglob("*.wav"))[0])) as file:
        sound = np.frombuffer(file.readframes(16000), np.int16).astype(np.float32) / 32768
    starts = range(4000, 4000 + 700 * count, 700)
    return {"input_2": np.stack([np.abs(np.fft.rfft(sound[start:start + 512])).astype(np.float32)[None] for start in starts]),
            "input_3": np.random.default_rng(0).normal(0, 0.1, (count, 2, 128, 2)).astype(np.float32)}


def signs(count):
    images = [np.asarray(Image.open(path).convert("RGB").resize((160, 96)), np.float32)[..., ::-1] / 255
              for path in sorted((DATA / "images/ocr").glob("*.jpg"))[:count]]
    return normalized(np.stack(images))


def characters(count):
    places = {character: index for index, character in enumerate(json.loads((DATA / "text/charset.json").read_text()))}
    text = (DATA / "text/tinyshakespeare.txt").read_text()
    return np.array([[places[character] for character in text[1000 * row:1000 * row + 32]] for row in range(count)], np.int64)


SAMPLES = {
    "dtln_model_1": lambda: frames(12),
    "ppocr_v3_det": lambda: {"x": signs(3)},
    "chargpt_shakespeare": lambda: {"tokens": characters(4)},
    "lenet_mnist": lambda: {"data": digits(20)},
    "yolox_nano": lambda: {"images": scenes(3)},
    "mobilenetv2_1.0": lambda: {"input": normalized(photos(3))},
    "resnet50v2_stage3_probe": lambda: {"data": normalized(photos(3))},
    "resnet20_cifar10": lambda: {"input": cifar(16)},
    "vit_cifar10_ibp_3_3_8": lambda: {"input": cifar(16)},
    "sst2_transformer": lambda: sentences(12),
    "super_resolution_10": lambda: {"input": photos(2)[..., 1][:, None]},
    "ultraface_rfb_320": lambda: {"input": faces(6)},
}


class RealModel:
    """A model, its samples as calib.npz in preon's folder, and what preon says about them."""

    def __init__(self, name, preon):
        self.path = model_file(name)
        self.preon = preon
        self.samples = SAMPLES[name]()
        np.savez(preon.folder / "calib.npz", **self.samples)

    def calibrate(self, output="a.calib", *options):
        done = self.preon("calibrate", self.path, "-o", output, "--data", "calib.npz", *options, timeout=300)
        assert done.returncode == 0, done.stderr
        return output

    def quantize(self, output, *options):
        """The bytes of the quantized model."""
        done = self.preon("quantize", self.path, "-o", output, *options, timeout=300)
        assert done.returncode == 0, done.stderr
        return (self.preon.folder / output).read_bytes()

    def passes(self):
        """Names of all rewrites of ours."""
        repeated = self.preon("calibrate", "--disable-pass", "help").stdout.split("repeated until nothing changes:")[1].split("passes of")[0]
        return re.findall(r"^  (\w+)", repeated, re.MULTILINE)

    def calibrate_source_graph(self, *options):
        """As calibrate, but the graph is the file's: no rewrites of ours, so that values can be held against the runtime's."""
        passes = [f"--disable-pass={name}" for name in self.passes()]
        return self.calibrate("a.calib", *passes, *options)

    def json(self, *arguments):
        done = self.preon(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def ranges(self, calib, method, **method_options):
        """tensor -> {min, max, scale, zero_point} of the tensors that were observed (others share one of these)."""
        pairs = [f"--method-option={name}={value}" for name, value in method_options.items()]
        observed = self.json("inspect", calib)["tensors"]
        chosen = self.json("ranges", calib, "--method", method, *pairs)["tensors"]
        return {name: entry for name, entry in chosen.items() if name in observed}

    def source_tensors(self):
        """Names of the file's tensors."""
        graph = onnx.load(self.path).graph
        return {name for node in graph.node for name in node.output} | {value.name for value in graph.input}

    def feeds(self):
        """One sample after the other."""
        for index in range(len(next(iter(self.samples.values())))):
            yield {name: values[index:index + 1] for name, values in self.samples.items()}

    def values(self, tensors, threads=0):
        """Every value of these tensors, from the runtime with its optimizer off: tensor -> flat float32 array."""
        model = onnx.load(self.path)
        outputs = {output.name for output in model.graph.output}
        model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in tensors if name not in outputs)
        options = ort.SessionOptions()
        options.log_severity_level = 3
        options.intra_op_num_threads = threads
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        wanted = [name for name in tensors if name not in self.samples]
        seen = {name: [] for name in tensors}
        for feed in self.feeds():
            found = dict(zip(wanted, session.run(wanted, feed)), **feed)
            for name in tensors:
                seen[name].append(found[name].ravel())
        return {name: np.concatenate(parts) for name, parts in seen.items()}


def model_file(name):
    path = DATA / "models" / f"{name}.onnx"
    if not path.exists():
        pytest.skip(f"{path} is not there (./dev data fetches it)")
    return path


def pytest_collection_modifyitems(items):
    if data_root.is_fetched(DATA):
        skip = pytest.mark.skip(reason="measures the trained model itself; ./dev data has another in its place")
        for item in filter(stand_ins.is_of_the_model_itself, items):
            item.add_marker(skip)


@pytest.fixture
def model_path():
    """name -> the file; skips where it is absent."""
    return model_file


@pytest.fixture
def real_model(preon):
    """name -> RealModel; skips where the data is absent."""
    return lambda name: RealModel(name, preon)


@pytest.fixture
def photo_strata():
    """The same photos darkened and with raised contrast, as a classifier takes them."""
    images = photos(24)
    return {"dark": normalized(images * 0.25), "contrast": normalized(np.clip((images - 0.45) * 2.5 + 0.45, 0, 1))}


@pytest.fixture
def many_sentences():
    return sentences(48) if (DATA / "text").exists() else pytest.skip(f"{DATA}/text is not there (./dev data fetches it)")
