"""1,000 crafted models through inspect, calibrate, analyze or run, and quantize: an error line or a result, whatever is in them.

A failure names the seed; PREON_ATTACK_SEED moves all seeds. docs/design/hostile-input.md
"""
import collections
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

import onnx
import pytest

import attack_judge
from craft_model import craft

FIRST_SEED = int(os.environ.get("PREON_ATTACK_SEED", "0"))
COMMON = ["--threads", "1", "--quiet"]


def verbs(crafted, folder):
    """Each once; what analyze reads has to be there."""
    yield ["inspect", "model.onnx"]
    yield ["calibrate", "model.onnx", "-o", "out.calib", "--data", "random:1", *COMMON]
    if (folder / "out.calib").exists():
        yield ["analyze", "out.calib", *(["--json"] if crafted.seed % 2 else [])]
    else:
        yield ["run", "model.onnx", "--data", "random:1", *COMMON]
    yield ["quantize", "model.onnx", "-o", "out.onnx", "--data", "random:1", "--latency", "0", *COMMON, *crafted.options]


def attack(binary, folder, crafted):
    """What is wrong, and how the runs ended."""
    before = crafted.write(folder)
    found, ends = [], []
    for arguments in verbs(crafted, folder):
        done = attack_judge.run(binary, arguments, folder)
        ends.append((arguments[0], done.status, done.number, done.seconds, crafted.seed))
        said = attack_judge.complaints(done)
        output = next((arguments[at + 1] for at, word in enumerate(arguments) if word == "-o"), None)
        said += wrong_files(folder, crafted, before, output if done.status == 0 else None)
        if output and done.status == 0:
            before = sorted({*before, output})
        found += [f"{' '.join(arguments)}: {text}" for text in said]
    return found, ends


def wrong_files(folder, crafted, before, output):
    """An output where there was a result, whole, and nothing else; inputs as they were."""
    now = set(os.listdir(folder))
    wanted = {*before, *([output] if output else [])}
    side = set()
    if output == "out.onnx":
        side = {name for name in now if name.startswith("out.onnx.") and name.endswith(".data")} | {"report.html"}
    if not wanted <= now <= wanted | side:
        yield f"files: {sorted(now ^ wanted)}"
    if (folder / "model.onnx").read_bytes() != crafted.model or (folder / "w.bin").read_bytes() != (crafted.weights or b"\1" * 64):
        yield "an input was changed"
    if output == "out.onnx":
        onnx.load(folder / output, load_external_data=False)


def attack_all(binary, tmp_path, seeds):
    def one(seed):
        folder = tmp_path / str(seed)
        folder.mkdir()
        crafted = craft(seed)
        found, ends = attack(binary, folder, crafted)
        shutil.rmtree(folder)
        return [f"{crafted}\n    {text}" for text in found], ends

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(one, seeds))
    problems = [text for found, _ in results for text in found]
    return problems, [end for _, ends in results for end in ends]


def check(preon, tmp_path, record_property, seeds):
    problems, ends = attack_all(preon.binary, tmp_path, seeds)
    count = collections.Counter(str(status) for _, status, *_ in ends)
    crashes = sum(number == attack_judge.CRASH for _, _, number, *_ in ends)
    longest = max(ends, key=lambda end: end[3])
    record_property("summary", f"crafted models {seeds[0]} to {seeds[-1]}: {len(ends)} runs, by status {dict(sorted(count.items()))}, "
                               f"crashes of the runtime {crashes}, longest {longest[3]:.1f} s ({longest[0]} of {longest[4]})")
    assert not problems, "\n".join(problems)


def test_a_seed_gives_the_same_model_again(tmp_path):
    """By the command that a failure names."""
    script = pathlib.Path(__file__).with_name("craft_model.py")
    for seed in FIRST_SEED, FIRST_SEED + 1137:
        done = subprocess.run([sys.executable, script, str(seed), tmp_path / str(seed)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / str(seed) / "model.onnx").read_bytes() == craft(seed).model


@pytest.mark.thorough
def test_some_crafted_models(preon, tmp_path, record_property):
    check(preon, tmp_path, record_property, range(FIRST_SEED, FIRST_SEED + 12))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_crafted_models(preon, tmp_path, record_property, part):
    first = FIRST_SEED + 1000 + 50 * part
    check(preon, tmp_path, record_property, range(first, first + 50))
