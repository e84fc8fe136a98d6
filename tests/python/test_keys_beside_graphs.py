"""Keys of AMD Quark that leave the bytes of the model alone: what they do shows elsewhere, or is always so, or an error says why not."""

import numpy as np
import pytest

from key_runs import QUARK, SAMPLES, Written, key, run, workplace  # noqa: F401: fixtures

#: By the tests below.
BESIDE = {"CalibOptimizeDisk", "CalibOptimizeMem", "CalibWorkerNum", "LWPUseHistogram", "Scenario", "ExecutionProviders", "QuantizationPreference",
          "PrintSummary", "DebugMode", "IgnoreWarnings", "EvalMetrics", "TmpDir", "UseFP32Scale", "AdjustBiasScale", "SpecificTensorPrecision", "EvalDataReader", "NodesWithMixedPrecision", "UseQDQVitisCustomOps",
          "UsePowerOf2Scale"}


def warnings_of(run, *options):
    content, result = run(*options)
    return content, " ".join(result["warnings"])


@pytest.fixture
def refused(preon, workplace):
    preon.folder = workplace

    def fails(number, *options, says):
        preon.fails(2, number, "quantize", "mixed.onnx", "-o", "no.onnx", "--data", "calib.npz", *options, says=says)

    return fails


@pytest.mark.parametrize("setting", ["CalibOptimizeDisk=true", "CalibOptimizeMem=true", "CalibWorkerNum=1", "ExecutionProviders=[\"CPUExecutionProvider\"]",
                                     "QuantizationPreference=accuracy", "PrintSummary=true", "DebugMode=false", "DebugMode=true", "IgnoreWarnings=true",
                                     "EvalMetrics=true", "LWPUseHistogram=true", "Scenario=same", "NodesWithMixedPrecision=[]",
                                     "UseQDQVitisCustomOps=true", "UsePowerOf2Scale=true"])
def test_leaves_the_model_alone(run, setting):
    plain, told = warnings_of(run, *QUARK)
    content, told_with = warnings_of(run, *QUARK, *key(setting))
    assert content == plain and setting.split("=")[0] not in told_with


@pytest.mark.parametrize("setting, says", [
    ("PrintSummary=false", "PrintSummary: has no effect: preon prints nothing"),
    ("IgnoreWarnings=false", "IgnoreWarnings: has no effect: warnings are part of the result"),
    ("NodesWithMixedPrecision=[\"n_c1\"]", "NodesWithMixedPrecision: has no effect: specific_layer_config"),
    ("UseQDQVitisCustomOps=false", "UseQDQVitisCustomOps: has no effect: the quantizers are those of the standard"),
    ("CalibOptimizeDisk=false", "CalibOptimizeDisk: has no effect: preon keeps statistics"),
    ("AdjustBiasScale=false", "AdjustBiasScale=false: has no effect: codes of biases are computed with the final scales"),
    ("CalibWorkerNum=100000", "CalibWorkerNum 100000: this process may use"),
    ("UseFP32Scale=true", "UseFP32Scale: has no effect: the model has no float16 tensors"),
    ("LWPUseHistogram=false", "LWPUseHistogram: has no effect on method minmax"),
    ("UsePowerOf2Scale=false", "UsePowerOf2Scale: has no effect where no scale type is power-of-two"),
    ("CLEScaleAppendBias=false", "CLEScaleAppendBias: has no effect without --algorithm cle"),
    ("CLEScaleUseThreshold=false", "CLEScaleUseThreshold: has no effect without --algorithm cle"),
    ("FoldRelu=true", "FoldRelu: has no effect here: Relu and Clip are folded anyway"),
    ("UseUnsignedReLU=true", "UseUnsignedReLU: has no effect here: activations are asymmetric, so that codes of a Relu start at 0 anyway"),
    ("CopyBiasInit=[\"Conx\"]", "CopyBiasInit: 'Conx' has no effect: neither the model nor ONNX has such an operator; did you mean 'Conv'?"),
    ("CopySharedInit=[\"Conx\"]", "CopySharedInit: 'Conx' has no effect: neither the model nor ONNX has such an operator; did you mean 'Conv'?"),
])
def test_says_that_it_has_no_effect(run, setting, says):
    plain, told = warnings_of(run, *QUARK)
    content, told_with = warnings_of(run, *QUARK, *key(setting))
    assert content == plain and told_with.count(says) == 1 and says not in told


@pytest.mark.parametrize("options, setting, number, says", [
    (["--method", "distribution"], "Scenario=p3", 1004, "Scenario p3 is for float8 types, got uint8"),
    (["--method", "minmax"], "EvalDataReader=x.npz", 1002, "EvalDataReader: got 'x.npz', wanted an object that only the calling program can give"),
    (["--method", "minmax"], "FastFinetune={\"OptimAlgorithm\": \"adaround\"}", 1004, "FastFinetune.OptimAlgorithm: has no effect without --algorithm adaround or adaquant"),
    (["--method", "minmax", "--algorithm", "adaquant"], "FastFinetune={\"OptimAlgorithm\": \"adaround\"}", 1004, "got both, wanted one"),
    (["--method", "minmax"], "SpecificTensorPrecision=true", 1004, "has no effect without MixedPrecisionTensor"),
    (["--method", "minmax"], "MixedPrecisionTensor={\"QInt16\": [\"relu\"]}", 1004, "has no effect without SpecificTensorPrecision=true"),
    (["--method", "minmax"], "ExecutionProviders=[\"CudaExecutionProvider\"]", 1002, "did you mean 'CUDAExecutionProvider'"),
    (["--method", "minmax"], "QuantizationPreference=size", 1002, "accuracy, speed"),
])
def test_says_why_not(refused, options, setting, number, says):
    refused(number, "--target", "quark", *options, *key(setting), says=says)


def test_every_value_counts_as_with_exact(run):
    layerwise = ["--target", "quark", "--method", "layerwise-percentile"]
    by_key = run(*layerwise, *key("LWPUseHistogram=false"))[0]
    assert by_key == run(*layerwise, "--exact")[0] == run(*layerwise, *key("LWPUseHistogram=false"), *key("CalibWorkerNum=2"))[0]
    assert by_key != run(*layerwise)[0]


def test_float_scales_in_place_of_powers_of_two(run):
    powers = [*QUARK, "--scale-type", "power-of-two"]
    by_key = run(*powers, *key("UsePowerOf2Scale=false"))[0]
    assert by_key == run(*QUARK)[0] != run(*powers)[0]


def test_scenario_of_float8(run):
    """The scale divides the deviation of the values (same), or of their cube roots (p3), by that of the codes."""
    f8 = ["--target", "ort", "--method", "distribution", "--activation", "float8e4m3fn", "--weight", "float8e4m3fn", "--always-write"]
    written = {scenario: Written(run(*f8, *key(f"Scenario={scenario}"))[0]) for scenario in ("same", "p3")}
    scales = {scenario: float(model.values(model.nodes["x_Div"].input[1])) for scenario, model in written.items()}
    assert scales["same"] == pytest.approx(SAMPLES.astype(np.float64).std() / 100.0577, rel=1e-5)
    assert scales["p3"] == pytest.approx(np.cbrt(SAMPLES.astype(np.float64)).std() / 100.0577, rel=5e-3)
    assert run(*f8)[0] == run(*f8, *key("Scenario=same"))[0]


def test_workers_are_processes(run):
    """Twice the memory, the same model."""
    (plain, one), (content, two) = (run(*QUARK, *key(f"CalibWorkerNum={count}")) for count in (1, 2))
    assert content == plain
    if not [each for each in two["warnings"] if "CalibWorkerNum" in each]:   # one core
        assert two["peak_rss_bytes"] > 1.5 * one["peak_rss_bytes"]


def test_a_folder_for_temporary_files(run, refused, workplace):
    plain = run(*QUARK)[0]
    assert run(*QUARK, *key("TmpDir=made/for/it"))[0] == plain and (workplace / "made/for/it").is_dir()
    refused(1002, *QUARK, *key("TmpDir=calib.npz"), says="wanted a folder that can be made and written to")


def test_everything_is_told_anyway(run):
    """Of each node what became of it (DebugMode), how far the outputs are from float (EvalMetrics), all warnings (IgnoreWarnings)."""
    for setting in ("DebugMode=false", "EvalMetrics=false", "IgnoreWarnings=true"):
        result = run(*QUARK, *key(setting), *key("CalibOptimizeDisk=false"))[1]
        nodes = [*result["placement"]["integer"], *(each["node"] for each in result["placement"]["float"])]
        assert {"n_c1", "n_gemm", "n_y"} <= set(nodes)
        assert {"sqnr_db", "cosine", "l2"} <= set(result["compare"]["outputs"]["y"])
        assert [each for each in result["warnings"] if each.startswith("CalibOptimizeDisk")]


def test_nothing_is_printed_by_the_package(package, workplace, tmp_path, capfd):
    """PrintSummary: the caller prints the result."""
    for value in (True, False):
        result = package.quantize(workplace / "mixed.onnx", tmp_path / "out.onnx", data=workplace / "calib.npz", target="quark", method="minmax",
                                  option=[f"PrintSummary={value}"])
        assert capfd.readouterr() == ("", "") and "SQNR" in repr(result)


def test_providers_that_are_there(run):
    told = run(*QUARK, *key("ExecutionProviders=[\"ROCMExecutionProvider\", \"VitisAIExecutionProvider\"]"))[1]["warnings"]
    (warning,) = [each for each in told if each.startswith("ExecutionProviders")]
    assert warning.startswith("ExecutionProviders: preon does not use ROCMExecutionProvider, VitisAIExecutionProvider; this ONNX Runtime has ")
    there, where = warning.partition(" has ")[2].split("; ")
    assert "CPUExecutionProvider" in there.split(", ") and where == "models run on the CPU"


def test_a_name_that_is_no_providers(preon, model, data):
    preon.fails(2, 1002, "quantize", model, "-o", "o.onnx", "--data", data, "--option", "ExecutionProviders=[\"Foo\"]",
                says="got 'Foo', wanted names of ONNX Runtime's execution providers, of which preon uses CPUExecutionProvider and CUDAExecutionProvider")
