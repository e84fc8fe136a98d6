"""Keywords of the functions. Written by `./dev docs` out of `preon doctor --options --json`."""
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

Path = Union[str, bytes, "os.PathLike[str]"]
Count = Union[int, str]  # "2k" and "1M", too
_Entry = Union[str, tuple[str, Any]]  # "KEY=VALUE" or ("KEY", VALUE)
Many = Union[_Entry, Sequence[_Entry], Mapping[str, Any]]
Arrays = Union[Path, Sequence[Path], Mapping[str, Any], Any]  # Any: an array


class _QuantizeCalibrateRangesInstrument(TypedDict, total=False):
    config: Optional[Path]
    "a configuration: JSON or YAML file, or the name of a preset"


class _QuantizeEncryptDecrypt(TypedDict, total=False):
    key_file: Optional[Path]
    "key of encrypted models: 32 bytes or 64 hexadecimal digits (default: variable PREON_KEY); quantize encrypts the result with it"


class _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun(TypedDict, total=False):
    input: Optional[Many]
    "samples of one model input"
    preprocess: Optional[str]
    "images or sound to tensors: a preset and/or key=value,… ('help' lists them)"
    labels: Optional[Path]
    "classes of the samples: lines of NAME<TAB>CLASS, or JSON"
    only: Optional[Path]
    "only the samples that FILE lists, as analyze --cover writes it: lines of POSITION or POSITION<TAB>NAME (counted from 0)"
    samples: Optional[Count]
    "only the first N samples of --data (default: all)"
    batch: Optional[Count]
    "samples per run (default: the model's own, else 1)"
    seed: Optional[Count]
    "seed of random:N and of search (default 0)"
    random_shape: Optional[Many]
    "shape of an input's random samples, if the model does not fix it: NAME=1x3x64x64"
    random_range: Optional[Many]
    "random samples of an input are uniform in this interval (default: normal)"
    threads: Optional[Count]
    "number of threads (default: all cores that this process may use)"
    tmp_dir: Optional[Path]
    "folder for temporary files, created if missing (default: the system's)"


class _QuantizeCalibrateInstrumentSearchSensitivityValidateReport(TypedDict, total=False):
    calib_samples: Optional[Count]
    "calibrate with the first N samples only; later steps read all (default: all)"
    memory: Optional[str]
    "low: one run at a time; balanced (default); fast: a run on every thread, however much memory that needs"
    weight: Optional[str]
    "type of weights (default int8; int4 with 4-bit activations and with --target matmul-nbits; with float or block activations the same type); also int2, int3, uint2, uint3, stored in 4 bits each except with --target matmul-nbits"
    activation_scaled: Optional[bool]
    "divide float16 and bfloat16 activations by a calibrated scale first, so that they use the most precise part of the type"
    per_tensor: Optional[bool]
    "one scale per weight instead of one per channel"


class _Calibrate(TypedDict, total=False):
    shard: Optional[str]
    "calibrate with every N-th sample, starting at sample I; merge the N results afterwards"
    per_sample: Optional[bool]
    "also save each sample's name and its minimum and maximum per tensor, for analyze: 12 bytes per tensor and sample"


class _QuantizeCalibrate(TypedDict, total=False):
    resume: Optional[bool]
    "continue from OUTPUT.partial, which an interrupted run leaves"
    checkpoint: Optional[Count]
    "seconds between two saves of OUTPUT.partial (default 10)"


class _QuantizeCalibrateInstrument(TypedDict, total=False):
    workers: Optional[Count]
    "number of processes that calibrate in parallel; they share the --threads (default 1)"


class _Quantize(TypedDict, total=False):
    calib: Optional[Path]
    "statistics of an earlier calibrate or merge, instead of --data"
    encodings: Optional[Path]
    "scales and zero points of the tensors, from training (AIMET encodings: 0.6.1, 1.0.0 or 2.0.0); tensors that FILE lacks are calibrated"
    size: Optional[str]
    "largest size of the file: 3MB, or 30% of the float model; where 8-bit weights take more, layers get 4-bit weights, first those that lose the least accuracy for it (targets with 4-bit weights; without --target simulate)"
    nhwc: Optional[bool]
    "images are NHWC at the inputs and outputs of the result; samples stay NCHW"
    value_info: Optional[bool]
    "store type and shape of every inner tensor in the result"
    always_write: Optional[bool]
    "write the result even if it is larger or slower than the float model (default: such a result is not written, exit status 5)"
    save_and_restore: Optional[Path]
    "ranges as JSON: if FILE exists, read the ranges from it; otherwise calibrate and write them"


class _Instrument(TypedDict, total=False):
    calib_out: Optional[str]
    "folder or file name to show as the value of PREON_CALIB_OUT on the server (%p: process id, %h: host); the model does not store it, so that a model can't choose where files are written"
    every: Optional[Count]
    "save after every N runs, and at the end (default 1000)"
    one_in: Optional[Count]
    "observe only every N-th run, to reduce the cost (default 1: all)"


class _QuantizeRangesAnalyzeSearchSensitivityValidateReport(TypedDict, total=False):
    method: Optional[str]
    "calibration method: computes ranges from the statistics ('help' lists them); default: auto"
    method_option: Optional[Many]
    "option of the method, for example Percentile=99.99"
    scale_type: Optional[str]
    "type of scales, for activations and weights: float32 (default), power-of-two, int16"


class _QuantizeSearchValidateReport(TypedDict, total=False):
    effort: Optional[str]
    "fast: no trials, method minmse instead of auto; default: method auto quantizes some samples with each of several methods and keeps the best; then --algorithm adaquant on a few samples, if that costs less than calibration (on up to 100 samples with weights of 4 bits or fewer, or with activations of more than 8 bits), and its codes are kept if the outputs get nearer to float; high: adaquant on all samples"
    require: Optional[str]
    "what the result must reach, else it is not written (exit status 4): one or more of drop<=1% (of top-1 accuracy; of another metric, for validate and search, in its own unit: drop<=0.3dB), agreement>=95%, sqnr>=20, speed>=1.5, latency<=5ms, size<=4MB or size<=30%, with commas between them"


class _QuantizeSearchSensitivityValidateReport(TypedDict, total=False):
    budget: Optional[str]
    "how much slower the model may get because layers stay in float for accuracy (default 3; where the SQNR is below 20 dB up to 25, until it reaches 22 dB); 0: no layer stays in float for accuracy"
    eval_data: Optional[Arrays]
    "samples to judge by, not used for calibration (default: a fifth of --data); all of them are used, whatever --samples says"
    block_size: Optional[Count]
    "number of weights that share a scale (default: all of a channel; with --target matmul-nbits 32, allowed 16 to 256)"
    weight_form: Optional[str]
    "how weights are stored: packed (integer codes), folded (rounded, as floats), operators (unchanged floats, each followed by a quantizer); default: depends on type and target"
    float_weights: Optional[str]
    "how weights of nodes that stay in float are stored: float32, float16 or int8, which the runtime turns into floats when it loads the model; default: int8 where a trial shows that it costs no accuracy, else float16"
    weight_scaled: Optional[bool]
    "divide float16 and bfloat16 weights by a scale first, as --activation-scaled does for activations"
    bfloat16: Optional[Many]
    "how bfloat16 tensors are written: casts (Cast nodes instead of com.amd.quark operators), clip (a Clip in front), vaiml (casts at inputs only)"
    bfp_attribute: Optional[Many]
    "for BFP, MX4, MX6 and MX9 types: an attribute of BFPQuantizeDequantize, such as block_size=16"
    mx_attribute: Optional[Many]
    "for other MX types: an attribute of MXQuantizeDequantize, such as block_size=16"
    keep_block_axis: Optional[bool]
    "always use blocks along axis 1, even where MatMul, Gemm or Softmax reduces another axis"
    accuracy_level: Optional[Count]
    "type in which --target matmul-nbits computes: 1 float32, 2 float16, 3 bfloat16, 4 int8 (default 0: the runtime chooses)"
    weight_scale_type: Optional[str]
    "type of scales for weights only (default: as --scale-type)"
    weight_method: Optional[str]
    "method for the ranges of weights: minmax, minmse (default for power-of-two scales), hqq (only with --target matmul-nbits)"
    weight_search: Optional[Count]
    "candidates of --weight-method minmse: All (default), Percentile, HistCenter"
    reduce_range: Optional[bool]
    "weights use one bit less (int8: 7 bits), so that sums can't overflow on any CPU; half the resolution"
    vnni: Optional[bool]
    "weights use all codes: for x86 processors with VNNI and for ARM; others saturate sums of two products"
    disable_algorithm: Optional[Many]
    "switch off an algorithm that improves weights or biases ('help' lists them)"
    no_channel_scales: Optional[bool]
    "the same as --disable-algorithm channel-scales"
    no_bias_correction: Optional[bool]
    "the same as --disable-algorithm bias-correction"


class _SensitivityReport(TypedDict, total=False):
    confirm: Optional[Count]
    "measure the gain of the N layers with the largest expected gain in float (default 3)"


class _SearchValidateReport(TypedDict, total=False):
    metric: Optional[str]
    "what is measured in addition to the error: top1, top5, topN, f1, nll, map, wer, psnr, sisdr, or FILE.py with a function evaluate(model) that returns a share from 0 to 1, or one for each sample; a variable unit = 'percent', 'dB', 'nats' or 'number' in it names another unit, higher_is_better = False says that less is better (default: top-1 where there are labels)"
    reference: Optional[Arrays]
    "what the first output should be, sample by sample: for psnr and sisdr, boxes for map, tokens for wer"


class _Search(TypedDict, total=False):
    time: Optional[str]
    "begin no trial after this time: 90s, 5m, 2h (default: no limit)"
    trials: Optional[Count]
    "number of configurations to try (default 50, all of a smaller space; with --sampler grid all)"
    sampler: Optional[Count]
    "which configuration is tried next: tpe (default: values that many good trials have), random, grid (one after the other)"
    goal: Optional[str]
    "which model is best among those that reach what --require asks for: accuracy (default), size or speed"
    study: Optional[Path]
    "keep the trials in FILE; if FILE exists, the search continues with its trials"


class _Ranges(TypedDict, total=False):
    all_methods: Optional[bool]
    "the ranges of every method instead of one"
    all_tensors: Optional[bool]
    "each float tensor's own range, also if the target does not quantize it or it shares another's"


class _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport(TypedDict, total=False):
    option: Optional[Many]
    "an option by its name in AMD Quark, such as CalibDataSize=100 ('help' lists them)"
    symmetric: Optional[bool]
    "symmetric activations: the zero point is the middle code"


class _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport(TypedDict, total=False):
    activation: Optional[str]
    "type of activations (default uint8; int8 with --target tensorrt; 'help' lists them)"


class _QuantizeRangesSearchSensitivityValidateReport(TypedDict, total=False):
    compat: Optional[str]
    "compute exactly the numbers of another tool: quark, onnxruntime (default off); needs --method"


class _QuantizeRetargetSearchSensitivityValidateReport(TypedDict, total=False):
    format: Optional[str]
    "form of integer operators: qdq (default; float operators between DequantizeLinear and QuantizeLinear), qoperator (QLinearConv and similar), extended (only target quark, its default for types other than int8 and uint8; com.microsoft quantizers, more operator types)"


class _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport(TypedDict, total=False):
    target: Optional[str]
    "where the result will run ('help' lists them); default: ort-cpu, or simulate if ort-cpu does not support the types"
    opset: Optional[Count]
    "raise the model to this opset of ONNX first (default: the target's preferred opset, else the lowest that its quantizers need)"


class _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport(TypedDict, total=False):
    algorithm: Optional[Many]
    "also use an algorithm: NAME[:OPTION=VALUE,...] ('help' lists both)"


class _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport(TypedDict, total=False):
    exclude: Optional[Many]
    "nodes that stay float, by name; * and ? are wildcards"
    exclude_type: Optional[Many]
    "operator types that stay float"
    passthrough: Optional[Many]
    "outputs of these operator types get the range of the input instead of their own"
    float16: Optional[str]
    "float16 models are converted to float32: keep-io (default: all but inputs and outputs), convert (all), off (nothing)"
    disable_pass: Optional[Many]
    "switch off a pass over the float or the quantized graph ('help' lists them)"
    enable_pass: Optional[Many]
    "also run a pass that is off for the target ('help' lists them)"
    exact: Optional[bool]
    "count every value (default: minimum, maximum and tails exact, other values of large tensors sampled); slower"
    no_optimize: Optional[bool]
    "calibrate the unoptimized graph: values equal those of the unoptimized model; slower"


class _Passes(TypedDict, total=False):
    list: Optional[Union[Path, Mapping[str, Any]]]
    "a file of names, or a list of AMD Quark: .yaml, .json, or a8w8, a16w8, bf16, bfp16, xint8"
    copy_type: Optional[Many]
    "operator types whose constants copy_shared_initializers copies (default: all)"


class _Lint(TypedDict, total=False):
    fix: Optional[bool]
    "fix what can be fixed without a change of values; compare both models, write the fixed one to -o"


class _ExportQat(TypedDict, total=False):
    float_model: Optional[Path]
    "the float model that was quantized: training begins with its weights (default: with the decoded codes)"


class _QuantizePassesLintRetarget(TypedDict, total=False):
    external_data: Optional[bool]
    "store the result's weights in FILE.HASH.data beside it (default: only above 2 GB)"


class _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport(TypedDict, total=False):
    fix_shape: Optional[Many]
    "set the unknown dimensions of an input or output: NAME=1x3x224x224; also sets dimensions of the same name elsewhere"


class _QuantizeCompare(TypedDict, total=False):
    report: Optional[Path]
    "also write the result to FILE: .html, .json or .txt"


class _QuantizeCompareLintRetargetSearchValidateReport(TypedDict, total=False):
    latency: Optional[Count]
    "seconds for one measurement of latency (default 0.2; validate 0.5; compare, lint, retarget 1); 0: none"


class _Analyze(TypedDict, total=False):
    production: Optional[Path]
    "statistics collected in production, to check how well calibration covers them"
    group_by: Optional[str]
    "compare groups of samples, tensor by tensor: by folder, file or label"
    tolerance: Optional[float]
    "largest part of a range that samples may miss while the range still counts as covered (default 0.01)"
    cover: Optional[Path]
    "also write to FILE a small set of samples that reaches all ranges, for --only of calibrate"
    html: Optional[Path]
    "also write to FILE a page with histograms and curves over the layers"


class _QuantizeCalibrateAnalyzeInstrument(TypedDict, total=False):
    save_histograms: Optional[Path]
    "also draw each observed tensor's histogram with the ranges of all methods, as DIR/TENSOR.svg"


class _Run(TypedDict, total=False):
    save: Optional[Path]
    "write the outputs of each run as DIR/N.npz"
    repeat: Optional[Count]
    "run all samples N times (default 1)"


class _QuantizeCalibrateCompareSearchSensitivityValidateReportRun(TypedDict, total=False):
    provider: Optional[str]
    "what computes float models while they are calibrated, and what run and compare measure: cpu (default), cuda or cuda:N, device N; needs an ONNX Runtime for CUDA"


class _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun(TypedDict, total=False):
    custom_op_library: Optional[Many]
    "shared library with operators that the model uses and ONNX Runtime does not have, as programs register it there; its code runs"


class QuantizeOptions(
    _QuantizeCalibrateRangesInstrument,
    _QuantizeEncryptDecrypt,
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrate,
    _QuantizeCalibrateInstrument,
    _Quantize,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeSearchValidateReport,
    _QuantizeSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizePassesLintRetarget,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCompare,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateAnalyzeInstrument,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class CalibrateOptions(
    _QuantizeCalibrateRangesInstrument,
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _Calibrate,
    _QuantizeCalibrate,
    _QuantizeCalibrateInstrument,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateAnalyzeInstrument,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class RangesOptions(
    _QuantizeCalibrateRangesInstrument,
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _Ranges,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class AnalyzeOptions(
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _Analyze,
    _QuantizeCalibrateAnalyzeInstrument, total=False,
):
    pass


class InspectOptions(
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class CompareOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCompare,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class DiffOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class InstrumentOptions(
    _QuantizeCalibrateRangesInstrument,
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrument,
    _Instrument,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateAnalyzeInstrument,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class PassesOptions(
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _Passes,
    _QuantizePassesLintRetarget,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class LintOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _Lint,
    _QuantizePassesLintRetarget,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class RetargetOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizePassesLintRetarget,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class ExportQatOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _ExportQat,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class EncryptOptions(
    _QuantizeEncryptDecrypt, total=False,
):
    pass


class DecryptOptions(
    _QuantizeEncryptDecrypt, total=False,
):
    pass


class SearchOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeSearchValidateReport,
    _QuantizeSearchSensitivityValidateReport,
    _SearchValidateReport,
    _Search,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class SensitivityOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeSearchSensitivityValidateReport,
    _SensitivityReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class ValidateOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeSearchValidateReport,
    _QuantizeSearchSensitivityValidateReport,
    _SearchValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class ReportOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _QuantizeCalibrateInstrumentSearchSensitivityValidateReport,
    _QuantizeRangesAnalyzeSearchSensitivityValidateReport,
    _QuantizeSearchValidateReport,
    _QuantizeSearchSensitivityValidateReport,
    _SensitivityReport,
    _SearchValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesAnalyzeInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeRangesSearchSensitivityValidateReport,
    _QuantizeRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentRetargetSearchSensitivityValidateReport,
    _QuantizeCalibrateInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentSearchSensitivityValidateReport,
    _QuantizeCalibrateRangesInstrumentPassesSearchSensitivityValidateReport,
    _QuantizeCompareLintRetargetSearchValidateReport,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass


class RunOptions(
    _QuantizeCalibrateRangesCompareDiffInstrumentLintRetargetExportQatSearchSensitivityValidateReportRun,
    _Run,
    _QuantizeCalibrateCompareSearchSensitivityValidateReportRun,
    _QuantizeCalibrateRangesInspectCompareDiffInstrumentPassesLintRetargetExportQatSearchSensitivityValidateReportRun, total=False,
):
    pass
