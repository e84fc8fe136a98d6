"""Models over characters and bytes."""
import json

import numpy as np

from tasks.task import Prepared, Task, outputs

LENGTH = 128  # characters chargpt sees
HALF, PAD, BLOCK = 1024, 256, 4096  # magika: bytes from each end, filler, how far in it looks


def prepare_chargpt(data, built):
    """Calibrates on the first 90 % of the text, judges on the rest."""
    index = {c: i for i, c in enumerate(json.loads((data / "text/charset.json").read_text()))}
    codes = np.array([index[c] for c in (data / "text/tinyshakespeare.txt").read_text()], np.int64)
    cut = len(codes) * 9 // 10
    windows = lambda part: part[: len(part) // LENGTH * LENGTH].reshape(-1, LENGTH)
    train, held = windows(codes[:cut]), codes[cut:]
    return Prepared({"tokens": train[:: len(train) // 100][:100]}, {"tokens": windows(held[:-1])[:400]},
                    {"next": windows(held[1:])[:400]})


def score_nats(evaluation):
    """Mean surprise at the next character, in nats, of every window; smaller is better."""
    logits = outputs(evaluation.model, evaluation.arrays, batch=4)[0].astype(np.float64)
    logits -= logits.max(-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(-1, keepdims=True))
    return -np.take_along_axis(log_p, evaluation.truth["next"][..., None], -1)[..., 0].mean(1)


def magika_bytes(content):
    """int32[2048]: the first and the last bytes of a file without the white space around it."""
    begin, end = content[:BLOCK].lstrip()[:HALF], content[-BLOCK:].rstrip()[-HALF:]
    out = np.full(2 * HALF, PAD, np.int32)
    out[: len(begin)] = list(begin)
    out[2 * HALF - len(end):] = list(end)
    return out


def prepare_magika(data, built):
    """Judged on files of known type; calibrated on whatever other files the data have."""
    kinds = json.loads((data / "text/magika_v3_3_config.json").read_text())["target_labels_space"]
    known = sorted(f for f in (data / "text/magika_basic").glob("*/*") if f.parent.name in kinds)
    others = [f for f in sorted(data.rglob("*")) if f.is_file() and "magika_basic" not in f.parts]
    # A few of each ending: hundreds of photographs would outnumber the rest.
    seen = {}
    for file in others:
        seen.setdefault(file.suffix, []).append(file)
    calib = [file for ending in sorted(seen) for file in seen[ending][:8]]
    read = lambda files: {"bytes": np.stack([magika_bytes(f.read_bytes()) for f in files])}
    return Prepared(read(calib), {**read(known), "label": np.array([kinds.index(f.parent.name) for f in known])})


def score_magika(evaluation):
    scores = outputs(evaluation.model, {"bytes": evaluation.arrays["bytes"]}, batch=8)[0]
    return 100 * float((scores.argmax(1) == evaluation.arrays["label"]).mean())


TASKS = [
    Task("chargpt_shakespeare", "nats", prepare_chargpt, score_nats),
    Task("magika_standard_v3_3", "files right %", prepare_magika, score_magika),
]
