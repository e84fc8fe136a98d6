"""What --verbose of the command line and AMD Quark's key DebugMode show, and that a run without them shows none of it."""
import json
import re

import numpy as np
import onnx
import pytest

from key_runs import key

#: Beginnings of lines that a calibrated run has; of most kinds several.
KINDS = ("preon ", "choice: target ", "stage ", "pass ", "node ", "weight ", "tensor ")
TENSOR = re.compile(r"preon: tensor (\S+): (\w+), scale (\S+), zero point (-?\d+), range (\S+) to ([^,\s]+)(?:, shared with (\S+))?")
INT8 = {"data_type": "Int8", "symmetric": True, "calibration_method": "MinMax", "quant_granularity": "Tensor", "scale_type": "Float32"}
NODE = re.compile(r"preon: node (.+) \((\w+)\): (integer, by |float, |between quantizers, )")


def debug_lines(text):
    return [line for line in text.splitlines() if line.startswith(tuple(f"preon: {kind}" for kind in KINDS))]


def without_times(text):
    """Environment and what it ran are the same in each run, how long it took is not."""
    return [re.sub(r"; [\d.]+ s$", "", line) for line in debug_lines(text)]


def written(model):
    """(type, scale, zero point) of each tensor that a QuantizeLinear reads, by its name."""
    values = {each.name: onnx.numpy_helper.to_array(each) for each in model.graph.initializer}
    return {node.input[0]: (str(values[node.input[2]].dtype), float(values[node.input[1]]), int(values[node.input[2]]))
            for node in model.graph.node if node.op_type == "QuantizeLinear"}


def check_tensors(text, model):
    """Each quantized tensor of the file has its line, with the figures of the file."""
    told = {match[1]: match for match in map(TENSOR.match, text.splitlines()) if match}
    found = written(model)
    assert found and set(found) <= set(told)
    for name, (kind, scale, zero_point) in found.items():
        line = told[name]
        assert (line[2], int(line[4])) == (kind, zero_point) and float(line[3]) == pytest.approx(scale, rel=1e-6), line[0]
        limits = np.iinfo(kind)
        lowest = limits.min if kind.startswith("uint") or zero_point else -limits.max  # symmetric: without the last code
        assert float(line[6]) == pytest.approx(scale * (limits.max - zero_point), rel=1e-5)
        assert float(line[5]) == pytest.approx(scale * (lowest - zero_point), rel=1e-5)


def check_nodes(text, result):
    """Each node of the result has its line, and what stays float has the reason of the result."""
    told = {match[1]: match.string for match in map(NODE.match, text.splitlines()) if match}
    placement = result["placement"]
    in_float = {each["node"]: each for each in placement["float"]}
    assert set(told) == {*placement["integer"], *in_float}
    for name, node in in_float.items():
        assert f": float, {node['reason']}" in told[name] and node.get("detail", "") in told[name]
    for name in placement["integer"]:
        assert "): integer, by " in told[name]


@pytest.fixture
def quantize(preon, model, data):
    def run(*options):
        done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--always-write", "--threads", 1, *options)
        assert done.returncode == 0, done.stderr
        return done

    return run


def test_nothing_of_it_without(quantize):
    done = quantize()
    assert debug_lines(done.stderr) == [] and "preon:" not in done.stderr and debug_lines(done.stdout) == []


def test_verbose(quantize, preon):
    plain = quantize("--json")
    content = (preon.folder / "out.onnx").read_bytes()
    done = quantize("--verbose", "--exclude", "gemm_1", "--json")
    for kind in set(KINDS) - {"pass "}:
        assert any(line.startswith(f"preon: {kind}") for line in done.stderr.splitlines()), kind
    lines = done.stderr.splitlines()
    assert re.fullmatch(r"preon: preon \d+\.\d+\.\d+, ONNX Runtime \d+\.\d+\.\d+, threads: 1, processor: .*", lines[0])
    assert re.fullmatch(r"preon: choice: target ort-cpu, activations uint8, weights int8, range method auto, algorithms: .*bias-correction.*", lines[1])
    assert [line for line in lines if re.fullmatch(r"preon: method minmse \(GraphAware=true\): SQNR [\d.]+ dB, .*selected", line)]
    assert "preon: node gemm_1 (Gemm): float, excluded" in done.stderr
    assert "preon: weight w1: int8, a scale per index of axis 0, read by conv_1" in lines
    assert "preon: algorithm bias-correction has a part in the codes" in lines
    check_nodes(done.stderr, json.loads(done.stdout))
    check_tensors(done.stderr, onnx.load(preon.folder / "out.onnx"))
    assert json.loads(quantize("--verbose", "--json").stdout)["warnings"] == json.loads(plain.stdout)["warnings"]
    assert (preon.folder / "out.onnx").read_bytes() == content


def test_passes_tell_what_they_changed(preon, model, data):
    loaded = onnx.load(preon.folder / model)
    loaded.graph.node.insert(1, onnx.helper.make_node("Identity", ["c1"], ["same"], name="same"))
    loaded.graph.node[2].input[0] = "same"
    onnx.save(loaded, preon.folder / "more.onnx")
    done = preon("quantize", "more.onnx", "-o", "out.onnx", "--data", data, "--always-write", "--verbose")
    assert "preon: pass remove_identity: 6 -> 5 nodes" in done.stderr.splitlines()
    done = preon("passes", "more.onnx", "-o", "out.onnx", "--pass", "remove_identity", "--verbose")
    assert "preon: pass remove_identity: 6 -> 5 nodes" in done.stderr.splitlines()


def test_algorithms_tell_whether_they_acted(quantize):
    lines = quantize("--verbose", "--algorithm", "cle").stderr.splitlines()
    assert "preon: algorithm cle has found nothing to change in the float model" in lines
    assert any(re.fullmatch("preon: algorithm adaquant: unchanged: .+", line) for line in lines)


def test_a_target_without_ranges(quantize):
    """Nothing is told of tensors that get their scales in each run, nor of bodies that the model has not."""
    done = quantize("--verbose", "--target", "dynamic", "--json")
    lines = done.stderr.splitlines()
    assert lines[1].startswith("preon: choice: target dynamic, activations uint8, weights int8, range method none")
    assert "preon: pass split_gemm: 5 -> 6 nodes" in lines and "preon: weight w2: int8, a scale per index of axis 1, read by gemm_1_MatMul" in lines
    assert not any(line.startswith(("preon: tensor ", "preon: pass bodies")) for line in lines)
    check_nodes(done.stderr, json.loads(done.stdout))


def test_with_json_progress_stays_json(quantize):
    """What begins with a brace is progress, and stdout holds the object alone."""
    done = quantize("--verbose", "--json")
    json.loads(done.stdout)
    progress = [json.loads(line) for line in done.stderr.splitlines() if not line.startswith("preon: ")]
    assert progress and all({"schema", "stage", "done"} <= set(line) for line in progress)


def test_the_key_is_the_flag(quantize, preon):
    verbose = quantize("--verbose")
    content = (preon.folder / "out.onnx").read_bytes()
    by_key = quantize(*key("DebugMode=true"))
    assert without_times(by_key.stderr) == without_times(verbose.stderr) and len(without_times(by_key.stderr)) > 10
    assert (preon.folder / "out.onnx").read_bytes() == content and "DebugMode" not in by_key.stdout
    assert debug_lines(quantize(*key("DebugMode=false")).stderr) == []


def test_other_verbs_have_it(preon, model, data):
    done = preon("calibrate", model, "-o", "s.calib", "--data", data, *key("DebugMode=true"))
    assert "preon: stage calibrate" in done.stderr.splitlines(), done.stderr
    done = preon("compare", model, model, "--data", data, "--verbose")
    assert "preon: stage compare" in done.stderr.splitlines(), done.stderr


def test_quiet_and_the_key_contradict_each_other(preon, model, data):
    arguments = ["quantize", model, "-o", "out.onnx", "--data", data, "--quiet"]
    preon.fails(2, 1004, *arguments, *key("DebugMode=true"), says="DebugMode: has no effect with --quiet")
    (preon.folder / "c.json").write_text(json.dumps({"global_config": {"input_tensors": INT8, "weight": INT8}, "extra_options": {"DebugMode": True}}))
    done = preon(*arguments, "--config", "c.json", "--always-write", "--json")
    assert done.returncode == 0 and done.stderr == ""
    assert [each for each in json.loads(done.stdout)["warnings"] if each == "DebugMode: has no effect with --quiet"]
    done = preon(*arguments[:-1], "--config", "c.json", "--always-write")
    assert "preon: stage calibrate" in done.stderr.splitlines()


def test_worker_processes_leave_it_to_their_parent(quantize):
    """Each prepares the model, too; what they log would be told several times."""
    lines = debug_lines(quantize(*key("DebugMode=true"), *key("CalibWorkerNum=2")).stderr)
    assert sum(line.startswith("preon: choice") for line in lines) == 1
    assert lines.count("preon: stage load") == 1


def test_of_an_encrypted_model_nothing_is_told(preon, model, data):
    (preon.folder / "key").write_bytes(bytes(range(32)))
    (preon.folder / "key").chmod(0o600)
    assert preon("encrypt", model, "-o", "model.enc", "--key-file", "key").returncode == 0
    for setting, name in ((["--verbose"], "--verbose"), (key("DebugMode=true"), "DebugMode")):
        done = preon("quantize", "model.enc", "-o", "out.enc", "--data", data, "--key-file", "key", "--always-write", "--json", *setting)
        assert done.returncode == 0, done.stderr
        assert f"{name}: nothing of the model is told in crypto mode" in json.loads(done.stdout)["warnings"]
        assert not re.search(r"conv_1|gemm_1|w1|tensor |node ", done.stderr), done.stderr


def package_run(package, model, data, tmp_path, **options):
    return package.quantize(tmp_path / model, tmp_path / "out.onnx", data=tmp_path / data, always_write=True, threads=1, **options)


def test_in_python_the_lines_go_to_stderr(package, quantize, model, data, tmp_path, capfd):
    package_run(package, model, data, tmp_path)
    assert capfd.readouterr() == ("", "")
    result = package_run(package, model, data, tmp_path, option="DebugMode=true")
    told = capfd.readouterr()
    assert told.out == ""
    assert without_times(told.err) == without_times(quantize("--verbose").stderr)
    assert all(line.startswith("preon: ") for line in told.err.splitlines())
    check_nodes(told.err, result)
    check_tensors(told.err, onnx.load(tmp_path / "out.onnx"))
    package_run(package, model, data, tmp_path)  # it was for that run alone
    assert capfd.readouterr() == ("", "")


def test_in_python_models_in_memory_have_no_paths(package, proto, rows, capfd):
    package.quantize(proto, data=rows, always_write=True, option="DebugMode=true")
    lines = capfd.readouterr().err
    assert debug_lines(lines) and not re.search(r"/tmp|quantized\.onnx|model\.onnx", lines)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scripts_of_quark(package, model, samples, reader, tmp_path, capfd):
    from preon import Config, Int8Spec, ModelQuantizer, QConfig, QLayerConfig, QuantizationConfig, UInt8Spec

    layers = QLayerConfig(input_tensors=UInt8Spec(), weight=Int8Spec())
    for config in (QConfig(layers, extra_options={"DebugMode": True}), Config(QuantizationConfig(debug_mode=True))):
        ModelQuantizer(config).quantize_model(tmp_path / model, tmp_path / "out.onnx", reader(samples))
        told = capfd.readouterr()
        assert told.out == "" and len(debug_lines(told.err)) > 10
    ModelQuantizer(QConfig(layers)).quantize_model(tmp_path / model, tmp_path / "out.onnx", reader(samples))
    assert capfd.readouterr() == ("", "")


def test_a_line_takes_the_display_off_the_terminal(monkeypatch, capfd):
    from preon import progress

    class Shown:
        def close(self):
            print("closed")

    monkeypatch.setattr(progress, "display", Shown)
    progress.Listener(None).log("stage load")
    assert capfd.readouterr() == ("closed\n", "preon: stage load\n")
    progress.Listener(False).log("stage load")
    assert capfd.readouterr() == ("", "preon: stage load\n")
    assert progress.Listener(False).progress is None and progress.Listener(print).progress is print


def images(shared, count=16):
    records = np.fromfile(shared("images/cifar10_test_jpegq75_dev2000.bin"), np.uint8, count * 3073).reshape(-1, 3073)
    pixels = records[:, 1:].reshape(-1, 3, 32, 32).astype(np.float32) / 255
    return {"input": (pixels - np.float32(0.45)) / np.float32(0.225)}


def sentences(shared, count=16):
    rows = np.load(shared("text/sst2_dev_ids_mask_label.npy"))[:count].astype(np.int64)
    return {"input_ids": rows[:, :64], "attention_mask": rows[:, 64:128]}


@pytest.mark.parametrize("name, samples_of, passes, float_node", [
    ("resnet20_cifar10", images, {"fold_batch_norm"}, None),
    ("sst2_transformer", sentences, {"constant_to_initializer", "fold_constants"}, "(Softmax): float, "),
])
def test_real_models(preon, shared, name, samples_of, passes, float_node):
    np.savez(preon.folder / "calib.npz", **samples_of(shared))
    done = preon("quantize", shared(f"models/{name}.onnx"), "-o", "out.onnx", "--data", "calib.npz", "--verbose", "--json",
                 "--disable-pass", "fill_image_channels", timeout=300)  # whose tensors have the scales of the image
    assert done.returncode == 0, done.stderr
    assert passes <= set(re.findall(r"^preon: pass (\w+): \d+ -> \d+ nodes$", done.stderr, re.MULTILINE))
    assert float_node is None or float_node in done.stderr
    check_nodes(done.stderr, json.loads(done.stdout))
    check_tensors(done.stderr, onnx.load(preon.folder / "out.onnx"))
