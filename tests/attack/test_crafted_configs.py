"""200 crafted configurations: done, or status 2 and a message that names what is wrong. PREON_ATTACK_SEED moves all seeds."""
import concurrent.futures
import json
import os
import re
import shutil

import pytest

import attack_judge
from craft_config import craft_setting

FIRST_SEED = int(os.environ.get("PREON_ATTACK_SEED", "0"))


def same_spelling(text):
    """Options are written with - or _, and what can't be printed is written out."""
    return re.sub(r"\s", " ", text).lower().replace("_", "-").encode("unicode_escape").decode().replace("\\\\", "\\")


def names_one(line, words):
    """What is no JSON or YAML has a place, or the number that nothing holds, and no key."""
    line = same_spelling(line)
    if re.search(r"c\.(json|yaml): .*(line \d+, column \d+|number overflow parsing)", line):
        return True
    return any((same_spelling(word)[:60] or "''") in line for word in words)


def attack(preon, folder, setting):
    """What is wrong with the run."""
    folder.mkdir()
    shutil.copy(preon.folder / "model.onnx", folder)
    if setting.text is not None:
        (folder / setting.arguments[-1]).write_text(setting.text, errors="surrogatepass")
    before = set(os.listdir(folder))
    arguments = ["quantize", "model.onnx", "-o", "out.onnx", "--data", "random:4", "--latency", "0", "--threads", "1", *setting.arguments]
    done = attack_judge.run(preon.binary, arguments, folder)
    yield from attack_judge.complaints(done)
    if done.status not in (0, 2):
        yield f"status {done.status}: {done.stderr[-300:]!r}"
    elif done.status == 2 and not names_one(done.stderr, setting.words):
        yield f"the message names none of it: {done.stderr[-300:]!r}"
    left = {name for name in os.listdir(folder) if not re.fullmatch(r"out\.onnx\.\w+\.data", name)} - before
    if left != ({"out.onnx"} if done.status == 0 else set()):
        yield f"files: {sorted(left)}"
    shutil.rmtree(folder)


def check(preon, record_property, seeds):
    doctor = json.loads(preon("doctor", "--options", "--json").stdout)

    def one(seed):
        setting = craft_setting(seed, doctor)
        return [f"{setting}\n    {text}" for text in attack(preon, preon.folder / str(seed), setting)]

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [text for found in pool.map(one, seeds) for text in found]
    record_property("summary", f"crafted configurations: {len(seeds)}, seeds {seeds[0]} to {seeds[-1]}")
    assert not problems, "\n".join(problems)


def test_some_crafted_configurations(preon, model, record_property):
    check(preon, record_property, range(FIRST_SEED, FIRST_SEED + 12))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_crafted_configurations(preon, model, record_property, part):
    first = FIRST_SEED + 1000 + 50 * part
    check(preon, record_property, range(first, first + 50))
