"""Keys of AMD Quark that leave the bytes of the model alone: what they do shows elsewhere, or is always so, or an error says why not."""

import pytest

from key_runs import QUARK, key, run, workplace  # noqa: F401: fixtures

#: By the tests below.
BESIDE = {"CalibOptimizeDisk", "CalibOptimizeMem", "CalibWorkerNum", "LWPUseHistogram", "Scenario", "ExecutionProviders", "QuantizationPreference",
          "PrintSummary", "DebugMode", "IgnoreWarnings", "EvalMetrics", "TmpDir", "UseFP32Scale", "AdjustBiasScale", "SpecificTensorPrecision"}


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
                                     "QuantizationPreference=accuracy", "PrintSummary=false", "DebugMode=true", "IgnoreWarnings=false",
                                     "EvalMetrics=true", "LWPUseHistogram=true", "Scenario=same"])
def test_leaves_the_model_alone(run, setting):
    plain, told = warnings_of(run, *QUARK)
    content, told_with = warnings_of(run, *QUARK, *key(setting))
    assert content == plain and setting.split("=")[0] not in told_with


@pytest.mark.parametrize("setting, says", [
    ("CalibOptimizeDisk=false", "CalibOptimizeDisk: has no effect: preon keeps statistics"),
    ("AdjustBiasScale=false", "AdjustBiasScale=false: has no effect: codes of biases are computed with the final scales"),
    ("CalibWorkerNum=100000", "CalibWorkerNum 100000: this process may use"),
    ("UseFP32Scale=true", "UseFP32Scale: has no effect: the model has no float16 tensors"),
    ("ExecutionProviders=[\"ROCMExecutionProvider\"]", "ExecutionProviders: this version does not have 'ROCMExecutionProvider'; models run on CPUExecutionProvider"),
])
def test_says_that_it_has_no_effect(run, setting, says):
    plain, told = warnings_of(run, *QUARK)
    content, told_with = warnings_of(run, *QUARK, *key(setting))
    assert content == plain and says in told_with and says not in told


@pytest.mark.parametrize("options, setting, number, says", [
    (["--method", "layerwise-percentile"], "LWPUseHistogram=false", 1004, "--exact makes the histograms exact"),
    (["--method", "minmax"], "LWPUseHistogram=false", 1004, "LWPUseHistogram: has no effect on method minmax"),
    (["--method", "distribution"], "Scenario=p3", 1007, "Scenario 'p3'"),
    (["--method", "minmax"], "SpecificTensorPrecision=true", 1004, "has no effect without MixedPrecisionTensor"),
    (["--method", "minmax"], "MixedPrecisionTensor={\"QInt16\": [\"relu\"]}", 1004, "has no effect without SpecificTensorPrecision=true"),
    (["--method", "minmax"], "ExecutionProviders=[\"CudaExecutionProvider\"]", 1002, "did you mean 'CUDAExecutionProvider'"),
    (["--method", "minmax"], "QuantizationPreference=size", 1002, "accuracy, speed"),
])
def test_says_why_not(refused, options, setting, number, says):
    refused(number, "--target", "quark", *options, *key(setting), says=says)


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
