#!/usr/bin/env python3
"""What every preset of AMD Quark gives through the Python package, beside the same preset with Quark's rules (key Compat).

Each preset quantizes each model in a process of its own, with the first samples of the task's calibration set; SQNR of the worst
output on samples that nothing was calibrated or fitted with. "!" marks what is below Quark's rules, and the status is 1 then. Codes are
fitted by preon's algorithm in both, and chance is up to 1 dB with the samples: what is below there is measured again with other samples,
whose mean counts. Figures are kept after each run: the same command goes on where it ended.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time
import warnings

from measure import ROOT, add_places, helper, machine, table

MODELS = {"resnet20_cifar10": 64, "sst2_transformer": 64, "mobilenetv2_1.0": 16}  # samples that calibrate
JUDGED = {"resnet20_cifar10": 400, "sst2_transformer": 400, "mobilenetv2_1.0": 100}  # of the SQNR: with 64, chance is up to 0.7 dB
RULES = ("preon", "quark")
MORE_SETS = 3                    # of samples that calibrate, behind the first
FITTED = ("_ADAROUND", "_ADAQUANT", "_ACCURATE")
TOLERANCE = 0.5                  # dB that count as equal
MOST_SECONDS = 600
PAGE = ROOT / "docs/presets.md"


def names():
    """All presets: the constants of the newer form, then the older ones by name."""
    from preon.quantization.config import custom_config, get_default_config_mapping
    return [*(name for name in vars(custom_config) if name.endswith("_QCONFIG")), *get_default_config_mapping()]


def config_of(name, rules):
    """As a script of Quark writes it."""
    from preon import QConfig
    from preon.quantization.config import custom_config
    more = {"Compat": "quark"} if rules == "quark" else {}
    if name.endswith("_QCONFIG"):
        constant = getattr(custom_config, name)
        return QConfig(constant.global_config, algo_config=constant.algo_config, extra_options={**constant.extra_options, **more})
    config = QConfig.get_default_config(name)
    config.global_quant_config.extra_options = {**config.global_quant_config.extra_options, **more}
    return config


def samples(folder, part, count, index=0):
    """The set of `count` samples at this index."""
    import numpy as np
    with np.load(folder / f"{part}.npz") as stored:
        found = {key: stored[key][index * count:(index + 1) * count] for key in stored if key != "label"}
    assert all(len(values) == count for values in found.values()), f"{folder / part}: fewer than {index + 1} sets of {count} samples"
    return found


class Reader:
    def __init__(self, arrays):
        self.rows = iter([{name: values[index:index + 1] for name, values in arrays.items()} for index in range(len(next(iter(arrays.values()))))])

    def get_next(self):
        return next(self.rows, None)


def one(work, task, name, rules, index):
    """A preset on a model, as an object for the parent."""
    import functools

    import numpy as np
    import preon
    from preon.quantization import api
    api.quantize = functools.partial(api.quantize, latency=0)  # the speed is not asked for
    folder = pathlib.Path(work) / task
    model, out = helper("bench_samples.py", work, task, 16, 16)["model"], folder / f"preset.{rules}.onnx"
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            preon.ModelQuantizer(config_of(name, rules)).quantize_model(model, out, Reader(samples(folder, "calib", MODELS[task], int(index))))
        seconds = time.perf_counter() - begin
        compared = preon.compare(model, out, data=str(folder / "eval.npz"), samples=JUDGED[task], latency=0)
        return {"sqnr_db": min(each["sqnr_db"] for each in compared.outputs.values()), "seconds": seconds}
    except preon.PreonError as error:
        return {"error": str(error)}


def measured(args, task, name, rules, index=0):
    command = [sys.executable, __file__, "--work", str(args.work), "--one", task, name, rules, str(index)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired:
        return {"error": f"more than {MOST_SECONDS} s"}
    return json.loads(done.stdout) if done.returncode == 0 else {"error": f"status {done.returncode}"}


def text(result):
    error = result.get("error", "")
    return f"{result['sqnr_db']:.1f}" if "sqnr_db" in result else "NaN" if "NaN" in error else "none" if "[E2010]" in error else "error" if result else ""


def is_fitted(name):
    return any(form in name for form in FITTED)


def is_below(both):
    return bool(both) and ("sqnr_db" not in both["preon"] or lost(both) > TOLERANCE)


def lost(both):
    """By how many dB the same preset is better with Quark's rules; by the mean of the other sets of samples where they were measured."""
    ours, theirs = (figure(both, rules) for rules in RULES)
    return 0 if ours is None or theirs is None else theirs - ours


def figure(both, rules):
    """SQNR in dB, the mean of the other sets where they were measured; None without a result, minus infinity where another set has none."""
    again = [each[rules].get("sqnr_db", float("-inf")) for each in both.get("again", [])]
    return sum(again) / len(again) if again else both.get(rules, {}).get("sqnr_db")


def write_page(results, tasks):
    lines = ["<!-- Written by ./dev bench presets --page. -->", "# Presets of AMD Quark, measured", "",
             "`./dev bench presets`: each preset of the Python package, SQNR of the outputs in dB on samples that nothing was calibrated or "
             "fitted with.",
             "Left what the preset gives; right the same preset with Quark's rules (`Compat: quark`), which the stored runs of Quark 0.13 equal",
             "([compatibility](compat.md)); NaN: its model gives none but NaN or infinity, so that nothing is written; none: nothing of the model is quantized. Algorithms are preon's in both. "
             + ", ".join(f"{task}: {count} samples calibrate, {JUDGED[task]} judge" for task, count in MODELS.items() if task in tasks) + ".", "",
             "| preset | " + " | ".join(tasks) + " |", "|---" * (len(tasks) + 1) + "|"]
    for name in results:
        cells = [" / ".join(text(of.get(rules, {})) for rules in RULES) if of else "" for of in (results[name].get(task, {}) for task in tasks)]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")

    def named(least, most, chosen):
        found = [f"`{name}` ({task}: {figure(of[task], 'preon'):.1f} in place of {figure(of[task], 'quark'):.1f})" for name, of in results.items()
                 for task in tasks if task in of and chosen(name, of[task]) and least < lost(of[task]) <= most]
        return (", ".join(found) or "none") + "."

    def fits_none(name, _):
        return not is_fitted(name)

    def measured_again(_, both):
        return "again" in both

    most = float("inf")
    lines += ["", f"Presets that fit no codes, below Quark's rules by more than {TOLERANCE} dB: " + named(TOLERANCE, most, fits_none) +
              f" Below by 0.05 to {TOLERANCE} dB: " + named(0.05, TOLERANCE, fits_none), "",
              "Presets that fit codes have preon's algorithm in both columns (Quark's own AdaRound gains 0.9 dB on ResNet20). Other samples change their "
              f"figures by up to 1 dB, so each that is below by more than {TOLERANCE} dB in the table was measured again with {MORE_SETS} other sets of samples. "
              f"By the mean of these sets, below by more than {TOLERANCE} dB: " + named(TOLERANCE, most, measured_again) +
              f" Below by 0.05 to {TOLERANCE} dB: " + named(0.05, TOLERANCE, measured_again)]
    PAGE.write_text("\n".join(lines) + "\n")


def main():
    parser = argparse.ArgumentParser(prog="./dev bench presets", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="*", help="default: all")
    parser.add_argument("--model", action="append", help="default: " + ", ".join(MODELS))
    parser.add_argument("--page", action="store_true", help="also writes docs/presets.md")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    add_places(parser)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(one(args.work, *args.one)))
        return
    helper("prepare_data.py", args.work, "--list")
    path = pathlib.Path(args.out or ROOT / "build/bench-presets.json")
    results = json.loads(path.read_text())["results"] if path.exists() else {}
    tasks = args.model or list(MODELS)

    def keep():
        path.write_text(json.dumps({"bench": "presets", **machine(), "results": results}, indent=1) + "\n")

    for task in tasks:
        for name in args.presets or names():
            for rules in RULES:
                both = results.setdefault(name, {}).setdefault(task, {})
                if rules in both:
                    continue
                both[rules] = measured(args, task, name, rules)
                keep()
            if is_fitted(name) and "again" not in both and lost(both) > TOLERANCE:
                both["again"] = [{rules: measured(args, task, name, rules, 1 + index) for rules in RULES} for index in range(MORE_SETS)]
                keep()
            print(f"{task} {name}: {text(both['preon'])} / {text(both['quark'])}", file=sys.stderr, flush=True)
    shown = {name: results[name] for name in args.presets or names()}
    table(["preset", *tasks], [[name, *(" / ".join(text(of[task][rules]) for rules in RULES) + (" !" if is_below(of[task]) else "  ") for task in tasks)]
                               for name, of in shown.items()])
    if args.page:
        write_page(shown, tasks)
    sys.exit(any(is_below(of[task]) for name, of in shown.items() for task in tasks))


if __name__ == "__main__":
    main()
