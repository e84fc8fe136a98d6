"""Every operator test model of the onnx package goes through `preon quantize` with its own test set: it succeeds and is
verified, or ends with a documented error. A crash, a hang or an undocumented status fails. The operator models are made
by the package's own code, which takes a while: that is the slow set; the fast one takes models that the package ships."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess

import onnx
import pytest
from onnx import numpy_helper

SHIPPED = pathlib.Path(onnx.__file__).parent / "backend/test/data"
# Documented: usage, data and models that can't be quantized (2), failures of the runtime (1), not verified (3).
DOCUMENTED = {1, 2, 3}
ERROR_LINE = re.compile(r"^preon: error \[E(\d{4})\] \S", re.M)
TIMEOUT_SECONDS = 60


def run_one(binary, folder, output):
    """(outcome, problem): outcome counts, a problem fails the test."""
    command = [binary, "quantize", folder / "model.onnx", "-o", output, "--data", folder, "--threads", "1", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return "hang", f"{folder.name}: no end after {TIMEOUT_SECONDS} s"
    if done.returncode == 0:
        json.loads(done.stdout)
        onnx.load(output)
        os.unlink(output)
        return "quantized", None
    error = ERROR_LINE.search(done.stderr)
    outcome = f"E{error[1]}" if error else f"status {done.returncode}"
    if done.returncode not in DOCUMENTED or not error or error[1] == "9001":
        return outcome, f"{folder.name}: status {done.returncode}: {done.stderr[-300:]}"
    if output.exists():
        return outcome, f"{folder.name}: left an output behind"
    return outcome, None


def run_all(binary, folders, tmp_path, record_property):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda folder: run_one(binary, folder, tmp_path / f"{folder.name}.onnx"), folders))
    counts = collections.Counter(outcome for outcome, _ in results)
    print(f"\n{len(folders)} operator models:", ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    record_property("outcomes", dict(counts))
    problems = [problem for _, problem in results if problem]
    assert not problems, "\n".join(problems)
    return counts


def as_proto(value, info):
    """A test value as the message that input_K.pb or output_K.pb holds."""
    if not hasattr(value, "dtype") and hasattr(value, "SerializeToString"):
        return value
    kind = info.type.WhichOneof("value")
    return {"tensor_type": numpy_helper.from_array, "sequence_type": numpy_helper.from_list,
            "optional_type": numpy_helper.from_optional, "map_type": numpy_helper.from_dict}[kind](value, info.name)


def write_case(case, folder):
    folder.mkdir()
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for index, (inputs, outputs) in enumerate(case.data_sets):
        data_set = folder / f"test_data_set_{index}"
        data_set.mkdir()
        for role, values, infos in ("input", inputs, case.model.graph.input), ("output", outputs, case.model.graph.output):
            for position, value in enumerate(values):
                (data_set / f"{role}_{position}.pb").write_bytes(as_proto(value, infos[position]).SerializeToString())
    return folder


def test_models_that_the_package_ships(preon, tmp_path, record_property):
    folders = sorted(path.parent for path in SHIPPED.glob("*/*/model.onnx"))[::8]
    if not folders:
        pytest.skip("the onnx package here has no backend test data")
    assert run_all(preon.binary, folders, tmp_path, record_property)["quantized"] > 0


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_operator_model(preon, tmp_path, record_property):
    from onnx.backend.test.loader import load_model_tests
    cases = load_model_tests(kind="node")
    assert len(cases) > 1000
    folders = [write_case(case, tmp_path / case.name) for case in cases]
    folders += sorted(path.parent for path in SHIPPED.glob("*/*/model.onnx"))
    assert run_all(preon.binary, folders, tmp_path, record_property)["quantized"] > 0
