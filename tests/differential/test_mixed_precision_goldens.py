"""Mixed precision against stored runs of AMD Quark 0.13 (testdata/quark/search): which layers change, and the score of each."""
import json

import data_root
import numpy as np
import pytest

RUNS = data_root.QUARK / "search"
STORED = json.loads((RUNS / "mixed_precision.json").read_text())


def tensor(spec):
    return {"symmetric": True, "scale_type": "Float32", "calibration_method": "Percentile", "quant_granularity": "Tensor",
            "data_type": spec.removesuffix("Spec")}


def layer(specs):
    """Outputs, too: Quark changes those that have a pair of their own."""
    activation, weight = map(tensor, specs.split("/"))
    return {"input_tensors": activation, "weight": weight, "output_tensors": activation}


def parameters(case, folder):
    targets = [layer(specs) for specs in case["targets"]]
    given = {"target_layer_config": targets if len(targets) > 1 else targets[0], "data_size": 1, **case["config"]}
    if "subgraph" in given:
        given["subgraph_json"] = "blocks.json"
        (folder / "blocks.json").write_text(json.dumps(given.pop("subgraph")))
    return given


@pytest.mark.parametrize("name", STORED)
def test_the_same_layers_change_with_nearly_the_same_scores(preon, name):
    case, model, folder = STORED[name], name.split("/")[0], preon.folder
    np.savez(folder / "samples.npz", x=np.load(RUNS / "inputs.npz")[f"{model}/calib__x"][:, 0])
    base = {role: spec for role, spec in layer(case["base"]).items() if role != "output_tensors"}
    algorithm = {"name": "auto_mixprecision", **parameters(case, folder)}
    (folder / "q.json").write_text(json.dumps({"global_config": base, "algo_config": [algorithm]}))
    done = preon("quantize", RUNS / f"models/{model}.onnx", "-o", "o.onnx", "--data", "samples.npz", "--config", "q.json", "--compat", "quark",
                 "--json", "--always-write", "--quiet")
    assert done.returncode == 0, done.stderr
    candidates = json.loads(done.stdout.splitlines()[-1])["precision"]["candidates"]
    changed = sorted(node for candidate in candidates if candidate["changed"] for node in candidate["nodes"])
    assert changed == case["changed"]
    # kl and cosine of float32 have steps of some 1e-6. Second pairs come behind Quark's scores.
    if "dual" not in name:
        for candidate in candidates:
            assert candidate["scores"] == pytest.approx(case["scores"][candidate["name"]], rel=0.25, abs=1e-5), candidate["name"]
