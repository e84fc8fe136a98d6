"""Options that change nothing for this model or beside these options: the result, or an error, says so."""
import json


def warnings(preon, *arguments):
    done = preon("quantize", *arguments, "-o", "out.onnx", "--always-write", "--json", "--quiet")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["warnings"]


def test_an_algorithm_without_a_layer_to_change(preon, model, data):
    unused = warnings(preon, model, "--data", "random:40", "--algorithm", "gptq")
    assert any("--algorithm gptq: has no effect: the model has no quantized layer" in each for each in unused)
    busy = warnings(preon, model, "--data", "random:40", "--algorithm", "gptq:target-op-type=Conv")
    assert not any("gptq" in each for each in busy)


def test_a_budget_beside_a_method(preon, model, data):
    said = "--budget: has no effect with --method minmax"
    assert any(said in each for each in warnings(preon, model, "--data", data, "--method", "minmax", "--budget", 5))
    for settings in (("--method", "minmax", "--budget", 0), ("--budget", 5)):
        assert not any("--budget" in each for each in warnings(preon, model, "--data", data, *settings))


def test_blocks_that_save_nothing(preon, model, data):
    large = warnings(preon, model, "--data", data, "--block-size", 32)
    assert any("--block-size 32: the file is no smaller than that of the float model" in each for each in large)


def test_all_codes_or_one_bit_less(preon, model, data):
    preon.fails(2, 1004, "quantize", model, "-o", "out.onnx", "--data", data, "--vnni", "--reduce-range", says="--vnni and --reduce-range: got both, wanted one")
