"""Pictures, sound and text out of the packages, in the form and under the names that tests and benchmarks read."""
import gzip
import io
import json
import struct
import wave

import numpy as np
from PIL import Image, ImageDraw, ImageFont

#: Photos and textures; a crop's class is the picture that it was cut from.
PHOTOS = {"scikit-image": ["astronaut.png", "coffee.png", "chelsea.png", "rocket.jpg", "hubble_deep_field.jpg", "retina.jpg", "ihc.png", "motorcycle_left.png",
                           "brick.png", "gravel.png"], "scikit-learn": ["china.jpg", "flower.jpg"]}
FOLDER = {"scikit-image": "skimage/data/", "scikit-learn": "sklearn/datasets/images/"}
CLASSES, WORDS, LENGTH = 10, 4000, 64
ENDINGS = {"python": ".py", "java": ".java", "go": ".go", "rust": ".rs", "cpp": ".cpp", "cs": ".cs", "markdown": ".md", "ipynb": ".ipynb", "toml": ".toml",
           "png": ".png", "jpeg": ".jpg", "html": ".html", "rst": ".rst", "csv": ".csv", "yaml": ".yml"}


def photos(archives):
    """Square pictures, side 512 or more. The first ten are the classes of the crops."""
    found = []
    for package, names in PHOTOS.items():
        for name in names:
            image = Image.open(io.BytesIO(archives[package].read(FOLDER[package] + name))).convert("RGB")
            found.append(image.resize([round(side * 512 / min(image.size)) for side in image.size], Image.LANCZOS))
    return found[-2:] + found[:-2]


def crop(dice, image, size, half=None):
    """A square part, resized: of the left (0) or the right half (1) of the picture, or of all of it."""
    side = int(dice.integers(150, 250))
    low, high = {None: (0, image.width), 0: (0, image.width // 2), 1: (image.width // 2, image.width)}[half]
    left = int(dice.integers(low, max(low + 1, high - side)))
    top = int(dice.integers(0, image.height - side))
    part = image.crop((left, top, left + side, top + side)).resize((size, size), Image.BILINEAR)
    return part.transpose(Image.FLIP_LEFT_RIGHT) if dice.random() < 0.5 else part


def crops(images, size, count, half, seed):
    """(uint8 [count, size, size, 3], class): the pictures in turn."""
    dice = np.random.default_rng(seed)
    labels = np.arange(count) % CLASSES
    return np.stack([np.asarray(crop(dice, images[label], size, half)) for label in labels]), labels


def write_images(archives, folder):
    images = photos(archives)
    for name in ("imagenet224", "coco_mappable", "ocr", "mnist"):
        (folder / "images" / name).mkdir(parents=True, exist_ok=True)
    dice = np.random.default_rng(1)
    for index in range(150):
        crop(dice, images[index % len(images)], 224).save(folder / f"images/imagenet224/crop{index:03}_{index % len(images)}.jpg", quality=92)
    for index, image in enumerate(images * 2):
        scene = image if index < len(images) else image.transpose(Image.FLIP_LEFT_RIGHT)
        scene.crop((0, 0, min(image.width, 640), 480)).save(folder / f"images/coco_mappable/scene{index:02}.jpg", quality=92)
    pixels, labels = crops(images, 32, 2000, 1, 2)
    records = np.concatenate([labels[:, None].astype(np.uint8), pixels.transpose(0, 3, 1, 2).reshape(2000, -1)], 1)
    records.tofile(folder / "images/cifar10_test_jpegq75_dev2000.bin")
    rows = np.loadtxt(io.StringIO(gzip.decompress(archives["scikit-learn"].read("sklearn/datasets/data/digits.csv.gz")).decode()), delimiter=",")
    digits = np.stack([np.asarray(Image.fromarray((row.reshape(8, 8) * 15.9).astype(np.uint8)).resize((28, 28), Image.BICUBIC)) for row in rows[:, :64]])
    for name, content in (("images-idx3", struct.pack(">4i", 2051, len(digits), 28, 28) + digits.tobytes()),
                          ("labels-idx1", struct.pack(">2i", 2049, len(digits)) + rows[:, 64].astype(np.uint8).tobytes())):
        (folder / f"images/mnist/dev5000-{name}-ubyte.gz").write_bytes(gzip.compress(content, mtime=0))
    return images


def write_pages(folder, text):
    """Pages with lines of text, for text detection."""
    words, dice = text.split(), np.random.default_rng(4)
    for name in ("gt_97.jpg", "gt_113.jpg", "gt_198.jpg"):
        page = Image.new("RGB", (960, 720), tuple(int(v) for v in dice.integers(190, 255, 3)))
        draw = ImageDraw.Draw(page)
        for line in range(9):
            start, size = int(dice.integers(0, len(words) - 8)), int(dice.integers(22, 46))
            draw.text((int(dice.integers(10, 200)), 20 + 76 * line), " ".join(words[start:start + 6]), fill=tuple(int(v) for v in dice.integers(0, 90, 3)),
                      font=ImageFont.load_default(size))
        page.save(folder / "images/ocr" / name, quality=92)


def read_wav(content):
    with wave.open(io.BytesIO(content)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16)


def write_wav(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1), file.setsampwidth(2), file.setframerate(16000)
        file.writeframes(np.clip(values, -32768, 32767).astype(np.int16).tobytes())


def write_sound(archive, folder):
    """Speech as it is, and five seconds of it with noise 4 dB below: pink, with a slow rise and fall."""
    (folder / "audio/vad").mkdir(parents=True, exist_ok=True)
    (folder / "audio/vad/silero_test.wav").write_bytes(archive.read("tests/data/test.wav"))
    speech = read_wav(archive.read("examples/c++/aepyx.wav"))
    write_wav(folder / "audio/vad/en_num.wav", speech[16000 * 100:16000 * 112])
    dice = np.random.default_rng(5)
    for name, second in (("0015", 10), ("0072", 40), ("0398", 70)):
        clean = speech[16000 * second:16000 * (second + 5)].astype(np.float64)
        spectrum = np.fft.rfft(dice.normal(size=len(clean)))
        noise = np.fft.irfft(spectrum / np.sqrt(np.arange(len(spectrum)) + 20.0), len(clean)) * (1 + 0.5 * np.sin(np.arange(len(clean)) / 9000))
        noise *= np.sqrt((clean**2).mean() / (noise**2).mean() / 10**0.4)
        write_wav(folder / f"audio/dns3/{name}_clean.wav", clean)
        write_wav(folder / f"audio/dns3/{name}_noisy.wav", clean + noise)


def english(archives):
    """(name, text) of documents in the packages: descriptions of data sets, and README files."""
    learn, others = archives["scikit-learn"], [archives["silero-vad"], archives["scikit-image"], archives["magika"]]
    found = [(name, learn.read(name).decode(errors="ignore")) for name in sorted(learn.names()) if name.startswith("sklearn/datasets/descr/") and name.endswith(".rst")]
    for archive in [learn, *others]:
        found += [(name, archive.read(name).decode(errors="ignore")) for name in sorted(archive.names()) if name.endswith(("METADATA", "README.md"))]
    modules = [name for name in sorted(learn.names()) if name.startswith("sklearn/linear_model/_") and name.endswith(".py")]
    return found + [(name, learn.read(name).decode(errors="ignore")) for name in modules[:12]]


def write_text(archives, folder, vocabulary):
    """Plain text with its characters, and sentences as word numbers: class 1 are those of program text, 0 those of documents."""
    (folder / "text").mkdir(parents=True, exist_ok=True)
    documents = english(archives)
    kept = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,:;'-!?\n()")
    text = "".join(letter for _, each in documents for letter in each if letter in kept)
    (folder / "text/tinyshakespeare.txt").write_text(text)
    (folder / "text/charset.json").write_text(json.dumps(sorted(set(text))))
    counts = {}
    lines = [(line.lower(), int(name.endswith(".py"))) for name, each in documents for line in each.splitlines() if len(line.split()) >= 5]
    for line, _ in lines:
        for word in split_words(line):
            counts[word] = counts.get(word, 0) + 1
    known = [word for word in sorted(counts, key=lambda w: (-counts[w], w)) if word in vocabulary]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *known][:WORDS]
    (folder / "text/sst2_vocab.txt").write_text("\n".join(words) + "\n")
    index, rows = {word: i for i, word in enumerate(words)}, []
    order = np.random.default_rng(6).permutation(len(lines))
    for line, label in (lines[i] for i in order):
        ids = ([2] + [index.get(word, 1) for word in split_words(line)] + [3])[:LENGTH]
        rows.append(ids + [0] * (LENGTH - len(ids)) + [1] * len(ids) + [0] * (LENGTH - len(ids)) + [label])
    rows = np.array(rows, np.int32)
    half = [rows[rows[:, 128] == label] for label in (0, 1)]
    count = min(436, *(len(each) // 2 for each in half))
    paired = lambda first: np.stack([each[first:first + count] for each in half], 1).reshape(-1, 129)
    np.save(folder / "text/sst2_dev_ids_mask_label.npy", paired(0))
    return words, paired(count), text


def split_words(line):
    return "".join(letter if letter.isalnum() else f" {letter} " for letter in line).split()


def write_files(archives, folder):
    """Files whose type their ending tells, below magika_basic/TYPE."""
    for kind, ending in ENDINGS.items():
        found = [(archive, name) for archive in archives.values() for name in sorted(archive.names()) if name.endswith(ending)]
        for number, (archive, name) in enumerate([each for each in found if len(each[0].read(each[1])) > 400][:3]):
            target = folder / "text/magika_basic" / kind / f"{number}{ending}"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(name)[:200000])
    (folder / "text/magika_v3_3_config.json").write_bytes(archives["magika"].read("magika/models/standard_v3_3/config.min.json"))
