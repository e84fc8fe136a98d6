"""What `./dev new algorithm` writes is a whole algorithm: one file, its test, one line; its statistic is collected, saved, restored."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import new  # noqa: E402

BUILD = pathlib.Path(os.environ.get("PREON_BUILD") or ROOT / "build").resolve()
REGISTRY = "src/algorithms/algorithms.inc"
#: Instead of changing nothing, it tells what it got: as an error, which no other part of preon can have made up.
TELLS = """    const auto counts = collected.others.find("count-values");
    if (counts == collected.others.end()) return std::unique_ptr<WriteHook>();
    return Error(ErrorId::kNothingToQuantize, "applied with ", counts->second.size(), " counts, one of them ",
                 counts->second.begin()->second);
"""


@pytest.fixture
def tree(tmp_path):
    """A copy of the registry, with a new algorithm."""
    root = tmp_path / "tree"
    for name in (REGISTRY, ".clang-format"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text((ROOT / name).read_text())
    new.create(root, "algorithm", "count_values")
    return root


def test_touches_its_file_its_test_and_one_line(tree):
    files = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()} - {".clang-format"}
    assert files == {"src/algorithms/count_values.cc", "src/algorithms/count_values_test.cc", REGISTRY}
    before, after = (ROOT / REGISTRY).read_text().splitlines(), (tree / REGISTRY).read_text().splitlines()
    assert [line for line in after if line not in before] == ["PREON_ALGORITHM(CountValues)"] and len(after) == len(before) + 1


def build(tree):
    """preon with the new algorithm: the library of all algorithms compiled anew, all others as they are."""
    source = tree / "src/algorithms/count_values.cc"
    text = source.read_text()
    assert text.count("    return std::unique_ptr<WriteHook>();\n") == 1
    text = text.replace("    return std::unique_ptr<WriteHook>();\n", TELLS).replace("const CollectedStatistics&)", "const CollectedStatistics& collected)")
    source.write_text(text)
    sources = [path.name for path in sorted((ROOT / "src/algorithms").glob("*.cc")) if not path.name.endswith("_test.cc")]
    batch = tree / "batch.cc"
    batch.write_text("".join(f'#include "algorithms/{name}"\n' for name in [*sources, source.name]))
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    command = shlex.split(next(each["command"] for each in commands if each["file"].endswith("/preon_algorithms_0.cc")))
    command = command[:command.index("-o")]
    first = next(index for index, word in enumerate(command) if word.startswith("-I"))
    subprocess.run([*command[:first], f"-I{tree / 'src'}", *command[first:], "-o", tree / "algorithms.o", "-c", batch], cwd=BUILD, check=True)
    link = subprocess.run(["ninja", "-t", "commands", "bin/preon"], cwd=BUILD, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
    words = ["-Wl,-rpath," + str(BUILD / "lib") if "$ORIGIN" in word else word for word in shlex.split(link.split("&&")[1])]
    words[words.index("-o") + 1] = tree / "preon"
    subprocess.run([tree / "algorithms.o" if str(word).endswith("libpreon_algorithms.a") else word for word in words], cwd=BUILD, check=True)
    return tree / "preon"


@pytest.mark.skipif(not (BUILD / "build.ninja").exists(), reason="no build folder")
@pytest.mark.thorough
def test_statistic_is_collected_saved_restored_and_used(tree, preon, model, data):
    binary = build(tree)

    def run(*arguments):
        return subprocess.run([binary, *map(str, arguments)], cwd=preon.folder, capture_output=True, text=True, timeout=120)

    assert "count-values" in run("quantize", "--disable-algorithm", "help").stdout
    with_data = run("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--latency", "0")
    assert "applied with" in with_data.stderr, with_data.stderr
    done = run("calibrate", "model.onnx", "-o", "with.calib", "--data", "calib.npz")
    assert done.returncode == 0, done.stderr
    restored = run("quantize", "model.onnx", "-o", "out.onnx", "--calib", "with.calib", "--latency", "0")
    told = [set(re.findall(r"applied with (\d+ counts, one of them \d+)", run.stderr)) for run in (with_data, restored)]
    assert len(told[0]) == 1 and told[0] == told[1], (told, restored.stderr)
    # Statistics of a preon without it: the file lacks them, and that is said.
    assert preon("calibrate", "model.onnx", "-o", "without.calib", "--data", "calib.npz").returncode == 0
    lacking = run("quantize", "model.onnx", "-o", "out.onnx", "--calib", "without.calib", "--latency", "0")
    assert lacking.returncode == 0, lacking.stderr
    assert "without.calib: lacks statistics for count-values" in lacking.stdout + lacking.stderr, lacking.stdout + lacking.stderr
