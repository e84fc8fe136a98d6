"""What editors, notebooks and type checkers see of the package."""
import inspect
import json
import subprocess
import sys
import types

import pytest

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")
from preon import options as keywords  # noqa: E402

VERBS = ["quantize", "calibrate", "ranges", "analyze", "compare", "diff", "instrument", "passes", "lint", "retarget", "export_qat", "encrypt", "decrypt", "search", "validate", "report"]
SCRIPT = """
import numpy as np
import preon
from preon import launch
from preon.launch import kubernetes, mpi, ray

def main() -> None:
    samples = {"input": np.zeros((4, 3, 8, 8), np.float32)}
    result = preon.quantize("m.onnx", "o.onnx", data=samples, method="minmax", exclude=["head*"], threads=2, option=("CalibDataSize", 4))
    print(preon.inspect("m.onnx").operators, result.samples, result["verb"], result.model, [name for name in result], result.get("warnings"), dict(result))
    preon.instrument("m.onnx", "o.onnx", data=samples)
    preon.calibrate("m.onnx", "m.calib", data=(row for row in samples["input"]), workers=None, progress=False)
    for data in ("c.npz", ["a.npz", "b.npz"], samples, samples["input"], lambda: iter(samples["input"])):
        preon.compare("m.onnx", "o.onnx", data=data)
    try:
        preon.passes("m.onnx", names=["fold_constants"], value_info=True)
        preon.passes("m.onnx", list={"passes": {"fold_constants": {}}})
        preon.passes("m.onnx", list="names.txt")
    except preon.PreonError as error:
        print(error.number, error.hint)
    launch.describe("m.onnx", "run.json", output="m.calib", shards=2, data=["a.npz"], exact=True)
    print(ray.run("run.json").samples, mpi.run("run.json"), launch.unfinished("run.json"), preon.status("run.json").complete)
    kubernetes.write("run.json", "jobs", image="preon", claim="disk")
    config = preon.QConfig(preon.QLayerConfig(input_tensors=preon.UInt8Spec(), weight=preon.Int8Spec()))
    preon.ModelQuantizer(config).quantize_model("m.onnx", "o.onnx", preon.PathDataReader("m.onnx", "folder"))

main()
"""


def check(script, tmp_path):
    """Lines that mypy says of a script."""
    pytest.importorskip("mypy", reason="mypy is not installed (./dev setup)")
    (tmp_path / "script.py").write_text(script)
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--no-error-summary", "--cache-dir=cache", "script.py"],
                          cwd=tmp_path, capture_output=True, text=True, env={"MYPYPATH": str(preon_package.__path__[0]) + "/..", "PATH": ""})
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line.startswith("script.py")]  # not those of the package


@pytest.mark.thorough
def test_a_script_is_typed(tmp_path):
    assert check(SCRIPT.replace("value_info=True", "external_data=True"), tmp_path) == []


@pytest.mark.thorough
def test_mypy_finds_what_is_misspelt_or_of_another_kind(tmp_path):
    found = check(SCRIPT.replace("method=", "metod=").replace("threads=2", "per_tensor='yes'"), tmp_path)
    assert any('Unexpected keyword argument "metod" for "quantize"; did you mean "method"?' in line for line in found), found
    assert any('Unexpected keyword argument "value_info" for "passes"' in line for line in found), found
    assert any('"per_tensor"' in line and "incompatible type" in line for line in found), found


@pytest.mark.parametrize("verb, name, nearest", [
    ("quantize", "metod", "method"), ("quantize", "per_tensr", "per_tensor"), ("calibrate", "sampels", "samples"), ("ranges", "all_method", "all_methods"),
    ("analyze", "htlm", "html"), ("compare", "reprot", "report"), ("instrument", "calib_ot", "calib_out"), ("passes", "list_", "list"),
])
def test_the_call_finds_what_is_misspelt(tmp_path, verb, name, nearest):
    arguments = ["gone.onnx", "o.onnx"][:1 if verb == "analyze" else 2]
    with pytest.raises(preon_package.ConfigError, match=rf"\[E1001\] {verb}: no option '{name}'; did you mean '{nearest}'\?"):
        getattr(preon_package, verb)(*arguments, **{name: 1})


def test_an_option_of_another_verb_is_no_keyword(tmp_path):
    with pytest.raises(preon_package.ConfigError, match="quantize: no option 'all_methods'"):
        preon_package.quantize("gone.onnx", all_methods=True)


def options_of(verb):
    return getattr(keywords, verb.title().replace("_", "") + "Options").__annotations__


@pytest.mark.parametrize("verb", VERBS)
def test_keywords_are_those_of_the_command_line(preon, verb):
    told = json.loads(preon("doctor", "--options", "--json").stdout)["options"]
    wanted = {each["name"].replace("-", "_") for each in told if verb.replace("_", "-") in each["verbs"]} - {"output", "data", "pass", "space"}
    wanted |= {"config"} if "\n  --config " in preon(verb.replace("_", "-"), "--help").stdout else set()
    assert set(options_of(verb)) == wanted


@pytest.mark.parametrize("verb", VERBS)
def test_shells_complete_them(verb):
    """IPython and others ask the signature, which `**options` would end."""
    function = getattr(preon_package, verb)
    signature = inspect.signature(function)
    assert set(signature.parameters) >= set(options_of(verb))
    assert not any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())


def test_everything_public_is_exported():
    """Type checkers need a list that is written out."""
    public = {name for name, value in vars(preon_package).items() if not name.startswith("_") and not isinstance(value, types.ModuleType)}
    assert public - {"inspect", "TYPE_CHECKING"} <= set(preon_package.__all__) and "quantize" in preon_package.__all__
    assert all(hasattr(preon_package, name) or name in preon_package._LAZY for name in preon_package.__all__)
