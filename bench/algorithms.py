#!/usr/bin/env python3
"""What the accuracy algorithms win: each row is one model and one kind of weights, without an algorithm and with it, in one run.

The metric and the SQNR are those of samples that neither calibration nor an algorithm saw (bench/tasks), the metric outside of
preon, sample by sample as float's: ± is the standard error of its change. `s` is the time of the stage in which codes are
changed, `MB` the peak memory of the whole quantization. A row with a target says whether it is met, and the status is 1 where
one is not.
"""
import argparse
import dataclasses
import pathlib
import sys

from formats import better, changes
from measure import Failed, add_places, helper, preon, save, table, worst_sqnr_db

FEW = lambda bits, activation: ["--activation", activation, "--weight", f"int{bits}", "--weight-form", "packed", "--weight-method", "minmse"]
POWERS = ["--per-tensor", "--symmetric", "--scale-type", "power-of-two"]
BLOCKS = ["--target", "matmul-nbits", "--weight", "int4", "--block-size", "128"]
NEAREST = ("--disable-algorithm", "adaquant")  # which acts by default


@dataclasses.dataclass(frozen=True)
class Case:
    """What is asked for, and what it should reach: None where there is nothing to reach."""
    row: str
    model: str
    options: tuple
    algorithm: tuple
    least_db: float | None = None  # of the outputs, against float
    least_gain_db: float | None = None  # against the same without the algorithm
    most_loss: float | None = None  # of the metric, against float
    most_seconds: float | None = None
    most_mb: float | None = None
    samples: int | None = None  # of calibration; None: all


def case(row, model, options, algorithm, **wanted):
    return Case(row, model, tuple(map(str, options)), tuple(word for each in algorithm for word in ("--algorithm", each)), **wanted)


CASES = [
    case("int4, float16", "resnet20_cifar10", FEW(4, "float16"), ["adaquant"], least_db=21, most_loss=0.5),
    case("int4, float16", "resnet20_cifar10", FEW(4, "float16"), ["adaround"]),
    case("int4, float16", "resnet20_cifar10", FEW(4, "float16"), ["gptq:target-op-type=Conv,Gemm"]),
    case("int3, float16", "resnet20_cifar10", FEW(3, "float16"), ["adaround"]),
    case("int3, float16", "resnet20_cifar10", FEW(3, "float16"), ["adaquant"], least_db=15, most_loss=1.0),
    case("int2, float16", "resnet20_cifar10", FEW(2, "float16"), ["adaquant"]),
    case("int4, uint8", "resnet20_cifar10", FEW(4, "uint8"), ["adaquant"], most_loss=1.0),
    case("int3, uint8", "resnet20_cifar10", FEW(3, "uint8"), ["adaquant"], most_loss=1.5),
    case("int4, uint8", "resnet50v2_stage3_probe", FEW(4, "uint8"), ["adaquant"], most_loss=1.5),
    case("int4, uint8", "mobilenetv2_1.0", FEW(4, "uint8"), ["adaquant"], most_loss=2.5),
    case("int8, A8W8", "resnet20_cifar10", ["--config", "A8W8_QCONFIG"], ["adaround"], least_gain_db=1.5, most_seconds=1, samples=100),
    case("int8, powers of two", "resnet20_cifar10", POWERS, ["adaquant"]),
    case("int4, float16", "resnet50v2_stage3_probe", FEW(4, "float16"), ["adaquant"], least_db=20, most_loss=1.0),
    case("int4, float16", "mobilenetv2_1.0", FEW(4, "float16"), ["adaquant"], most_loss=2.0),
    case("int8", "mobilenetv2_1.0", [], ["adaround"], most_seconds=20, most_mb=600),
    case("int8", "mobilenetv2_1.0", [], ["adaquant"], least_db=23),
    case("int8", "resnet20_cifar10", [], ["adaquant"], least_db=30.5),
    case("int8", "resnet50v2_stage3_probe", [], ["adaquant"], least_db=23.5),
    case("int8", "super_resolution_10", [], ["adaquant"], most_loss=0.3),
    case("int8", "dtln_model_2", [], ["adaquant"], most_loss=0.3),
    case("int8, powers of two", "mobilenetv2_1.0", POWERS, ["cle", "adaquant"], most_loss=1.5),
    case("int4 (minmax), float16", "chargpt_shakespeare", ["--weight", "int4", "--activation", "float16"], ["gptq:descent=true"], most_loss=0.006),
    case("int4, blocks of 128", "chargpt_shakespeare", BLOCKS, ["gptq:descent=true"], most_loss=0.006),
    case("int2, blocks of 128", "chargpt_shakespeare", [BLOCKS[0], BLOCKS[1], "--weight", "int2", *BLOCKS[4:]], ["gptq:descent=true"]),
    case("int4, float16", "sst2_transformer", FEW(4, "float16"), ["gptq:descent=true"], most_loss=0.5),
    case("int4, float16", "minilm_l6", FEW(4, "float16"), ["gptq:descent=true"], most_loss=0.5),
]


class Model:
    """One model of bench/tasks, with float's score and the time of plain inference."""

    def __init__(self, name, args):
        self.name, self.args, self.folder = name, args, pathlib.Path(args.work) / name
        self.path = helper("bench_samples.py", args.work, name, 16, 16)["model"]
        scored = helper("score.py", name, args.work, self.path)
        self.metric, self.score, self.each = scored["metric"], scored["scores"][self.path], scored["each"].get(self.path)
        self.known = {}

    def measure(self, options, algorithm, samples):
        """One result, once: the same without an algorithm serves several rows."""
        key = (options, algorithm, samples)
        if key not in self.known:
            self.known[key] = self.measure_now(list(options), list(algorithm), samples)
        return self.known[key]

    def measure_now(self, options, algorithm, samples):
        result = self.folder / "algorithms.onnx"
        limit = ["--samples", samples] if samples else []
        quantized = preon("quantize", self.path, "-o", result, "--data", self.folder / "calib.npz", *limit, *options, *algorithm,
                          "--latency", 0, "--always-write", "--threads", self.args.threads)
        compared = preon("compare", self.path, result, "--data", self.folder / "eval.npz", "--samples", 400, "--latency", 0,
                         "--threads", self.args.threads)
        scored = helper("score.py", self.name, self.args.work, result)
        figures = {"sqnr_db": worst_sqnr_db(compared), "score": scored["scores"][str(result)],
                   "seconds": quantized["seconds"], "wall_s": quantized["wall"], "peak_mb": quantized["peak_mb"],
                   "size_bytes": quantized["size_bytes"], "improved": quantized.get("improved", []), "warnings": quantized["warnings"]}
        return figures | (changes(self.metric, self.each, scored["each"][str(result)]) if self.each else {})


def measured(case, model):
    without = model.measure(case.options, NEAREST, case.samples)
    return {"row": case.row, "model": case.model, "options": " ".join(case.options), "algorithm": " ".join(case.algorithm[1::2]),
            "metric": model.metric, "float": model.score, "without": without, "with": model.measure(case.options, case.algorithm, case.samples)}


def seconds_of(result):
    """What the algorithm took beyond the same quantization without it, in its own stage."""
    return result["with"]["seconds"].get("reconstruct", 0)


def verdicts(case, result):
    """(what, figure, bound, ok) of everything that the row has to reach."""
    ours = result["with"]
    loss = better(result["metric"]) * (result["float"] - ours["score"])
    for what, figure, bound, ok in [
            ("SQNR dB", ours["sqnr_db"], case.least_db, lambda f, b: f >= b),
            ("dB won", ours["sqnr_db"] - result["without"]["sqnr_db"], case.least_gain_db, lambda f, b: f >= b),
            (f"loss in {result['metric']}", loss, case.most_loss, lambda f, b: f <= b),
            ("seconds", seconds_of(result), case.most_seconds, lambda f, b: f <= b),
            ("MB", ours["peak_mb"], case.most_mb, lambda f, b: f <= b)]:
        if bound is not None:
            yield what, figure, bound, ok(figure, bound)


HEADER = ["model", "weights, activations", "algorithm", "metric", "float", "without", "with", "", "dB without", "dB with", "s", "MB"]


def line(result):
    if "error" in result:
        return [result["model"], result["row"], result["algorithm"], "FAILED"] + [""] * (len(HEADER) - 4)
    digits = 4 if result["metric"] == "nats" else 2
    scores = [f"{score:.{digits}f}" for score in (result["float"], result["without"]["score"], result["with"]["score"])]
    error = result["with"].get("standard_error")
    return [result["model"], result["row"], result["algorithm"], result["metric"], *scores, "" if error is None else f"± {error:.{digits}f}",
            f"{result['without']['sqnr_db']:.1f}", f"{result['with']['sqnr_db']:.1f}", f"{seconds_of(result):.1f}", f"{result['with']['peak_mb']:.0f}"]


def main():
    parser = argparse.ArgumentParser(prog="./dev bench algorithms", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="default: all of the rows whose models are here")
    parser.add_argument("--row", help="only rows whose kind of weights holds this text")
    parser.add_argument("--threads", type=int, default=2)
    add_places(parser)
    args = parser.parse_args()
    available = helper("prepare_data.py", args.work, "--list")["models"]
    models, results, missed = {}, [], []
    chosen = [c for c in CASES if c.model in (args.models or available) and (args.row or "") in c.row]
    for each in chosen:
        print(f"{each.model}: {each.row}, {' '.join(each.algorithm[1::2])} ...", file=sys.stderr, flush=True)
        try:
            if each.model not in models:
                models[each.model] = Model(each.model, args)
            results.append(measured(each, models[each.model]))
        except Failed as failure:
            results.append({"row": each.row, "model": each.model, "algorithm": " ".join(each.algorithm[1::2]), "error": str(failure)})
    table(HEADER, [line(result) for result in results])
    print()
    for each, result in zip(chosen, results):
        name = f"{result['model']}, {result['row']}, {result['algorithm']}"
        if "error" in result:
            print(f"FAILED  {name}: {result['error']}")
            missed.append(name)
            continue
        for what, figure, bound, ok in verdicts(each, result):
            print(f"{'ok' if ok else 'MISSED':6}  {name}: {what} {figure:.3f}, wanted {bound}")
            if not ok:
                missed.append(name)
    save("algorithms", results, args.out)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
