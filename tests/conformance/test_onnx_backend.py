"""Every operator test model of the onnx package goes through `preon quantize` with its own test set: it succeeds and is
verified, or ends with a documented error. A crash, a hang or an undocumented status fails. The package makes its operator
models when it is asked to; the fast set asks for every 20th operator."""
import collections
import concurrent.futures
import dataclasses
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

SHIPPED = pathlib.Path(onnx.__file__).parent / "backend/test/data"
# Documented: usage, data and models that can't be quantized (2), failures of the runtime (1), not verified (3).
DOCUMENTED = {1, 2, 3}
ERROR_LINE = re.compile(r"^preon: error \[E(\d{4})\] \S", re.M)
TIMEOUT_SECONDS = 60


def run_one(binary, folder, target, output):
    """(outcome, problem): outcome counts, a problem fails the test."""
    command = [binary, "quantize", folder / "model.onnx", "-o", output, "--data", folder, "--target", target, "--threads", "1", "--json"]
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
    jobs = [(folder, target) for folder in folders for target in ("ort-cpu", "quark")]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: run_one(binary, *job, tmp_path / f"{job[0].name}.{job[1]}.onnx"), jobs))
    counts = collections.Counter(outcome for outcome, _ in results)
    print(f"\n{len(folders)} operator models for 2 targets:", ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()))
    record_property("outcomes", dict(counts))
    problems = [problem for _, problem in results if problem]
    assert not problems, "\n".join(problems)
    assert counts["quantized"] > 0


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


def with_constants(case):
    """The same model with every input but the first a constant, as real models hold weights; None where that changes nothing."""
    inputs = list(case.data_sets[0][0])
    infos = list(case.model.graph.input)
    if len(infos) < 2 or len(inputs) != len(infos) or not all(isinstance(value, np.ndarray) for value in inputs):
        return None
    model = onnx.ModelProto.FromString(case.model.SerializeToString())
    del model.graph.input[1:]
    model.graph.initializer.extend(numpy_helper.from_array(value, info.name) for value, info in zip(inputs[1:], infos[1:]))
    data_sets = [(list(values)[:1], outputs) for values, outputs in case.data_sets]
    return dataclasses.replace(case, name=case.name + "_constants", model=model, data_sets=data_sets)


def write_cases(tmp_path):
    """Every case that was made so far, and its form with constants, one folder each."""
    from onnx.backend.test.case.node import _NodeTestCases
    cases = [form for case in _NodeTestCases for form in (case, with_constants(case)) if form]
    return [write_case(case, tmp_path / case.name) for case in cases]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore")
def test_some_operators(preon, tmp_path, record_property):
    import onnx.backend.test.case.node as node
    for module in sorted(module.name for module in pkgutil.iter_modules(node.__path__))[::20] + ["conv", "gemm", "matmul"]:
        importlib.import_module(f"{node.__name__}.{module}")
    run_all(preon.binary, write_cases(tmp_path), tmp_path, record_property)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_every_operator(preon, tmp_path, record_property):
    from onnx.backend.test.loader import load_model_tests
    load_model_tests(kind="node")
    folders = write_cases(tmp_path) + sorted(path.parent for path in SHIPPED.glob("*/*/model.onnx"))
    assert len(folders) > 1000
    run_all(preon.binary, folders, tmp_path, record_property)
