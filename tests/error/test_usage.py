"""Mistakes on the command line and in configuration files: status 2, one line with the nearest name, nothing written."""
import json
import os

import onnx
import pytest


@pytest.mark.parametrize("arguments, number, says", [
    (["--json"], 1003, "no verb"),
    (["--quiet", "quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz"], 1001, "'--quiet' in front of the verb"),
    (["quantize", "model.onnx", "--data", "calib.npz", "-o"], 1002, "--output: no value given, wanted FILE"),
    (["quantize", "model.onnx", "-o", "--data", "calib.npz"], 1002, "--output: no value given, wanted FILE"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config"], 1002, "--config: no value given"),
    (["calibrate", "model.onnx", "--data", "calib.npz"], 1003, "wanted -o FILE"),
    (["instrument", "model.onnx"], 1003, "wanted -o FILE"),
    (["merge", "a.calib", "b.calib"], 1003, "wanted -o FILE"),
    (["passes", "model.onnx"], 1003, "wanted -o FILE"),
    (["help", "vrsion"], 1001, "did you mean 'version'?"),
    (["hlep"], 1001, "did you mean 'help'?"),
    (["completion"], 1003, "wanted bash, zsh or fish"),
    (["completion", "bsh"], 1001, "did you mean 'bash'?"),
    (["version", "now"], 1001, "unexpected 'now'"),
    (["version", "--jsn"], 1001, "did you mean '--json'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--exclude", "gem_1"], 1006, "did you mean 'gemm_1'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--exclude-type", "Cov"], 1006, "did you mean 'Conv'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--fix-shape", "inptu=1x3x8x8"], 1006, "did you mean 'input'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--fix-shape", "input=1x3x8x8", "--disable-pass", "fix_shapes"], 1004,
     "--disable-pass fix_shapes"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--method-option", "GraphAwar=true"], 1001, "did you mean 'GraphAware'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--workr", "1/2"], 1001, "did you mean '--workers'?"),
    (["quantise", "model.onnx"], 1001, "did you mean 'quantize'?"),
    (["quantize"], 1003, "no MODEL given"),
    (["compare", "model.onnx"], 1003, "no QUANTIZED given"),
    (["quantize", "model.onnx", "--data", "calib.npz"], 1003, "wanted -o FILE"),
    (["quantize", "model.onnx", "-o", "out.onnx"], 1003, "wanted --data SRC or --calib FILE"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--dta", "calib.npz"], 1001, "did you mean '--data'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--method", "minmx"], 1001, "did you mean 'minmax'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "ort-gpu"], 1001, "did you mean 'ort-cpu'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "itn8"], 1001, "did you mean 'int8'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--weight", "mxfp4e2m1", "--target", "ort-cpu"], 1007, "it supports: int8, uint8"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--preprocess", "imagenet"], 1004, "--preprocess"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--seed", "5"], 1004, "--seed"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfp16", "--symmetric"], 1004, "--symmetric"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfp16", "--per-tensor"], 1004, "--per-tensor"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfloat16", "--scale-type", "int16"], 1004, "--scale-type"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfp16", "--method", "minmax"], 1004, "--method"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--weight", "int4", "--block-size", "4", "--per-tensor"], 1004, "--block-size"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "int8", "--bfloat16", "casts"], 1004, "--bfloat16"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfloat16", "--bfloat16", "vaiml", "--weight-form", "packed"], 1004, "--weight-form"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "int8", "--mx-attribute", "block_size=16"], 1004, "--mx-attribute"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "mxint8", "--mx-attribute", "blok_size=16"], 1001, "did you mean 'block_size'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "mxint8", "--mx-attribute", "block_size=0"], 5003, "block_size"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfp16", "--block-size", "32"], 5005, "bfp16"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "int8", "--keep-block-axis"], 1004, "--keep-block-axis"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "int8", "--activation-scaled"], 1004, "--activation-scaled"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--format", "extended"], 1004, "--target quark has it"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--format", "wide"], 1002, "qdq, qoperator or extended"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "matmul-nbits", "--reduce-range"], 1004, "--reduce-range"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "dynamic", "--no-channel-scales"], 1004,
     "--no-channel-scales: has no effect with --target dynamic"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "matmul-nbits", "--disable-algorithm", "bias-correction"], 1004,
     "--no-bias-correction: has no effect with --target matmul-nbits"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "dynamic", "--no-bias-correction"], 1004, "--no-bias-correction"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "dynamic", "--calib-samples", "2"], 1004, "--calib-samples"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "ort", "--option", "RemoveQDQMulAdd=true"], 1004, "RemoveQDQMulAdd: has no effect"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "ort", "--option", 'RemoveQDQBetweenOps=[["Mul","Relu"]]'], 1004,
     "RemoveQDQBetweenOps: has no effect"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "dynamic", "--symmetric"], 1004, "--symmetric"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfloat16", "--reduce-range"], 1004, "--reduce-range"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--weight", "uint32", "--weight-form", "packed"], 5005, "uint32"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "bfloat16", "--compat", "quark"], 1004, "wanted integer types, or --target quark"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--activation", "float8e4m3fn", "--target", "quark", "--compat", "quark", "--method", "minmax"], 1004,
     "got type float8e4m3fn"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--disable-pass", "fold"], 1001, "--disable-pass"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--method", "percentile",
      "--method-option", "Percentil=99"], 1001, "did you mean 'Percentile'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--method", "percentile",
      "--method-option", "Percentile=101"], 1002, "Percentile"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--samples", "0"], 1002, "--samples"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--samples", "ten"], 1002, "got 'ten'"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--report", "r.pdf"], 1002, ".html, .json or .txt"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--tmp-dir", "model.onnx/tmp"], 1002, "--tmp-dir"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--exclude", "conv_99"], 1006, "conv_99"),
    (["quantize", "model.onnx", "-o", "model.onnx", "--data", "calib.npz"], 1004, "never written to"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "INT9"], 1001, "did you mean 'INT8'?"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "S16S16_MIXED_S8S8"], 1007, "not in this version"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--quiet", "--verbose"], 1004, "got both"),
    (["quantize", "model.onnx", "other.onnx", "-o", "out.onnx", "--data", "calib.npz"], 1001, "unexpected 'other.onnx'"),
    (["quantize", "model.onnx", "-o", "out.onnx", "other.onnx", "--data", "calib.npz"], 1001, "unexpected 'other.onnx'"),
    (["quantize", "model.onnx", "-o", "a.onnx", "-o", "b.onnx", "--data", "calib.npz"], 1004, "got 'a.onnx' and 'b.onnx'"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "A8W8", "--config", "XINT8"], 1004, "got 'A8W8' and 'XINT8'"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--symmetric=maybe"], 1002, "--symmetric: got 'maybe', wanted true or false"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--compat", "quark"], 1004, "[E1004] --compat quark: it has no method 'auto'"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--target", "quark", "--vnni"], 1004, "--vnni: has no effect with --target quark"),
    (["analyze", "."], 3012, ".: is a folder; wanted a .calib file"),
    (["quantize", "--data", "calib.npz", "model.onnx", "-o", "out.onnx"], 1003, "no MODEL given"),
    (["quantize", "model.onnx", "-o", "calib.npz", "--data", "calib.npz"], 1004, "'calib.npz' is an input"),
    (["quantize", "model.onnx", "-o", "calib.npz", "--data", "."], 1004, "'calib.npz' is an input"),
    (["quantize", "model.onnx", "-o", "out.json", "--report", "./out.json", "--data", "calib.npz"], 1004, "is the output, too"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--calib", "a.calib", "--samples", "3"], 1004, "--samples: has no effect"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--calib", "a.calib", "--data", "calib.npz", "--exact"], 1004, "--exact: has no effect"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--calib", "gone.calib"], 3012, "gone.calib: no such file"),
    (["merge", "gone.calib", "-o", "out.calib"], 3012, "gone.calib: no such file"),
    (["inspect", "gone.calib"], 3012, "gone.calib: no such file"),
    (["status", "gone.json"], 1008, "gone.json: no such file"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--encodings", "gone.json"], 1008, "--encodings: gone.json: no such file"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--encodings", "."], 1008, ".: is a folder; wanted a file"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--labels", "."], 1008, ".: is a folder; wanted a file"),
    (["quantize", "model.onnx", "-o", "out.onnx", "--data", "calib.npz", "--config", "gone.json"], 1002, "--config: got 'gone.json'"),
    (["calibrate", "model.onnx", "-o", "out.calib", "--data", "calib.npz", "--shard", "3/2"], 1002, "--shard"),
    (["run", "model.onnx", "--data", "calib.npz", "--threads", "0"], 1002, "--threads"),
])
def test_usage(preon, model, data, arguments, number, says):
    preon.fails(2, number, *arguments, says=says)


def test_what_a_target_does_anyway_may_be_asked_for(preon, model, data):
    asked = ["MatMulConstBOnly=true", "EnableSubgraph=true", "ActivationSymmetric=false"]
    done = json.loads(preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", "dynamic", "--always-write", "--json",
                            *[word for key in asked for word in ("--option", key)]).stdout)
    assert not any(key.split("=")[0] in warning for key in asked for warning in done["warnings"])


def test_floats_have_no_zero_points(preon, model, data):
    done = json.loads(preon("quantize", model, "-o", "out.onnx", "--data", data, "--target", "quark", "--activation", "bfloat16", "--weight", "bfloat16", "--json",
                            "--option", "WeightSymmetric=false").stdout)
    assert any("WeightSymmetric: has no effect on bfloat16" in warning for warning in done["warnings"])


def test_options_may_stand_in_front_of_the_model(preon, model, data):
    done = preon("quantize", "--samples", "2", "-o", "out.onnx", model, "--data", data, "--quiet")
    assert done.returncode == 0, done.stderr


def test_the_reports_folder_is_looked_for_first(preon, model, data):
    preon.fails(1, 7003, "quantize", model, "-o", "out.onnx", "--report", "nowhere/r.json", "--data", data, says="'nowhere' does not exist")


def test_external_data_are_inputs_too(preon, model, data):
    onnx.save(onnx.load(preon.folder / model), preon.folder / "ext.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    preon.fails(2, 1004, "quantize", "ext.onnx", "-o", "w.bin", "--data", data, says="'w.bin' is an input")


def test_an_output_behind_a_link_leaves_the_link(preon, model, data):
    (preon.folder / "link.onnx").symlink_to("real.onnx")
    assert preon("quantize", model, "-o", "link.onnx", "--data", data).returncode == 0
    assert (preon.folder / "link.onnx").is_symlink()
    assert (preon.folder / "real.onnx").is_file()


@pytest.mark.parametrize("config, says", [
    ({"methd": "minmax"}, "did you mean 'method'?"),
    ({"method": ["minmax", "percentile"]}, "got a list, wanted one value"),
    ({"samples": -1}, "samples"),
    ({"method": "minmx"}, "minmx"),
    ({"overrides": {"c1": {"rmn": 0}}}, "did you mean 'rmin'?"),
    ({"overrides": {"inptu": {"rmin": 0}}}, "did you mean 'input'?"),
    ({"overrides": {"c1": {"scale": 1}}}, "zero_point"),
    ({"overrides": {"c1": {"scale": 0, "zero_point": 0}}}, "scale"),
    ({"overrides": {"c1": {"scale": 1, "zero_point": 1e300}}}, "zero_point"),
    ({"overrides": {"input": {"scale": 1, "zero_point": 300}}}, "from 0 to 255 (uint8)"),
])
def test_config(preon, model, data, tmp_path, config, says):
    (tmp_path / "c.json").write_text(json.dumps(config))
    number = {"{'method': 'minmx'}": 1001, "{'overrides': {'inptu': {'rmin': 0}}}": 1006}.get(str(config), 1005)
    preon.fails(2, number, "quantize", model, "-o", "out.onnx", "--data", data, "--config", "c.json", says=says)


def test_config_is_no_json(preon, model, data, tmp_path):
    (tmp_path / "c.json").write_text("{method:")
    preon.fails(2, 1005, "quantize", model, "-o", "out.onnx", "--data", data, "--config", "c.json", says="c.json")


def test_a_config_and_the_command_line_over_it(preon, model, data, tmp_path):
    (tmp_path / "c.json").write_text(json.dumps(
        {"method": "percentile", "method_options": {"Percentile": 99.9}, "exclude_types": ["Gemm"], "samples": 4}))
    done = preon("quantize", model, "-o", "out.onnx", "--data", data, "--config", "c.json", "--samples", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["method"], result["samples"]) == ("percentile", 3)
    assert [node["reason"] for node in result["placement"]["float"] if node["op"] == "Gemm"] == ["excluded"]


@pytest.mark.parametrize("arguments, says", [
    ([], "quantize"), (["--help"], "quantize"), (["help"], "quantize"),
    (["quantize", "--help"], "Examples:"), (["help", "quantize"], "Examples:"), (["help", "--help"], "Examples:"),
    (["--version"], "preon "), (["-V"], "preon "), (["version"], "preon "), (["help", "method"], "percentile"),
    (["quantize", "--method", "help"], "percentile"), (["quantize", "--target", "help"], "ort-cpu"),
    (["quantize", "--activation", "help"], "uint8"), (["quantize", "--preprocess", "help"], "imagenet"),
    (["quantize", "--config", "help"], "U8S8"), (["quantize", "--disable-pass", "help"], "batch"),
])
def test_help(preon, arguments, says):
    done = preon(*arguments)
    assert done.returncode == 0 and done.stderr == ""
    assert says in done.stdout


def test_runs_keep_no_usage_data(preon, model, data, tmp_path):
    environment = {name: value for name, value in os.environ.items() if name not in ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")}
    done = preon("run", model, "--data", data, "--quiet", env={**environment, "HOME": str(tmp_path / "home")})
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "home").exists()


def test_errors_name_what_is_missing_and_what_helps(preon, model, data):
    assert preon("quantize", model, "-o", "q.onnx", "--data", data, "--always-write", "--latency", 0).returncode == 0
    assert preon("calibrate", model, "-o", "x.calib", "--data", data).returncode == 0
    preon.fails(2, 1002, "report", model, "-o", "r.pdf", "--data", data, says="--output: got 'r.pdf'")
    preon.fails(2, 1003, "ranges", model, says="ranges: no samples; wanted --data SRC for the ranges of a model, or a .calib file")
    assert "preon validate FLOAT QUANTIZED" in preon.fails(2, 2009, "validate", "q.onnx", "--data", data).stderr
    preon.fails(2, 1003, "validate", model, "--data", data, "--require", "drop<=1%", "--latency", 0, says="or another metric, which preon validate counts")
    other = preon.fails(2, 3013, "quantize", model, "-o", "s.onnx", "--calib", "x.calib", "--target", "simulate", "--always-write")
    assert "preon calibrate with the options of this run, such as --target, makes a file that fits" in other.stderr
