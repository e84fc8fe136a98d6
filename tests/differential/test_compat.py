"""--compat: other tools' numbers from the command line. ONNX Runtime's own calibrators and collectors are the branch_probes, and
stored runs of Quark on whole models (docs/compat.md)."""
import json
import pathlib
import struct

import data_root
import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import helper, numpy_helper
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, create_calibrator
from onnxruntime.quantization.calibrate import HistogramCollector

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = data_root.data_root()
VECTORS = data_root.QUARK
RUNTIME_MODELS = ["lenet_mnist", "super_resolution_10", "mobilenetv2_1.0", "sst2_transformer"]
MODELS = ["mobilenetv2_1.0", "resnet20_cifar10", "yolox_nano", "sst2_transformer", "vit_cifar10_ibp_3_3_8"]


class Reader(CalibrationDataReader):
    def __init__(self, feeds):
        self.feeds = feeds

    def get_next(self):
        return next(self.feeds, None)


def runtime_ranges(model, method):
    """tensor -> (min, max), by the runtime's calibrator on one thread."""
    augmented = model.preon.folder / "augmented.onnx"
    calibrator = create_calibrator(model.path, [], augmented_model_path=augmented, calibrate_method=method)
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    calibrator.infer_session = ort.InferenceSession(str(augmented), options, providers=["CPUExecutionProvider"])
    calibrator.collect_data(Reader(model.feeds()))
    return {name: tuple(float(np.ravel(bound)[0]) for bound in data.range_value)
            for name, data in calibrator.compute_data().items()}


def compat_ranges(model, tool, method, *options):
    """Of the tensors of the file that have a range of their own."""
    observed = model.json("inspect", model.calibrate_source_graph())["tensors"].keys() & model.source_tensors()
    passes = [f"--disable-pass={name}" for name in model.passes()]
    ranges = model.json("ranges", model.path, "--data", "calib.npz", "--compat", tool, "--method", method, *passes, *options)["tensors"]
    return {tensor: entry for tensor, entry in ranges.items() if tensor in observed}


def float32(value):
    return np.float32(value)


@pytest.mark.parametrize("method", ["MinMax", "Percentile", "Entropy", "Distribution"])
@pytest.mark.parametrize("name", RUNTIME_MODELS)
def test_ranges_are_the_runtimes_bit_for_bit(real_model, name, method):
    if (name, method) == ("sst2_transformer", "Percentile"):
        pytest.skip("the runtime's calibrator fails: too many bins for the range of a tensor")
    model = real_model(name)
    ranges = compat_ranges(model, "onnxruntime", method)
    expected = runtime_ranges(model, getattr(CalibrationMethod, method))
    common = sorted(ranges.keys() & expected.keys())
    assert len(common) >= 3 and len(common) >= 0.9 * len(ranges), (len(common), len(ranges))
    for tensor in common:
        got = float32(ranges[tensor]["min"]), float32(ranges[tensor]["max"])
        assert got == tuple(map(float32, expected[tensor])), tensor


@pytest.mark.parametrize("method, options, collector", [
    ("Percentile", {"Percentile": 99.9}, dict(method="percentile", symmetric=True, num_bins=2048, percentile=99.9)),
    ("Percentile", {"Percentile": 99.9, "CalibTensorRangeSymmetric": "false"}, dict(method="percentile", symmetric=False, num_bins=2048, percentile=99.9)),
    ("Entropy", {"NumBins": 512}, dict(method="entropy", symmetric=False, num_bins=512, percentile=99.9)),
])
@pytest.mark.parametrize("name", ["lenet_mnist", "sst2_transformer"])
def test_ranges_of_quark_are_the_collectors_batch_by_batch(real_model, name, method, options, collector):
    """Quark collects as the runtime's collector does, but batch by batch."""
    model = real_model(name)
    ranges = compat_ranges(model, "quark", method, *[f"--method-option={key}={value}" for key, value in options.items()])
    tensors = sorted(ranges)[:8]
    values = model.values(tensors, threads=1)
    count = len(next(iter(model.samples.values())))
    collectors = HistogramCollector(**collector, num_quantized_bins=128, scenario="same")
    for sample in range(count):
        collectors.collect({tensor: np.split(values[tensor], count)[sample] for tensor in tensors})
    for tensor, data in collectors.compute_collection_result().items():
        wanted = tuple(np.float32(np.ravel(bound)[0]) for bound in data[:2])
        assert (float32(ranges[tensor]["min"]), float32(ranges[tensor]["max"])) == wanted, tensor


@pytest.mark.thorough
def test_layerwise_percentile_and_minmse_run_on_real_tensors(real_model):
    model = real_model("resnet20_cifar10")
    percentiles = compat_ranges(model, "quark", "layerwise-percentile")
    by_values = compat_ranges(model, "quark", "layerwise-percentile", "--method-option=LWPUseHistogram=false")
    assert percentiles.keys() == by_values.keys() and len(percentiles) > 10
    for mode in ("All", "MostCommon", "Percentile"):
        options = [f"--method-option=MinMSEModePof2Scale={mode}", "--scale-type", "power-of-two", "--activation", "int8", "--symmetric"]
        for entry in compat_ranges(model, "quark", "minmse", *options).values():
            assert np.frexp(entry["scale"])[0] == 0.5 and abs(entry["min"] + entry["max"]) <= entry["scale"], mode


class Written:
    """Constants of a quantized model."""

    def __init__(self, path):
        self.model = onnx.load(path)
        self.constants = {value.name: numpy_helper.to_array(value) for value in self.model.graph.initializer}
        self.producers = {output: node for node in self.model.graph.node for output in node.output}

    def weights(self):
        """(codes, scale, zero point, axis) of the constants behind DequantizeLinear."""
        for node in self.model.graph.node:
            if node.op_type == "DequantizeLinear" and node.input[0] in self.constants:
                axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), None)
                yield node.input[0], *(self.constants[name] for name in node.input), axis


@pytest.mark.parametrize("name, tool", [
    pytest.param(name, "quark", marks=[pytest.mark.slow] if name == "yolox_nano" else []) for name in MODELS
] + [("resnet20_cifar10", "onnxruntime")])
def test_quantized_models(real_model, name, tool):
    model = real_model(name)
    arguments = ["--data", "calib.npz", "--method", "percentile", "--compat", tool, "--target", "quark"]
    listed = model.json("ranges", model.path, *arguments)
    done = model.preon("quantize", model.path, "-o", "a.onnx", *arguments, "--threads", "1", "--json", timeout=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["compat"] == listed["compat"] == tool and result["method"] == "percentile"
    model.quantize("b.onnx", *arguments, "--threads", "2")
    folder = model.preon.folder
    assert (folder / "a.onnx").read_bytes() == (folder / "b.onnx").read_bytes()
    written = Written(folder / "a.onnx")
    assert ("preon.compat", tool) in [(entry.key, entry.value) for entry in written.model.metadata_props]
    scales = {tensor: entry["scale"] for tensor, entry in listed["tensors"].items() if f"{tensor}_scale" in written.constants}
    assert len(scales) >= 5
    for tensor, scale in scales.items():
        assert written.constants[f"{tensor}_scale"] == np.float32(scale), tensor
    for weight, codes, scale, zero_point, axis in written.weights():
        if codes.dtype == np.int8:
            assert codes.min() >= -127 and not zero_point.any(), weight


def test_recurrent_model(preon):
    """States go from run to run of its own loop; here they are noise, as the rest."""
    model = DATA / "models/dtln_model_2.onnx"
    if not model.exists():
        pytest.skip(f"{model} is not there (./dev data fetches it)")
    for tool, threads in (("quark", 1), ("quark", 2), ("onnxruntime", 2)):
        done = preon("quantize", model, "-o", f"{tool}{threads}.onnx", "--data", "random:6", "--method", "entropy", "--compat", tool, "--threads", threads)
        assert done.returncode == 0, done.stderr
    quark, again, runtime = ((preon.folder / name).read_bytes() for name in ("quark1.onnx", "quark2.onnx", "onnxruntime2.onnx"))
    assert quark == again and quark != runtime


def test_weights_and_biases_by_hand(preon, model, data):
    """Codes of a weight per tensor and of its bias, written down with numpy."""
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--method", "minmax", "--compat", "quark", "--per-tensor")
    assert done.returncode == 0, done.stderr
    assert "the same numbers as quark, without channel-scales, bias-correction\n" in done.stdout
    source = {value.name: numpy_helper.to_array(value) for value in onnx.load(preon.folder / model).graph.initializer}
    written = Written(preon.folder / "out.onnx")
    checked = 0
    for name, codes, scale, zero_point, axis in written.weights():
        if codes.dtype != np.int8:
            continue
        weight = source[name.removesuffix("_quantized")]
        wanted = np.float32(np.float64(np.float32(2) * np.abs(weight).max()) / 254)
        assert scale.ravel()[0] == wanted, name
        np.testing.assert_array_equal(codes, np.clip(np.round(weight / wanted), -127, 127).astype(np.int8))
        checked += 1
    assert checked >= 2


def stored_floats(words):
    return np.array([struct.unpack(">f", bytes.fromhex(word))[0] for word in words], np.float32)


MODEL_RUNS = {  # run -> how it is asked for
    "a8w8_float": ["--method", "minmax", "--per-tensor"],
    "a8w8_float_channel": ["--method", "minmax"],
    "s8s8_sym_float": ["--method", "minmax", "--per-tensor", "--activation", "int8", "--symmetric"],
    "xint8": ["--method", "minmse", "--per-tensor", "--symmetric", "--scale-type", "power-of-two"],
    "nonoverflow": ["--method", "nonoverflow", "--per-tensor", "--symmetric", "--scale-type", "power-of-two"],
    "a16w8_float": ["--method", "minmax", "--per-tensor", "--activation", "int16", "--symmetric"],
    "a16w16_int16scale": ["--method", "minmax", "--per-tensor", "--activation", "int16", "--weight", "int16", "--symmetric", "--scale-type", "int16"],
    "a8w8_int16bias": ["--method", "minmax", "--per-tensor", "--activation", "int8", "--symmetric"],
    "a8w8_bias_as_weight": ["--method", "minmax", "--per-tensor", "--activation", "int8", "--symmetric"],
    "weight_minmse": ["--method", "minmax", "--per-tensor", "--activation", "int8", "--symmetric", "--weight-method", "minmse"],
}
# Int32Bias=F and Int16Bias=T are no options of preon: its biases are int32.
OTHER_BIAS = {"xint8", "nonoverflow", "a8w8_int16bias", "a8w8_bias_as_weight"}
# There the positions of Conv's weights and outputs are moved to what the NPU can shift by (NPULimitationCheck), the scale alone.
MOVED_WEIGHTS = {("xint8", "conv"), ("nonoverflow", "conv")}
OTHER_FORMAT = {"bf16"}


def stored_model(vectors, graph, path):
    """The model of a stored run, as calib.npz wants it."""
    tensor = vectors["tensors"][graph]
    weight = numpy_helper.from_array(stored_floats(tensor["hex"]).reshape(tensor["shape"]), "w")
    bias = numpy_helper.from_array(stored_floats(vectors["bias"][graph]["hex"]), "b")
    samples = np.stack([stored_floats(sample) for sample in vectors["model_inputs"][graph]])
    op, shape, out = ("Gemm", [2, 6], [2, 5]) if graph == "gemm" else ("Conv", [1, 3, 5, 5], [1, 4, 4, 4])
    onnx.save(helper.make_model(helper.make_graph(
        [helper.make_node(op, ["x", "w", "b"], ["y"], name="node")], graph,
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, out)], [weight, bias]),
        opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return samples.reshape(-1, *shape[1:])


@pytest.mark.parametrize("graph", ["gemm", "conv"])
@pytest.mark.parametrize("run", MODEL_RUNS)
def test_stored_model_runs(preon, run, graph):
    vectors = json.loads((VECTORS / "weights.json").read_text())
    assert {entry["run"] for entry in vectors["model_runs"]} == MODEL_RUNS.keys() | OTHER_FORMAT
    expected = next(entry for entry in vectors["model_runs"] if (entry["run"], entry["graph"]) == (run, graph))["initializers"]
    np.savez(preon.folder / "calib.npz", x=stored_model(vectors, graph, preon.folder / "model.onnx"))
    done = preon("quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--compat", "quark", "--target", "quark", *MODEL_RUNS[run])
    assert done.returncode == 0, done.stderr
    written = Written(preon.folder / "out.onnx").constants
    compared = set()
    for name, entry in expected.items():
        if name.startswith("b_") and run in OTHER_BIAS:
            continue
        if name.startswith("w_") and (run, graph) in MOVED_WEIGHTS:
            continue
        wanted = stored_floats(entry["hex"]) if "hex" in entry else np.array(entry["values"])
        got = written[name]
        if name == "b_quantized_zero_point":
            assert not got.any()
        else:
            np.testing.assert_array_equal(got.ravel(), np.ravel(wanted), err_msg=f"{run} {graph} {name}")
        compared.add(name)
    assert len(compared) >= 4


@pytest.mark.parametrize("options, number, says", [
    (["--compat", "quartz"], 1001, "did you mean 'quark'?"),
    (["--compat", "quark"], 1004, "--compat quark: it has no method 'auto'; wanted --method with one of: minmax"),
    (["--compat", "onnxruntime", "--method", "minmse"], 1004, "wanted --method with one of: minmax, percentile, entropy, distribution"),
    (["--compat", "quark", "--method", "minmse"], 1004, "wanted --scale-type power-of-two"),
    (["--compat", "onnxruntime", "--method", "minmax", "--scale-type", "int16"], 1004, "float scales only"),
    (["--compat", "onnxruntime", "--method", "minmax", "--weight-method", "minmse"], 1004, "does not search weights"),
    (["--compat", "quark", "--method", "layerwise-percentile", "--method-option", "LWPMetric=cos"], 1002, "wanted mae or mse"),
    (["--compat", "quark", "--method", "distribution", "--method-option", "NumBins=100"], 1002, "NumBins"),
    (["--compat", "quark", "--method", "entropy", "--method-option", "NumQuantizedBins=200"], 1002, "at most NumBins"),
    (["--method", "percentile", "--method-option", "NumBins=512"], 1004, "the histograms have a fixed number of bins"),
])
def test_what_can_not_be(preon, model, data, options, number, says):
    preon.fails(2, number, "quantize", model, "-o", "out.onnx", "--data", data, *options, says=says)


def test_statistics_hold_no_order(preon, model, data):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    for options in (["--compat", "quark", "--method", "percentile"], ["--method", "minmax", "--method-option", "CalibMovingAverage=true"]):
        preon.fails(2, 1004, "ranges", "a.calib", *options, says="needs the values themselves in the order of the data")
        preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--calib", "a.calib", *options, says="needs the values themselves in the order")
    preon.fails(2, 1004, "ranges", "a.calib", "--data", data, "--method", "minmax", says="--data: has no effect on statistics")
    preon.fails(2, 1004, "ranges", "a.calib", "--exact", "--method", "minmax", says="--exact: has no effect on a .calib file")
    for planned in (["--passthrough", "Relu"], ["--fix-shape", "x=1x3"], ["--opset", "17"]):
        preon.fails(2, 1004, "ranges", "a.calib", *planned, "--method", "minmax", says=f"{planned[0]}: has no effect on a .calib file")
    done = preon("ranges", "a.calib", "--compat", "quark", "--method", "minmax", "--json")  # needs no order
    assert done.returncode == 0 and json.loads(done.stdout)["compat"] == "quark", done.stderr


def test_statistics_of_the_optimized_graph_are_named(preon, model, data):
    compat = ["--compat", "quark", "--method", "minmax", "--json"]
    for options, warned in (([], True), (["--no-optimize", "--threads", "1"], False)):
        assert preon("calibrate", model, "-o", "a.calib", "--data", data, *options).returncode == 0
        ranges = preon("ranges", "a.calib", *compat)
        assert ("a.calib: collected from the optimized graph" in ranges.stderr) == warned, ranges.stderr
        quantized = preon("quantize", model, "-o", "q.onnx", "--calib", "a.calib", *compat)
        warnings = json.loads(quantized.stdout)["warnings"]
        assert any("collected from the optimized graph" in warning for warning in warnings) == warned, warnings
    assert json.loads(ranges.stdout)["tensors"] == json.loads(preon("ranges", model, "--data", data, *compat).stdout)["tensors"]


def test_ranges_plan_the_model_as_calibrate_does(real_model):
    model = real_model("lenet_mnist")
    planned = ["--data", "calib.npz", "--target", "simulate", "--passthrough", "Relu", "--opset", "17", "--fix-shape", "data=1x1x28x28"]
    model.json("calibrate", model.path, "-o", "a.calib", *planned)
    of_file, of_model = (model.json("ranges", *source, "--method", "minmax")["tensors"] for source in (["a.calib"], [model.path, *planned]))
    assert of_model == {tensor: of_file[tensor] for tensor in of_model}  # the file also has what only algorithms observe
    assert of_model["relu_7_out"]["min"] < 0  # the input of Relu


@pytest.mark.parametrize("constant", [0.01, 0.3])
def test_moving_average_is_that_of_the_samples_in_order(real_model, constant):
    model = real_model("lenet_mnist")
    options = ["--method-option=CalibMovingAverage=true", f"--method-option=CalibMovingAverageConstant={constant}"]
    ranges = [model.json("ranges", model.path, "--data", "calib.npz", "--method", "minmax", *options, *more)["tensors"]
              for more in ([], ["--threads", "1"], ["--batch", "4"])]
    assert ranges[0] == ranges[1]
    tensors = sorted(model.json("inspect", model.calibrate())["tensors"].keys() & model.source_tensors())
    values = model.values(tensors)
    for tensor in tensors:
        bounds = [(sample.min(), sample.max()) for sample in np.split(values[tensor], 20)]
        low, high = map(float, bounds[0])
        for sample_low, sample_high in bounds:
            low += constant * (float(sample_low) - low)
            high += constant * (float(sample_high) - high)
        for of_run in ranges:
            assert of_run[tensor]["min"] == pytest.approx(min(low, 0), abs=1e-4 * (high - low)), tensor
            assert of_run[tensor]["max"] == pytest.approx(max(high, 0), abs=1e-4 * (high - low)), tensor


def test_most_common_scale_does_not_depend_on_batches_and_threads(real_model):
    model = real_model("lenet_mnist")
    options = ["--data", "calib.npz", "--method", "minmse", "--method-option", "MinMSEModePof2Scale=MostCommon", "--scale-type", "power-of-two",
               "--activation", "int8", "--symmetric"]
    files = {model.quantize(f"{index}.onnx", *options, *more)
             for index, more in enumerate(([], ["--threads", "1"], ["--batch", "5"]))}
    assert len(files) == 1
