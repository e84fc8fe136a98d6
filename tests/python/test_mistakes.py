"""What users get wrong, one case each: the kind of the exception, what it says, that nothing is left behind.

Mistakes in a configuration are found before the model is looked at: it does not exist in these cases.
"""
import warnings

import numpy as np
import onnx
import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (AdaRoundConfig, AutoMixprecisionConfig, BFloat16Spec, BFP16Spec, CalibMethod, CLEConfig, Config,  # noqa: E402
                   ConfigError, DataError, GPTQConfig, Int8, Int8Spec, Int16Spec, ModelQuantizer, QConfig, QLayerConfig,
                   QTensorConfig, QuantGranularity, QuantizationConfig, QuarotConfig, ScaleType, SmoothQuantConfig, UInt8Spec)


def of(activation=None, weight=None, **change):
    return lambda: QConfig(QLayerConfig(input_tensors=activation or UInt8Spec(), weight=weight or Int8Spec()), **change)


def layer(**roles):
    return lambda: QConfig(QLayerConfig(**roles))


def options(**extra):
    return of(extra_options=extra)


def older(**fields):
    return lambda: Config(QuantizationConfig(**{"include_cle": False, **fields}))


CONFIGS = {
    "not a config": (lambda: {"global_config": {}}, "must be one of Config and QConfig, got dict"),
    "config not in its envelope": (lambda: QuantizationConfig(), r"put it into Config\(…\)"),
    "global_config is a spec": (lambda: QConfig(Int8Spec()), "global_config: got Int8Spec.*wanted a QLayerConfig"),
    "spec is a class": (of(activation=UInt8Spec, weight=Int8Spec), r"(?s)input_tensors: got <class.*wanted a QTensorConfig.*hint: write UInt8Spec\(\)"),
    "spec is a type": (of(weight=Int8), "global_config.weight: got .*wanted a QTensorConfig"),
    "no input_tensors": (layer(weight=Int8Spec()), "You must specify `input_tensors`"),
    "no weight": (layer(input_tensors=Int8Spec()), "You must specify either `weight`"),
    "roles by position": (lambda: QConfig(QLayerConfig(Int8Spec(), Int16Spec())), "Both `activation` and `input_tensors`"),
    "equal specs by position": (lambda: QConfig(QLayerConfig(Int8Spec(), Int8Spec())), "(?s)either `weight`.*name the role"),
    "method misspelt": (of(Int8Spec(calibration_method="Percentil")), "input_tensors.calibration_method: got 'Percentil'.*did you mean 'Percentile'"),
    "method of another enumeration": (of(Int8Spec(calibration_method=ScaleType.Float32)), "wanted a member of CalibMethod"),
    "scale type misspelt": (of(Int8Spec(scale_type="PowerOfTwo")), "scale_type: got 'PowerOfTwo'.*did you mean 'PowerOf2'"),
    "granularity is a number": (of(weight=Int8Spec(quant_granularity=1)), r"weight.quant_granularity: got 1, wanted a member of QuantGranularity \(Tensor, Channel, Group\)"),
    "symmetric is a text": (of(Int8Spec(symmetric="yes")), "symmetric: got 'yes', wanted True or False"),
    "unknown data type": (of(Int8Spec(data_type="Itn8")), "data_type: got 'Itn8', wanted one of .*did you mean 'Int8'"),
    "type of another library": (of(Int8Spec(data_type=np.int8)), "data_type: got .*numpy.int8.*did you mean 'Int8'"),
    "activations by channel": (of(Int8Spec(quant_granularity=QuantGranularity.Channel)), "activations have one scale, wanted Tensor"),
    "method without a rule for the scales": (of(UInt8Spec(CalibMethod.MinMax)), "symmetric: got CalibMethod|symmetric: got <CalibMethod"),
    "extra_options is a list": (of(extra_options=[1]), "extra_options must be a dict, got list"),
    "preon_options is a list": (of(preon_options=[1]), "preon_options must be a dict, got list"),
    "unknown key": (options(CalibDataSiez=4), "unknown key 'CalibDataSiez'; did you mean 'CalibDataSize'"),
    "unknown keyword": (of(PercentileCandidate=[99]), "did you mean 'PercentileCandidates'"),
    "value of the wrong type": (options(CalibDataSize="many"), "CalibDataSize: got 'many', wanted an integer"),
    "value out of bounds": (options(Percentile=150), "Percentile.*150"),
    "no number": (options(Percentile=float("nan")), "extra_options.Percentile: got nan, wanted a finite number"),
    "flag is a text": (options(CalibOptimizeMem="perhaps"), "CalibOptimizeMem: got 'perhaps', wanted true or false"),
    "a reader as an option": (options(EvalDataReader=object()), "EvalDataReader: got object, wanted an object with get_next"),
    "a class as a reader": (options(EvalDataReader=dict, EvalMetrics=True), "EvalDataReader: got the class dict, wanted an object with get_next"),
    "a function that is none": (options(AutoMixprecision={"MetricEvaluateFn": 3}), "MetricEvaluateFn: got int, wanted a function"),
    "both functions in a table": (options(AutoMixprecision={"MetricEvaluateFn": max, "MetricDistanceFn": min}), "got both, wanted one"),
    "crypto mode of a path": (options(CryptoMode=True), r"\[E1004\] CryptoMode: For the crypto mode, the input model should be in onnx.ModelProto format"),
    "shapes in another form": (options(FixShapes="[x][1]"), r"FixShapes: got.*NAME:\[SIZE,SIZE"),
    "a file as a list": (options(SaveAndRestore=["a.json"]), "SaveAndRestore: got array, wanted text"),
    "a folder as a table": (options(TmpDir={"path": "/tmp"}), "TmpDir: got object, wanted text"),
    "names as a table": (options(OpTypesToQuantize={"Conv": True}), "OpTypesToQuantize: got object, wanted list of texts"),
    "unknown option of preon": (of(preon_options={"colour": "red"}), "preon_options: key 'colour' is unknown"),
    "unknown target": (of(preon_options={"target": "quakr"}), "did you mean 'quark'"),
    "exclude is a text": (of(exclude="conv_1"), "exclude: got 'conv_1', wanted a list"),
    "exclude holds a number": (of(exclude=[1]), "exclude: got 1, wanted a name, or a pair"),
    "sub-graph without an end": (of(exclude=[(["a"],)]), "wanted a name, or a pair"),
    "layer config by name": (of(specific_layer_config={"conv_1": ["a"]}), "specific_layer_config: got the key 'conv_1', wanted a QLayerConfig"),
    "None as a layer of nodes": (of(specific_layer_config={None: ["a"]}), "got the key None, wanted a QLayerConfig"),
    "selectors are a text": (of(layer_type_config={None: "Conv"}), "layer_type_config: got 'Conv', wanted a list"),
    "algorithm by name": (of(algo_config=["cle"]), "algo_config: got 'cle', wanted algorithms such as CLEConfig"),
    "rotation without its file": (of(algo_config=[QuarotConfig()]), r"\[E1003\] algo_config: algorithm quarot: needs r-config-path=FILE"),
    "one algorithm, no list": (of(algo_config=CLEConfig()), "algo_config: got CLEConfig.*wanted a list"),
    "parameter of the wrong kind": (lambda: AdaRoundConfig(batch_size="2"), "AdaRoundConfig.batch_size: got '2', wanted int"),
    "parameter out of bounds": (lambda: SmoothQuantConfig(alpha=2), "SmoothQuantConfig.alpha: got 2, wanted 0 to 1"),
    "choice misspelt": (lambda: AutoMixprecisionConfig(QLayerConfig(), metric_optimize_object="sped"), "did you mean 'speed'"),
    "two metrics": (lambda: AutoMixprecisionConfig(QLayerConfig(), metric_distance_fn=max, metric_evaluate_fn=min), "got both, wanted one"),
    "flag is a number": (lambda: GPTQConfig(act_order=1), "GPTQConfig.act_order: got 1, wanted bool"),
    "a function in a stored config": (lambda: AutoMixprecisionConfig(QLayerConfig(), metric_distance_fn=max).to_dict(), "metric_distance_fn: a function can't be stored"),
    "stored without global_config": (lambda: QConfig.from_dict({}), "must contain field 'global_config'"),
    "stored with another field": (lambda: QConfig.from_dict({"global_config": {}, "exlude": []}), "unknown key 'exlude'.*did you mean 'exclude'"),
    "stored role misspelt": (lambda: QConfig.from_dict({"global_config": {"weigth": {}}}), "did you mean 'weight'"),
    "stored spec incomplete": (lambda: QTensorConfig.from_dict({"symmetric": True, "data_type": "Int8"}), "no scale_type and no calibration_method"),
    "stored algorithm unknown": (lambda: QConfig.from_dict({"global_config": {}, "algo_config": [{"name": "gtpq"}]}), "did you mean 'gptq'"),
    "stored parameter unknown": (lambda: QConfig.from_dict({"global_config": {}, "algo_config": [{"name": "cle", "cle_step": 1}]}), "did you mean 'cle_steps'"),
    "preset misspelt": (lambda: QConfig.get_default_config("A8W9"), "did you mean 'A8W8'"),
    "older: method is a text": (older(calibrate_method="minmax"), "calibrate_method: got 'minmax', wanted one of CalibrationMethod.MinMax"),
    "older: unknown type": (older(activation_type="int8"), "activation_type: got 'int8', wanted a member of ExtendedQuantType"),
    "older: flag is a text": (older(per_channel="yes"), "per_channel: got 'yes', wanted bool"),
    "older: nodes are a text": (older(nodes_to_exclude="conv_1"), "nodes_to_exclude: got 'conv_1', wanted list"),
    "external data is a path": (of(use_external_data_format="weights.bin"), "use_external_data_format: got 'weights.bin', wanted True or False"),
}


@pytest.mark.parametrize("make, says", CONFIGS.values(), ids=CONFIGS)
def test_configurations(tmp_path, reader, samples, make, says):
    with pytest.raises(ConfigError, match=says) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        ModelQuantizer(make()).quantize_model(tmp_path / "gone.onnx", tmp_path / "o.onnx", reader(samples))
    assert 1001 <= caught.value.number <= 1007 and caught.value.exit_status == 2


class FailsLater:
    def __init__(self, samples):
        self.samples = iter(samples[:3])

    def get_next(self):
        for sample in self.samples:
            return sample
        raise OSError("the disk is gone")


def changed(value):
    return lambda samples: [*samples[:2], value]


DATA = {
    "no samples": (lambda s: [], ValueError, r"\[E3007\].*no samples"),
    "an empty dict first": (lambda s: [{}], ValueError, r"\[E3007\].*no samples"),
    "a list for a sample": (changed([1]), TypeError, "sample 2: got list, wanted a dict"),
    "an array for a sample": (changed(np.zeros((1, 3, 8, 8), np.float32)), TypeError, "sample 2: got ndarray, wanted a dict"),
    "a list of another shape": (changed({"input": [1.0, 2.0]}), DataError, r"sample 2: 'input': shape \[2\]"),
    "another input": (changed({"image": np.zeros((1, 3, 8, 8), np.float32)}), DataError, "'input'"),
    "another rank": (changed({"input": np.zeros((3, 8, 8), np.float32)}), DataError, r"\[3, 8, 8\]"),
    "another size": (changed({"input": np.zeros((1, 4, 8, 8), np.float32)}), DataError, r"\[1, 4, 8, 8\]"),
    "integers": (changed({"input": np.zeros((1, 3, 8, 8), np.int64)}), DataError, "int64.*float"),
    "a number for a name": (changed({0: np.zeros((1, 3, 8, 8), np.float32)}), TypeError, "sample 2: got 0 as the name of an input, wanted a str"),
    "None for a name": (lambda s: [{None: s[0]["input"]}], TypeError, "sample 0: got None as the name of an input"),
    "a batch of nothing": (changed({"input": np.zeros((0, 3, 8, 8), np.float32)}), DataError, r"\[E3004\].*sample 2: 'input': shape \[0, 3, 8, 8\] holds no sample"),
    "nothing but a batch of nothing": (lambda s: [{"input": np.zeros((0, 3, 8, 8), np.float32)}], DataError, r"\[E3004\].*sample 0"),
    "one array more": (changed({"input": np.zeros((1, 3, 8, 8), np.float32), "mask": np.zeros(1)}), DataError, "'mask' matches no input of the model; it has: input"),
    "texts": (changed({"input": np.array(["a"])}), TypeError, "sample 2: 'input': got ndarray of <U1, wanted an array of numbers"),
    "NaN": (changed({"input": np.full((1, 3, 8, 8), np.nan, np.float32)}), DataError, "NaN"),
}


@pytest.mark.parametrize("make, kind, says", DATA.values(), ids=DATA)
def test_samples(model, samples, reader, tmp_path, make, kind, says):
    with pytest.raises(kind, match=says):
        ModelQuantizer(of()()).quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(make(samples)))
    assert not (tmp_path / "o.onnx").exists()


def test_reader_that_fails_in_the_middle(model, samples, tmp_path):
    with pytest.raises(OSError, match="the disk is gone"):
        ModelQuantizer(of()()).quantize_model(tmp_path / model, tmp_path / "o.onnx", FailsLater(samples))
    assert not (tmp_path / "o.onnx").exists()


class NeverBack:
    """Its rewind() does nothing."""

    def __init__(self, samples):
        self.samples = iter(samples)

    def get_next(self):
        return next(self.samples, None)

    def rewind(self):
        pass


def test_rewind_that_does_nothing_loses_no_sample(model, samples, tmp_path):
    quantizer = ModelQuantizer(of()())
    quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", NeverBack(samples))
    assert quantizer.result.samples == len(samples)


def test_rewind_behind_the_only_sample_is_told_before_calibration(model, samples, tmp_path):
    stages = []
    with pytest.raises(DataError, match=r"\[E3007\] reader: rewind\(\) did not go back"):
        preon_package.quantize(tmp_path / model, tmp_path / "o.onnx", reader=NeverBack(samples[:1]), progress=lambda stage, *ignored: stages.append(stage))
    assert "calibrate" not in stages and not (tmp_path / "o.onnx").exists()


CALLS = {
    "no reader, and rotation without its file": (lambda m, o, r: ModelQuantizer(of(algo_config=[QuarotConfig()])()).quantize_model(m, o), ConfigError, "needs r-config-path=FILE"),
    "no reader": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o), ConfigError, "A calibration data reader is required"),
    "no reader but a list": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o, [1]), TypeError, r"reader: got list, wanted an object with get_next\(\)"),
    "a class for a reader": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o, type(r)), TypeError, r"got the class .*wanted an object"),
    "a model that is not there": (lambda m, o, r: ModelQuantizer(of()()).quantize_model("gone.onnx", o, r), FileNotFoundError, "gone.onnx"),
    "a number for a model": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(7, o, r), TypeError, "model: got int, wanted a path or an onnx.ModelProto"),
    "a number for an output": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, 7, r), TypeError, "output: got int, wanted a path"),
    "a folder that is not there": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o.parent / "no" / "o.onnx", r), preon_package.PreonError, "does not exist"),
    "the output is the input": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, m, r), ConfigError, "model.onnx"),
    "data that are not there": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o, calibration_data_path="gone"), FileNotFoundError, "gone"),
    "a folder without data": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(m, o, calibration_data_path=m.parent / "empty"), ValueError, "empty"),
    "a node that is not there": (lambda m, o, r: ModelQuantizer(of(exclude=["conv_9"])()).quantize_model(m, o, r), ConfigError, "no node.*'conv_9'"),
    "an empty model": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(onnx.ModelProto(), o, r), preon_package.ModelError, r"\[E2\d\d\d\]"),
    "quantized twice": (lambda m, o, r: ModelQuantizer(of()()).quantize_model(ModelQuantizer(of(BFP16Spec(), BFP16Spec())()).quantize_model(m), o, r),
                        preon_package.ModelError, r"\[E2009\]"),
}


@pytest.mark.parametrize("call, kind, says", CALLS.values(), ids=CALLS)
def test_calls(model, samples, reader, tmp_path, call, kind, says):
    (tmp_path / "empty").mkdir()
    before = (tmp_path / model).read_bytes()
    with pytest.raises(kind, match=says):
        call(tmp_path / model, tmp_path / "o.onnx", reader(samples))
    assert not (tmp_path / "o.onnx").exists() and (tmp_path / model).read_bytes() == before


def test_types_that_need_no_samples_take_no_reader(model, tmp_path):
    quantizer = ModelQuantizer(of(BFloat16Spec(), BFloat16Spec())())
    assert quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx") is None and (tmp_path / "o.onnx").exists()
