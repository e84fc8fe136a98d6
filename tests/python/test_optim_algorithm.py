"""FastFinetune.OptimAlgorithm goes over the algorithm object, and UsePowerOf2Scale over the specs."""
import warnings

import pytest

pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import (AdaQuantConfig, AdaRoundConfig, Config, Int8Spec, ModelQuantizer, PowerOfTwoMethod, QConfig, QLayerConfig,  # noqa: E402
                   QuantizationConfig, XInt8Spec)


@pytest.fixture
def made(model, tmp_path, reader, samples):
    """made(config): the bytes of the model, and the warnings of the result."""
    def run(config):
        quantizer = ModelQuantizer(config)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantizer.quantize_model(tmp_path / model, tmp_path / "o.onnx", reader(samples))
        return (tmp_path / "o.onnx").read_bytes(), quantizer.result

    return run


def tuned(algorithms, **table):
    return QConfig(QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()), algo_config=algorithms, extra_options={"FastFinetune": table} if table else None)


def acted(result):
    return [each["algorithm"] for each in result["improved"]]


@pytest.mark.parametrize("wanted, other, own", [("adaround", AdaQuantConfig, AdaRoundConfig), ("adaquant", AdaRoundConfig, AdaQuantConfig)])
def test_chooses_the_algorithm(made, wanted, other, own):
    by_key, result = made(tuned([other()], OptimAlgorithm=wanted))
    by_object, plain = made(tuned([own()]))
    assert acted(result) == acted(plain) == [wanted] and by_key == by_object
    (told,) = [each for each in result.warnings if "OptimAlgorithm" in each]
    assert told == f"FastFinetune.OptimAlgorithm: {wanted} acts in place of {other.name} of algo_config"


def test_the_same_as_the_object(made):
    _, result = made(tuned([AdaRoundConfig()], OptimAlgorithm="AdaRound"))
    assert acted(result) == ["adaround"] and not any("OptimAlgorithm" in each for each in result.warnings)


def test_without_an_algorithm(made):
    _, result = made(tuned([], OptimAlgorithm="adaround"))
    assert [each for each in result.warnings if each == "FastFinetune.OptimAlgorithm: has no effect without --algorithm adaround or adaquant"]
    _, result = made(tuned([], OptimAlgorithm="adaquant"))
    assert not any("OptimAlgorithm" in each for each in result.warnings)


@pytest.mark.parametrize("name", ["adaround", "adaquant"])
def test_in_the_older_configuration(made, name):
    fields = QuantizationConfig(include_cle=False, include_fast_ft=True, extra_options={"FastFinetune": {"OptimAlgorithm": name}})
    assert acted(made(Config(fields))[1]) == [name]


def test_float_scales_in_place_of_powers_of_two(made):
    specs = QLayerConfig(input_tensors=XInt8Spec(), weight=XInt8Spec())
    _, powers = made(QConfig(specs))
    _, floats = made(QConfig(specs, extra_options={"UsePowerOf2Scale": False}))
    assert (powers.scale_type, floats.scale_type) == ("power-of-two", "float32") and floats.target == "quark"
    _, plain = made(QConfig(QLayerConfig(input_tensors=Int8Spec(), weight=Int8Spec()), extra_options={"UsePowerOf2Scale": False}))
    assert "UsePowerOf2Scale: has no effect where no scale type is power-of-two" in plain.warnings
    older = QuantizationConfig(calibrate_method=PowerOfTwoMethod.NonOverflow, include_cle=False, extra_options={"UsePowerOf2Scale": False})
    assert made(Config(older))[1].scale_type == "float32"
