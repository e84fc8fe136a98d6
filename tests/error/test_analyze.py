"""What preon analyze refuses, and what it says of tensors without values."""
import json

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper


@pytest.fixture
def calib(preon, model, data):
    assert preon("calibrate", model, "-o", "a.calib", "--data", data).returncode == 0
    return "a.calib"


def test_another_model(preon, model, data, calib):
    other = onnx.load(preon.folder / model)
    other.producer_name = "somebody else"
    onnx.save(other, preon.folder / "other.onnx")
    preon("calibrate", "other.onnx", "-o", "other.calib", "--data", data)
    preon.fails(2, 3013, "analyze", calib, "--production", "other.calib", "--html", "p.html",
                says="other.calib: made for another model (fingerprint ")


def test_another_target(preon, model, data, calib):
    preon("calibrate", model, "-o", "quark.calib", "--data", data, "--target", "quark")
    preon.fails(2, 3013, "analyze", calib, "--production", "quark.calib", says="quark.calib: made with 'target=quark ")


def test_exact_and_sampled_compare(preon, model, data, calib):
    preon("calibrate", model, "-o", "exact.calib", "--data", data, "--exact", "--no-optimize")
    done = preon("analyze", calib, "--production", "exact.calib", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["summary"]["production"]["gaps"] == []


@pytest.mark.parametrize("arguments, status, number, says", [
    ([], 2, 1003, "no FILE given"),
    (["gone.calib"], 2, 3012, "gone.calib: no such file"),
    (["a.calib", "--production", "gone.calib"], 2, 3012, "gone.calib: no such file"),
    (["model.onnx"], 2, 3012, "not a .calib file"),
    (["a.calib", "--method", "minmx"], 2, 1001, "did you mean 'minmax'?"),
    (["a.calib", "--html", "a.calib"], 2, 1004, "'a.calib' is an input"),
    (["a.calib", "--production", "b.calib", "--html", "b.calib"], 2, 1004, "'b.calib' is an input"),
    (["a.calib", "--html", "nowhere/p.html"], 1, 7003, "'nowhere' does not exist"),
    (["a.calib", "--data", "calib.npz"], 2, 1001, "unknown option '--data'"),
])
def test_mistakes(preon, calib, arguments, status, number, says):
    (preon.folder / "b.calib").write_bytes((preon.folder / "a.calib").read_bytes())
    preon.fails(status, number, "analyze", *arguments, says=says)


@pytest.mark.parametrize("question", [["--group-by", "folder"], ["--tolerance", "0.1"], ["--cover", "c.txt"]])
def test_questions_about_samples_that_were_not_kept(preon, calib, question):
    done = preon.fails(2, 3013, "analyze", calib, *question, says=f"a.calib: {question[0]}: the file has no statistics per sample")
    assert "calibrate --per-sample" in done.stderr
    done = preon("analyze", calib)
    assert done.returncode == 0 and "calibrate --per-sample" in done.stdout


@pytest.mark.parametrize("arguments, number, says", [
    (["--group-by", "folder"], 1002, "--group-by folder: got 16 samples in one group, '.'"),
    (["--group-by", "label"], 1002, "got 16 samples in one group, 'none'"),
    (["--group-by", "size"], 1002, "got 'size', wanted folder, file or label"),
    (["--tolerance", "1"], 1002, "got '1', wanted a number of at least 0 and below 1"),
    (["--tolerance", "nan"], 1002, "got 'nan'"),
    (["--tolerance", "-0.1"], 1002, "got '-0.1'"),
    (["--cover", "p.calib"], 1004, "'p.calib' is an input"),
    (["--html", "same", "--cover", "./same"], 1004, "--cover: './same' is that of --html, too"),
])
def test_mistakes_about_samples(preon, model, data, arguments, number, says):
    assert preon("calibrate", model, "-o", "p.calib", "--data", data, "--per-sample").returncode == 0
    preon.fails(2, number, "analyze", "p.calib", *arguments, says=says)


@pytest.mark.parametrize("number, arguments, says", [
    (3014, ["--data", "calib.npz", "--only", "bad.txt"], "--only: bad.txt:2: got 'x', wanted POSITION or POSITION<TAB>NAME"),
    (3001, ["--data", "calib.npz", "--only", "gone.txt"], "--only: gone.txt: no such file"),
    (1004, ["--only", "bad.txt"], "--only: has no effect without --data"),
])
def test_lists_of_samples(preon, model, data, number, arguments, says):
    (preon.folder / "bad.txt").write_text("0\nx\n")
    preon.fails(2, number, "calibrate", model, "-o", "o.calib", *arguments, says=says)


def test_a_list_is_never_written_to(preon, model, data):
    (preon.folder / "only.txt").write_text("0\n")
    preon.fails(2, 1004, "calibrate", model, "-o", "only.txt", "--data", data, "--only", "only.txt", says="is an input")


def test_parts_with_and_without_samples_do_not_merge(preon, model, data):
    for shard, options in ((1, ["--per-sample"]), (2, [])):
        assert preon("calibrate", model, "-o", f"{shard}.calib", "--data", data, "--shard", f"{shard}/2", *options).returncode == 0
    done = preon.fails(2, 3013, "merge", "1.calib", "2.calib", "-o", "m.calib", says="has no facts per sample, input 1 has some")
    assert "--per-sample" in done.stderr


def test_a_failed_write_leaves_the_old_page(preon, calib):
    (preon.folder / "p.html").write_text("old")
    (preon.folder / "a.calib").write_text("no .calib file")
    preon.fails(2, 3012, "analyze", calib, "--html", "p.html")
    assert (preon.folder / "p.html").read_text() == "old"


def test_a_branch_that_nothing_reaches(preon):
    weight = onnx.numpy_helper.from_array(np.ones((2, 3, 1, 1), np.float32), "w")
    branch = lambda name: helper.make_graph([helper.make_node("Conv", ["x", "w"], [name], name=f"conv_{name}")], name, [],
                                            [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
    graph = helper.make_graph(
        [helper.make_node("If", ["c"], ["y"], then_branch=branch("taken"), else_branch=branch("left"))], "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 3, 4, 4]), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [weight])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), preon.folder / "if.onnx")
    np.savez(preon.folder / "if.npz", x=np.random.default_rng(3).normal(size=(4, 3, 4, 4)).astype(np.float32), c=np.ones(4, bool))
    done = preon("calibrate", "if.onnx", "-o", "if.calib", "--data", "if.npz")
    assert done.returncode == 0, done.stderr
    analysis = json.loads(preon("analyze", "if.calib", "--json").stdout)
    assert analysis["summary"]["not_reached"] == ["left"]
    assert analysis["tensors"]["left"]["method"] is None
    assert analysis["tensors"]["x"]["method"] == "minmax"
    assert "left: no calibration sample reaches it" in preon("analyze", "if.calib", "--html", "p.html").stdout
