"""Mixed precision: which layers get other types, by threshold, cache and blocks."""
import json
import signal

import numpy as np
import onnx
import pytest
from test_accuracy_fallback import loud_channel_model

INT8, INT16 = ({role: {"symmetric": True, "scale_type": "Float32", "calibration_method": "MinMax", "quant_granularity": "Tensor", "data_type": kind}
                for role in ("input_tensors", "weight")} for kind in ("Int8", "Int16"))
NAMES = {"loud", "undone", "third", "fourth"}


@pytest.fixture
def mixed(preon):
    """Runs with this algorithm over a base of int8 or int16; what the result says of it, and the model."""
    folder = preon.folder
    onnx.save(loud_channel_model(30), folder / "m.onnx")
    np.savez(folder / "calib.npz", x=np.random.default_rng(2).normal(size=(12, 3, 16, 16)).astype(np.float32))

    def run(base=INT8, status=0, **parameters):
        algorithm = {"name": "auto_mixprecision", **parameters}
        (folder / "q.json").write_text(json.dumps({"global_config": base, "algo_config": [algorithm]}))
        done = preon("quantize", "m.onnx", "-o", "o.onnx", "--data", "calib.npz", "--config", "q.json", "--json", "--always-write", "--quiet")
        assert done.returncode == status, done.stderr
        return done.stderr if status else json.loads(done.stdout.splitlines()[-1])["precision"]
    return run


def changed(found):
    return {node for candidate in found["candidates"] if candidate["changed"] for node in candidate["nodes"]}


def int16_pairs(path):
    model = onnx.load(path)
    zero_points = {tensor.name for tensor in model.graph.initializer if tensor.data_type == onnx.TensorProto.INT16}
    return sum(node.op_type == "QuantizeLinear" and node.input[-1] in zero_points for node in model.graph.node)


def test_a_threshold_of_0_changes_all_and_none_at_all_changes_nothing(mixed, preon):
    assert changed(mixed(target_layer_config=INT16)) == NAMES
    assert int16_pairs(preon.folder / "o.onnx") > 0
    found = mixed(target_layer_config=INT16, metric_threshold=None)
    assert changed(found) == set() and len(found["candidates"]) == len(NAMES)
    assert int16_pairs(preon.folder / "o.onnx") == 0


@pytest.mark.parametrize("metric", ["l2", "kl", "cosine", "sqnr", "psnr"])
def test_quality_takes_the_fewest_that_reach_the_threshold(mixed, metric):
    """And what would be one fewer has been run and is beyond it."""
    way = {point["changed"]: point["distance"] for point in mixed(target_layer_config=INT16, metric_default=metric, metric_threshold=None)["points"]}
    threshold = (way[0] + way[4]) / 2
    found = mixed(target_layer_config=INT16, metric_default=metric, metric_threshold=threshold, metric_optimize_object="quality")
    points = {point["changed"]: point["distance"] for point in found["points"]}
    count = len(changed(found))
    assert 0 < count and points[count] <= threshold < points[count - 1]
    assert [point["changed"] for point in found["points"] if point["chosen"]] == [count]
    scores = [candidate["score"] for candidate in found["candidates"]]
    assert scores == sorted(scores)


def test_speed_takes_the_most_that_keep_within_the_threshold(mixed):
    way = {point["changed"]: point["distance"] for point in mixed(INT16, target_layer_config=INT8, metric_threshold=None)["points"]}
    threshold = (way[0] + way[4]) / 2
    found = mixed(INT16, target_layer_config=INT8, metric_threshold=threshold)
    points = {point["changed"]: point["distance"] for point in found["points"]}
    count = len(changed(found))
    assert count < 4 and points[count] <= threshold < points[count + 1]


def test_nothing_changes_where_the_threshold_holds_already_or_never_can(mixed):
    assert "within the threshold" in mixed(target_layer_config=INT16, metric_threshold=1e6, metric_optimize_object="quality")["why_not"]
    assert "beyond the threshold" in mixed(INT16, target_layer_config=INT8, metric_threshold=1e-9)["why_not"]


def test_names_and_types_choose_the_candidates(mixed):
    assert changed(mixed(target_layer_config=INT16, include_layers=["third", "loud"])) == {"third", "loud"}
    assert changed(mixed(target_layer_config=INT16, exclude_layers=["third"])) == NAMES - {"third"}
    assert "[E1006]" in mixed(target_layer_config=INT16, include_layers=["thrid"], status=2)
    assert "no layer that may change" in mixed(target_layer_config=INT16, target_op_type=["Gemm"], status=2)


def test_each_candidate_gets_the_best_of_several_forms(mixed):
    weights = {**INT8, "weight": INT16["weight"]}
    found = mixed(target_layer_config=[weights, INT16])
    assert all(candidate["scores"][candidate["form"]] == min(candidate["scores"]) for candidate in found["candidates"])
    found = mixed(target_layer_config=[[INT16, ["loud"]], [weights, ["third"]]])
    assert changed(found) == {"loud", "third"}


def test_scores_come_from_the_cache_and_a_disabled_candidate_stays(mixed, preon):
    cache = preon.folder / "cache.json"
    first = mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache))
    stored = json.loads(cache.read_text())
    assert first["cached"] == 0 and {entry["name"] for entry in stored["results"]} == NAMES
    pinned = stored["results"][0]
    pinned["enabled"] = False
    cache.write_text(json.dumps(stored))
    again = mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache))
    assert again["cached"] == len(NAMES) and again["trials"] < first["trials"]
    assert changed(again) == NAMES - {pinned["name"]}
    assert [each["why_not"] for each in again["candidates"] if each["name"] == pinned["name"]] == ["the cache file has it disabled"]


def test_candidates_that_the_cache_lacks_are_scored(mixed, preon):
    cache = preon.folder / "cache.json"
    whole = mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache))
    stored = json.loads(cache.read_text())
    cache.write_text(json.dumps({**stored, "results": stored["results"][2:] + [{"name": "third", "all_config_scores": [1, 2]}, 7]}))
    again = mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache))
    assert again["cached"] == 2 and again["candidates"] == whole["candidates"]
    assert len(json.loads(cache.read_text())["results"]) == len(NAMES)


@pytest.mark.parametrize("other", [{"metric_default": "kl"}, {"include_layers": ["third", "loud"]}, {"target_layer_config": INT8}, {"base": INT16}])
def test_a_cache_of_another_search_is_refused(mixed, preon, other):
    cache = preon.folder / "cache.json"
    mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache))
    found = mixed(**{"target_layer_config": INT16, "sensitivity_cache_file": str(cache), **other})
    assert found["stale_cache"] and found["cached"] == 0
    assert not mixed(**{"target_layer_config": INT16, "sensitivity_cache_file": str(cache), **other})["stale_cache"]


def test_a_cache_file_that_is_none_is_an_error(mixed, preon):
    cache = preon.folder / "cache.json"
    cache.write_text("[]")
    assert "wanted a file of scores" in mixed(target_layer_config=INT16, sensitivity_cache_file=str(cache), status=2)
    assert cache.read_text() == "[]"


@pytest.mark.thorough
def test_ctrl_c_writes_the_best_model_so_far(preon):
    """And the cache has the scores so far, with which the next run goes on."""
    model = loud_channel_model(30)
    for value in (*model.graph.input, *model.graph.output):
        for axis in (2, 3):
            value.type.tensor_type.shape.dim[axis].dim_value = 96
    onnx.save(model, preon.folder / "m.onnx")
    np.savez(preon.folder / "calib.npz", x=np.random.default_rng(2).normal(size=(32, 3, 96, 96)).astype(np.float32))
    algorithm = {"name": "auto_mixprecision", "target_layer_config": [INT16] * 200, "sensitivity_cache_file": "cache.json", "metric_threshold": 1e-3,
                 "metric_optimize_object": "quality"}
    (preon.folder / "q.json").write_text(json.dumps({"global_config": INT8, "algo_config": [algorithm]}))
    process = preon.start("quantize", "m.onnx", "-o", "o.onnx", "--data", "calib.npz", "--config", "q.json", "--always-write", "--json", "--threads", "1")
    while (now := json.loads(process.stderr.readline()))["stage"] != "try" or now["done"] < 250 * 24:
        pass
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    found = json.loads(stdout)["precision"]
    onnx.checker.check_model(preon.folder / "o.onnx")
    chosen, = (point for point in found["points"] if point["chosen"])
    assert found["interrupted"] and chosen["distance"] == min(point["distance"] for point in found["points"])
    assert len(json.loads((preon.folder / "cache.json").read_text())["results"]) < len(NAMES)


def test_blocks_change_as_a_whole(mixed, preon):
    blocks = preon.folder / "blocks.json"
    stem = {"name": "stem", "start_nodes": ["loud"], "end_nodes": ["undone"]}
    blocks.write_text(json.dumps({"num_subgraphs": 1, "subgraphs": [stem]}))
    found = mixed(target_layer_config=INT16, subgraph_json=str(blocks))
    assert {candidate["name"]: set(candidate["nodes"]) for candidate in found["candidates"]} == {
        "stem": {"loud", "undone"}, "__ungrouped__": {"third", "fourth"}}
    blocks.write_text(json.dumps({"num_subgraphs": 2, "subgraphs": [stem]}))
    assert "num_subgraphs is 2" in mixed(target_layer_config=INT16, subgraph_json=str(blocks), status=2)
    blocks.write_text(json.dumps({"subgraphs": [{**stem, "end_nodes": ["nothing"]}]}))
    assert "no node 'nothing'" in mixed(target_layer_config=INT16, subgraph_json=str(blocks), status=2)


def test_mistakes_are_named(mixed):
    assert "did you mean 'metric_threshold'" in mixed(target_layer_config=INT16, metric_treshold=1, status=2)
    assert "needs target_layer_config" in mixed(status=2)
    assert "metric_output_index: got 3" in mixed(target_layer_config=INT16, metric_output_index=3, status=2)
    assert "metric_default: got 'l3'" in mixed(target_layer_config=INT16, metric_default="l3", status=2)


def test_the_command_line_takes_a_type(mixed, preon):
    done = preon("quantize", "m.onnx", "-o", "o.onnx", "--data", "calib.npz", "--target", "quark", "--activation", "int8", "--always-write", "--quiet",
          "--algorithm", "auto_mixprecision:target_layer_config=int16,include_layers=third")
    assert done.returncode == 0 and "1 of 1 candidate changed to int16" in done.stdout
    assert int16_pairs(preon.folder / "o.onnx") > 0
