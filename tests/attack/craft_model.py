#!/usr/bin/env python3
"""One crafted model: a whole one, chosen by the seed, with one to three changes, or with broken bytes.

  craft_model.py SEED FOLDER      writes what test_crafted_models.py runs for that seed, and says what was changed
"""
import dataclasses
import os
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))  # data_root, where no pytest has said it
import attack_seeds
from hostile_values import NO_UTF8, pick
from model_changes import CHANGES

TARGETS = [["--target", name] for name in ("ort-cpu", "simulate", "quark", "ort", "matmul-nbits", "dynamic")]
OPTIONS = [[], [], *TARGETS, ["--method", "minmax"], ["--method", "percentile"], ["--method", "entropy"], ["--external-data"],
           ["--per-tensor"],
           ["--activation", "int16", "--target", "quark"], ["--activation", "bfloat16", "--target", "quark"],
           ["--format", "qoperator"], ["--opset", "21"],
           ["--symmetric"], ["--nhwc"], ["--compat", "quark", "--method", "minmse"], ["--json"], ["--report", "report.html"],
           ["--verbose"]]


@dataclasses.dataclass
class Crafted:
    seed: int
    name: str
    changes: list
    model: bytes
    weights: bytes | None
    options: list  # of quantize

    def write(self, folder):
        """model.onnx and what its external data may name; returns the names."""
        (folder / "model.onnx").write_bytes(self.model)
        (folder / "w.bin").write_bytes(self.weights or b"\1" * 64)
        (folder / "folder").mkdir()
        os.mkfifo(folder / "fifo")
        (folder / "link").symlink_to("/etc/passwd")
        return sorted(os.listdir(folder))

    def __str__(self):
        return f"{self.name}: {', '.join(self.changes)}; python tests/attack/craft_model.py {self.seed} FOLDER writes it"


def break_bytes(rng, data):
    """Flipped, cut, doubled or filled, at one to ten places."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 11))):
        if not data:
            break
        # Structure lies at the begin and the end of a model, not in the weights.
        near = min(len(data), 2000)
        at = int(rng.integers(near)) if rng.random() < 0.6 else len(data) - 1 - int(rng.integers(near))
        how = rng.integers(5)
        if how < 2:
            data[at] ^= 1 << int(rng.integers(8))
        elif how == 2:
            data[at] = int(pick(rng, [0, 1, 127, 128, 255]))
        elif how == 3:
            del data[at: at + int(rng.integers(1, 20))]
        else:
            data[at:at] = data[at: at + int(rng.integers(1, 20))]
    if rng.random() < 0.1:
        del data[int(rng.integers(len(data) + 1)):]
    return bytes(data)


def craft(seed):
    rng = np.random.default_rng(seed)
    name, model, weights = attack_seeds.choose(rng)
    changes = []
    if rng.random() < 0.85:
        for _ in range(int(pick(rng, [1, 1, 2, 3]))):
            change = pick(rng, CHANGES)
            change(rng, model)
            changes.append(change.__name__)
    data = model.SerializeToString().replace(NO_UTF8.encode(), b"\xff\xfe\x80\xc0\xc1\xf5\xed\xa0")
    if not changes:
        data = break_bytes(rng, data)
        changes.append("break_bytes")
    if weights and rng.random() < 0.2:
        weights = weights[: int(rng.integers(len(weights)))]
        changes.append("weights cut")
    return Crafted(seed, name, changes, data, weights, list(pick(rng, OPTIONS)))


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(exist_ok=True)
    crafted = craft(int(sys.argv[1]))
    crafted.write(folder)
    print(crafted)
    print("preon quantize model.onnx -o out.onnx --data random:1", *crafted.options)
