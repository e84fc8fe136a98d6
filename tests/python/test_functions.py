"""The verbs as functions: they answer what the command line does, and show it."""
import io
import json
import subprocess

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

preon_package = pytest.importorskip("preon", reason="the Python package is not built (nanobind)")


def told(preon, *arguments):
    """What the command line prints as JSON, without times and memory."""
    done = subprocess.run([preon.binary, *map(str, arguments), "--json", "--quiet"], cwd=preon.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return steady(json.loads(done.stdout))


def steady(facts):
    changing = ("seconds", "seconds_per_sample", "peak_rss_bytes", "latency_ms", "output", "calib", "path", "model")
    return {name: value for name, value in facts.items() if name not in changing}


@pytest.fixture
def calib(model, data, tmp_path):
    preon_package.calibrate(tmp_path / model, tmp_path / "model.calib", data=tmp_path / data)
    return "model.calib"


def test_ranges(preon, calib, model, samples, reader, tmp_path):
    result = preon_package.ranges(tmp_path / calib, tmp_path / "ranges.json", method="percentile")
    assert steady(result.facts) == told(preon, "ranges", calib, "--method", "percentile")
    assert set(result.tensors["input"]) >= {"min", "max", "scale", "zero_point"} and (tmp_path / "ranges.json").exists()
    of_model = preon_package.ranges(onnx.load(tmp_path / model), reader=reader(samples), method="minmax")
    assert of_model["tensors"]["input"]["max"] == max(each["input"].max() for each in samples)


def test_analyze(preon, calib, tmp_path):
    result = preon_package.analyze(tmp_path / calib, html=tmp_path / "page.html")
    assert set(result.tensors) == set(told(preon, "analyze", calib)["tensors"]) and (tmp_path / "page.html").exists()
    assert "<details>" in result._repr_html_() and "input" in repr(result)


def test_inspect(preon, calib, model, tmp_path):
    for name in (model, calib):
        assert steady(preon_package.inspect(tmp_path / name).facts) == told(preon, "inspect", name)
    assert preon_package.inspect(onnx.load(tmp_path / model)).operators["Conv"] == 1


def test_instrument(model, tmp_path):
    result = preon_package.instrument(tmp_path / model, tmp_path / "served.onnx", every=10)
    assert (tmp_path / "served.onnx").exists() and result.observed_tensors > 0


def test_instrument_checks_with_samples(model, data, samples, reader, tmp_path):
    kinds = {"data": tmp_path / data}, {"data": samples[0]["input"]}, {"reader": reader(samples)}
    for kind in kinds:
        assert preon_package.instrument(tmp_path / model, tmp_path / "served.onnx", **kind).observed_tensors > 0
    with pytest.raises(preon_package.DataError, match="wanted"):
        preon_package.instrument(tmp_path / model, tmp_path / "served.onnx", data={"input": np.zeros((2, 5), np.float32)})


def test_passes(preon, model, tmp_path):
    names = ["fold_constants", "to_nhwc"]
    result = preon_package.passes(tmp_path / model, names=names)
    (tmp_path / "names.txt").write_text("# both kinds\nto_nhwc\n\nfold_constants  # of float graphs\n")
    assert steady(result.facts) == told(preon, "passes", model, "-o", "out.onnx", "--list", "names.txt")
    assert [each["name"] for each in result.passes] == names and result.passes[1]["changed"]
    assert [dim.dim_value for dim in result.model.graph.input[0].type.tensor_type.shape.dim][1:] == [8, 8, 3]
    assert onnx.load(tmp_path / "out.onnx") == result.model


@pytest.mark.thorough
def test_compare(preon, model, data, samples, reader, tmp_path):
    made = preon_package.quantize(tmp_path / model, reader=reader(samples), method="minmax", latency=0)
    onnx.save(made.model, tmp_path / "q.onnx")
    by_reader = preon_package.compare(tmp_path / model, made.model, reader=reader(samples))
    assert by_reader.outputs == preon_package.compare(tmp_path / model, tmp_path / "q.onnx", data=tmp_path / data).outputs
    assert by_reader.outputs["logits"]["sqnr_db"] == pytest.approx(told(preon, "compare", model, "q.onnx", "--data", data)["outputs"]["logits"]["sqnr_db"])


@pytest.mark.parametrize("call, says", [
    (lambda f: preon_package.analyze(f / "gone.calib"), "gone.calib"),
    (lambda f: preon_package.analyze(f / "model.calib", samples=3), "analyze: no option 'samples'"),
    (lambda f: preon_package.ranges(f / "model.calib", metod="minmax"), "ranges: no option 'metod'; did you mean 'method'"),
    (lambda f: preon_package.inspect(f / "calib.npz"), "calib.npz"),
    (lambda f: preon_package.compare(f / "model.onnx", f / "model.onnx"), "data"),
    (lambda f: preon_package.instrument(f / "model.onnx", f / "model.onnx"), "model.onnx"),
    (lambda f: preon_package.passes(f / "model.onnx"), "got no pass, wanted --pass, --list or --algorithm"),
    (lambda f: preon_package.passes(f / "model.onnx", names="fuse_gellu"), "unknown pass 'fuse_gellu'"),
    (lambda f: preon_package.merge([], f / "m.calib"), "merge: no files given"),
    (lambda f: preon_package.passes(f / "model.onnx", names=["fuse_gellu"]), "unknown pass 'fuse_gellu'; did you mean 'fuse_gelu'"),
    (lambda f: preon_package.passes(f / "model.onnx", names=["fix_shapes"], fix_shape="none=1"), "'none' is not an input or output"),
])
def test_mistakes(calib, tmp_path, call, says):
    with pytest.raises(preon_package.PreonError, match=says):
        call(tmp_path)


def test_nothing_to_gain_is_an_exception_of_its_own(tmp_path):
    weight = np.random.default_rng(4).normal(0, 1 / 3, size=(8, 8, 1, 1)).astype(np.float32)
    nodes = [helper.make_node("Conv", [f"t{layer}", f"w{layer}"], [f"t{layer + 1}"], name=f"conv_{layer}") for layer in range(100)]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", 8, 32, 32]) for name in ("t0", "t100")]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [numpy_helper.from_array(weight, f"w{layer}") for layer in range(100)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = {"data": "random:2", "method": "minmax", "latency": 0}
    with pytest.raises(preon_package.NothingToGain, match="with target ort-cpu the file is larger") as caught:
        preon_package.quantize(model, tmp_path / "out.onnx", **options)
    assert caught.value.number == 5601 and "--always-write" in caught.value.hint and not (tmp_path / "out.onnx").exists()
    assert preon_package.quantize(model, tmp_path / "out.onnx", always_write=True, **options).target == "ort-cpu"


def test_results_tell_what_they_have(model, data, tmp_path):
    result = preon_package.quantize(tmp_path / model, data=tmp_path / data, latency=0)
    assert "compare" in dir(result) and result["verb"] == "quantize" == result.verb
    with pytest.raises(AttributeError, match="no 'colour'; there are: .*compare"):
        result.colour
    page = result._repr_html_()
    assert page.startswith("<pre>") and "<td>logits</td>" in page and page.count("<table>") == page.count("</table>") > 1


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_where_somebody_looks(model, tmp_path, monkeypatch):
    from preon import progress

    for seconds in ("_FIRST_SECONDS", "_NEXT_SECONDS"):
        monkeypatch.setattr(progress, seconds, 0)
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", data="random:2000")
    assert "calibrate: " in terminal.getvalue() and "of 2000" in terminal.getvalue() and terminal.getvalue().endswith(" \r")
    for elsewhere, choice in ((Terminal(), False), (io.StringIO(), None)):
        monkeypatch.setattr("sys.stderr", elsewhere)
        preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", data="random:2000", progress=choice)
        assert elsewhere.getvalue() == ""


def test_arrays_are_not_copied_on_their_way(model, tmp_path):
    """Any layout and element type of NumPy; what is contiguous is read where it is."""
    images = np.random.default_rng(3).normal(size=(4, 8, 8, 3)).astype(np.float32).transpose(0, 3, 1, 2)

    class Views:
        place = 0

        def get_next(self):
            self.place += 1
            return {"input": images[self.place - 1:self.place]} if self.place <= 4 else None

    class Contiguous(Views):
        def get_next(self):
            sample = super().get_next()
            return sample and {"input": np.ascontiguousarray(sample["input"])}

    preon_package.calibrate(tmp_path / model, tmp_path / "a.calib", reader=Views())
    preon_package.calibrate(tmp_path / model, tmp_path / "b.calib", reader=Contiguous())
    assert (tmp_path / "a.calib").read_bytes() == (tmp_path / "b.calib").read_bytes()


@pytest.fixture
def quantized(model, data, tmp_path):
    """Two quantized forms of the model, as paths."""
    paths = [tmp_path / "one.onnx", tmp_path / "two.onnx"]
    for path, method in zip(paths, ("minmax", "percentile")):
        preon_package.quantize(tmp_path / model, path, data=tmp_path / data, method=method, latency=0, always_write=True)
    return paths


def test_several_quantized_models_and_arrays_that_judge(model, data, quantized, tmp_path):
    judging = np.random.default_rng(5).normal(size=(12, 3, 8, 8)).astype(np.float32)
    wanted = np.random.default_rng(6).normal(size=(12, 4)).astype(np.float32)
    options = {"data": tmp_path / data, "latency": 0, "metric": "psnr"}
    np.savez(tmp_path / "judging.npz", input=judging)
    np.save(tmp_path / "wanted.npy", wanted)
    by_files = preon_package.validate(tmp_path / model, quantized, eval_data=tmp_path / "judging.npz", reference=tmp_path / "wanted.npy", **options)
    assert [each.name for each in by_files.models] == [str(path) for path in quantized]
    for judged, reference in (({"input": judging}, {"logits": wanted}), (judging, wanted)):
        by_arrays = preon_package.validate(tmp_path / model, quantized, eval_data=judged, reference=reference, **options)
        assert by_arrays.models == by_files.models
    one = preon_package.validate(tmp_path / model, onnx.load(quantized[0]), eval_data=judging, reference=wanted, **options)
    assert [each.metric for each in one.models] == [by_files.models[0].metric]


@pytest.mark.parametrize("call, says", [
    (lambda f: preon_package.compare(f / "model.onnx", 3, data=f / "calib.npz"), "quantized: got int, wanted a path or an onnx.ModelProto"),
    (lambda f: preon_package.diff(f / "model.onnx", 3), "other: got int"),
    (lambda f: preon_package.validate(f / "model.onnx", [3], data=f / "calib.npz"), "quantized: got int"),
    (lambda f: preon_package.validate(f / "model.onnx", data=f / "calib.npz", eval_data=3), "eval_data: got int, wanted a path, a list of paths, an array"),
    (lambda f: preon_package.validate(f / "model.onnx", data=f / "calib.npz", reference=object()), "reference: got object, wanted a path"),
    (lambda f: preon_package.quantize(f / "model.onnx", data=f / "calib.npz", labels=np.zeros(3)), "labels: got ndarray, wanted a path, a text or a number"),
])
def test_an_argument_that_is_wrong_is_named(model, data, tmp_path, call, says):
    with pytest.raises(TypeError, match=says):
        call(tmp_path)


def test_parts_of_results_have_attributes_too(model, data, quantized, tmp_path):
    result = preon_package.compare(tmp_path / model, quantized[0], data=tmp_path / data, latency=0)
    assert result.outputs.logits.sqnr_db == result["outputs"]["logits"]["sqnr_db"] > 20
    assert json.loads(json.dumps(result.facts)) == result.facts and "logits" in dir(result.outputs)
    with pytest.raises(AttributeError, match="no 'scores'; there are: logits"):
        result.outputs.scores


@pytest.mark.parametrize("pairs", ["Percentile=99", ("Percentile", 99), [("Percentile", 99)], {"Percentile": 99}])
def test_pairs_have_several_forms(model, data, tmp_path, pairs):
    ranges = preon_package.ranges(tmp_path / model, data=tmp_path / data, method="percentile", method_option=pairs).tensors
    assert ranges == preon_package.ranges(tmp_path / model, data=tmp_path / data, method="percentile", method_option=["Percentile=99"]).tensors
    assert ranges != preon_package.ranges(tmp_path / model, data=tmp_path / data, method="percentile").tensors


def test_shapes_are_lists_or_texts(model, tmp_path):
    for shape in ([2, 3, 8, 8], "2x3x8x8"):
        made = preon_package.passes(tmp_path / model, names="fix_shapes", fix_shape={"input": shape}).model
        assert [size.dim_value for size in made.graph.input[0].type.tensor_type.shape.dim] == [2, 3, 8, 8]
    with pytest.raises(TypeError, match="fix_shape: got a tuple of 1"):
        preon_package.passes(tmp_path / model, names="fix_shapes", fix_shape=[("input",)])


def test_options_of_other_verbs_are_refused_by_the_library(model, data, tmp_path):
    from preon import _preon
    for verb, option in (("quantize", "html"), ("calibrate", "require")):
        answer = getattr(_preon, verb)(str(tmp_path / model), str(tmp_path / "out"), [("data", str(tmp_path / data)), (option, "x")], None, None)
        assert answer[0] is None and answer[1] == 1001 and f"no option '{option}'" in answer[2]


def test_a_path_ends_at_no_zero_byte(model, data, tmp_path):
    (tmp_path / "other.onnx").write_text("keep")
    for call in (lambda: preon_package.quantize(tmp_path / model, str(tmp_path / "other.onnx\0junk"), data=tmp_path / data),
                 lambda: preon_package.inspect(str(tmp_path / model) + "\0junk"),
                 lambda: preon_package.quantize(tmp_path / model, data=tmp_path / data, report=str(tmp_path / "other.onnx\0.html"))):
        with pytest.raises(preon_package.ConfigError, match="zero byte"):
            call()
    assert (tmp_path / "other.onnx").read_text() == "keep"


def test_an_option_of_one_value_takes_no_list(model, data, tmp_path):
    with pytest.raises(preon_package.ConfigError, match="samples: got '4' and '8', wanted one value"):
        preon_package.quantize(tmp_path / model, data=tmp_path / data, samples=[4, 8])


def test_spaces_may_hold_numbers_of_numpy(model, data, tmp_path):
    space = {"method": ["percentile"], "effort": ["fast"], "method_options": {"Percentile": [np.float32(99.5), np.float64(99.9)]}}
    found = preon_package.search(tmp_path / model, tmp_path / "best.onnx", space, data=tmp_path / data, latency=0)
    assert {trial["config"]["method_options"]["Percentile"] for trial in found.trials} == {99.5, 99.9}
    with pytest.raises(TypeError, match="space: got set, wanted numbers, texts, lists and dicts"):
        preon_package.search(tmp_path / model, tmp_path / "best.onnx", {"method": {"minmax"}}, data=tmp_path / data)
