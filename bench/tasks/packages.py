"""Trained models out of published packages, with samples made for them (shared/data/tools/package_models.py, which e2e.py runs
once): each is judged by what its users read off it, against the float model, which scores 100."""
import numpy as np

from tasks.detect import TEXT_SCORE, score_yolov8
from tasks.task import Prepared, Task, outputs

MOS, RELATIVE, GREY = 0.1, 0.01, 1 / 127.5  # differences that nobody minds: of a score, of a prediction, of a pixel in -1..1


def task(name, metric, score):
    def prepare(data, built):
        folder = made.model_path(data, built).parent
        return Prepared(*(dict(np.load(folder / f"{name}_{part}.npz")) for part in ("cal", "test")))
    made = Task(name, metric, prepare, score, packaged=True)
    return made


def both(evaluation, batch=1):
    """Outputs of the model and of its float form."""
    return [outputs(path, evaluation.arrays, batch) for path in (evaluation.model, evaluation.reference)]


def near(evaluation, tolerance):
    """Percent of all values that differ by no more; `tolerance` may depend on the float model's value."""
    ours, theirs = both(evaluation)
    close = [np.abs(a - b) <= tolerance(b) for a, b in zip(ours, theirs)]
    return 100 * float(np.mean(np.concatenate([values.ravel() for values in close])))


def strings(scores):
    """What the best class of each step spells, without repetitions and blanks (class 0); scores [N, steps, classes]."""
    best = scores.argmax(-1)
    return [tuple(c for c, before in zip(row, (-1, *row)) if c != before and c != 0) for row in best.tolist()]


def score_strings(steps_first):
    def score(evaluation):
        # Of models whose first axis is the steps, one run of one sample after the other lies along it.
        count = len(next(iter(evaluation.arrays.values())))
        fold = lambda found: found[0].reshape(count, -1, found[0].shape[-1]) if steps_first else found[0]
        ours, theirs = (strings(fold(found)) for found in both(evaluation))
        return 100 * np.array([a == b for a, b in zip(ours, theirs)], np.float64)
    return score


def score_text_area(evaluation):
    ours, theirs = (found[0] > TEXT_SCORE for found in both(evaluation))
    return 100 * float((ours & theirs).sum() / (ours | theirs).sum())


def score_class(evaluation):
    """Whether the largest value along the last axis is at the same place, over all outputs."""
    ours, theirs = both(evaluation)
    return 100 * float(np.mean(np.concatenate([(a.argmax(-1) == b.argmax(-1)).ravel() for a, b in zip(ours, theirs)])))


TASKS = [
    task("dnsmos_sig_bak_ovr", "MOS within 0.1 %", lambda evaluation: near(evaluation, lambda _: MOS)),
    task("ppocr4_det", "text area IoU to float %", score_text_area),
    task("ppocr4_rec", "strings as float %", score_strings(steps_first=False)),
    task("ddddocr_common", "strings as float %", score_strings(steps_first=True)),
    task("nudenet_320n", "boxes F1 to float %", score_yolov8),
    task("open_nsfw", "class as float %", score_class),
    task("rivagan_encoder", "pixels within 1 of 255 %", lambda evaluation: near(evaluation, lambda _: GREY)),
    task("nakdimon", "marks as float %", score_class),
    task("surfaces_gbr", "within 1 % of float, %", lambda evaluation: near(evaluation, lambda value: RELATIVE * np.abs(value))),
]
