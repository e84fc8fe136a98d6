"""Pictures of single characters: Debian's fonts, drawn turned, slanted, scaled, shifted, blurred, in poor light and with noise.

The 47 classes are those of EMNIST "balanced": digits, capitals, and the small letters that don't look like their capitals.
Some fonts are kept for the test set: it asks for letters in shapes that the network has never seen.
"""
import pathlib
import subprocess

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

CLASSES = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabdefghnqrt"
SIZE = 32    # pixels on a side
DRAWN = 96   # the character is drawn this large before it is distorted

TRAIN_FONTS = ["cabin", "comic-neue", "croscore", "crosextra-caladea", "crosextra-carlito", "dejavu-core", "dejavu-extra",
               "fantasque-sans", "firacode", "goudybookletter", "inconsolata", "jura", "lato", "liberation", "linuxlibertine",
               "oldstandard", "open-sans", "play", "roboto-unhinted", "yanone-kaffeesatz"]
TEST_FONTS = ["cantarell", "ebgaramond", "hack", "quicksand", "vollkorn"]


def font_files(names, folder):
    """Font files of Debian's packages, fetched by apt and unpacked below `folder`; nothing is installed."""
    files = []
    for name in names:
        target = folder.resolve() / name
        if not target.exists():
            target.mkdir(parents=True)
            subprocess.run(["apt-get", "download", "-q", f"fonts-{name}"], cwd=target, check=True, capture_output=True)
            subprocess.run(["dpkg", "-x", *target.glob("*.deb"), target], check=True)
        files += [f for f in target.rglob("*.[ot]tf") if not any(word in f.name for word in ("Outline", "Keyboard", "Initials"))]
    return sorted(files)


def draw(file, character):
    """One character, white on black, centred, as tall as the canvas allows."""
    font = ImageFont.truetype(str(file), 64)
    image = Image.new("L", (DRAWN, DRAWN))
    left, top, right, bottom = font.getbbox(character)
    position = ((DRAWN - left - right) / 2, (DRAWN - top - bottom) / 2)
    ImageDraw.Draw(image).text(position, character, font=font, fill=255)
    return image


def distort(image, rng):
    """A view of the drawn character as a careless photographer would take it: uint8[SIZE, SIZE]."""
    angle, slant = rng.normal(0, 0.12), rng.normal(0, 0.15)
    zoom = rng.uniform(1.9, 3.2) * np.exp(rng.normal(0, 0.08, 2))
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.array([[1, slant], [0, 1]])
    matrix = turn * zoom
    centre = DRAWN / 2 - matrix @ (np.array([SIZE, SIZE]) / 2 + rng.normal(0, 1.2, 2))
    soft = image.filter(ImageFilter.GaussianBlur(float(rng.uniform(0.4, 2.4))))
    coefficients = (matrix[0, 0], matrix[0, 1], centre[0], matrix[1, 0], matrix[1, 1], centre[1])
    ink = np.asarray(soft.transform((SIZE, SIZE), Image.AFFINE, coefficients, Image.BILINEAR), np.float64) / 255
    low = rng.uniform(0, 120)
    high = rng.uniform(low + 60, 255)
    if rng.random() < 0.5:  # dark on light as often as light on dark
        low, high = high, low
    shade = np.linspace(-1, 1, SIZE) * rng.normal(0, 12)
    light = low + ink * (high - low) + (shade if rng.random() < 0.5 else shade[:, None])
    return np.clip(np.rint(light + rng.normal(0, rng.uniform(0, 3), ink.shape)), 0, 255).astype(np.uint8)


class Glyphs:
    """Samples from a set of fonts; the same seed gives the same pictures."""

    def __init__(self, files):
        self.drawn = [[draw(file, character) for character in CLASSES] for file in files]

    def sample(self, per_class, seed):
        """Pictures uint8[N, 1, SIZE, SIZE] and classes int64[N], N = per_class * classes, in random order."""
        rng = np.random.default_rng(seed)
        labels = rng.permutation(np.repeat(np.arange(len(CLASSES)), per_class))
        pictures = [distort(self.drawn[rng.integers(len(self.drawn))][label], rng) for label in labels]
        return np.stack(pictures)[:, None], labels


def open_fonts(folder: pathlib.Path):
    """The training fonts and the test fonts."""
    return Glyphs(font_files(TRAIN_FONTS, folder)), Glyphs(font_files(TEST_FONTS, folder))
