"""The grammar of search spaces, against what AMD Quark 0.13 makes of them."""
import json

import pytest
from preon import ConfigError, SearchSpace, generate_all_configs
from preon.quantization.auto_search.levels import without_pairs
from preon.quantization.auto_search.space import Space, flat


@pytest.fixture(scope="module")
def stored(vectors):
    return json.loads((vectors / "search/spaces.json").read_text())


def test_stored_spaces(stored):
    cases = {name: case for name, case in stored.items() if name.startswith("space/")}
    assert len(cases) == 12
    for name, case in cases.items():
        if "error_expand" in case:
            with pytest.raises(ValueError) as raised:
                generate_all_configs(case["space"])
            assert case["error_expand"].removeprefix("ValueError: ") in str(raised.value), name
        else:
            configs = generate_all_configs(case["space"])  # in another order where the stored space has its keys sorted
            assert len(configs) == len(case["configs"]) and all(each in configs for each in case["configs"]), name


def test_stored_spaces_of_the_older_search(stored):
    cases = {name: case for name, case in stored.items() if name.startswith("space_v1/")}
    assert len(cases) == 4
    for name, case in cases.items():
        space = SearchSpace(case["space"])
        configs = space.get_all_configs()
        assert len(configs) == case["all"], name
        assert configs == case["configs"], name
        assert space.remove_invalid_configs(configs) == case["valid"], name


def test_pairs_of_iterations_and_rate():
    space = SearchSpace({"include_fast_ft": [True], "extra_options": {"FastFinetune": {"NumIterLR": [[100, 0.1], [10, 0.01]]}}})
    tunings = [without_pairs(each)["extra_options"]["FastFinetune"] for each in space.get_all_configs()]
    assert tunings == [{"NumIterations": 100, "LearningRate": 0.1}, {"NumIterations": 10, "LearningRate": 0.01}]


def test_numbers_of_an_interval():
    group = lambda **interval: {"a": [1], "p": {"k": interval, "only_if": "a"}}
    values = lambda space: [each["p"]["k"] for each in Space(space).configs()]
    assert values(group(type="int", low=1, high=3)) == [1, 2, 3]
    assert values(group(type="int", low=100, high=500, step=200)) == [100, 300, 500]
    assert values(group(type="float", low=0.5, high=1.1, step=0.25)) == [0.5, 0.75, 1.0]
    assert not Space(group(type="float", low=0.5, high=1)).is_countable()
    with pytest.raises(ConfigError, match=r"p\.k: can't be listed without a step"):
        values(group(type="float", low=0.5, high=1))


@pytest.mark.parametrize("space, says", [
    ([], "wanted a dict"),
    ({"a": {"k": 3, "only_if": "b"}}, "wanted a list or"),
    ({"a": {"k": {"type": "text"}, "only_if": "b"}}, "wanted a list or"),
    ({"a": {"k": {"type": "int", "low": 3, "high": 1}, "only_if": "b"}}, "low no larger than high"),
    ({"a": {"k": {"type": "int", "low": 1}, "only_if": "b"}}, "wanted numbers"),
    ({"a": {"k": {"type": "float", "low": 0, "high": 1, "log": True}, "only_if": "b"}}, "log needs low above 0"),
    ({"a": {"k": {"type": "float", "low": 1, "high": 2, "log": True, "step": 1}, "only_if": "b"}}, "and no step"),
    ({"a": {"k": {"type": "float", "low": 1, "high": 2, "step": 0}, "only_if": "b"}}, "step"),
    ({"a": {"k": {"type": "float", "low": 1, "high": 2, "steps": 1}, "only_if": "b"}}, "did you mean 'step'"),
    ({"a": {"k": [1], "only_if": 3}}, "only_if")])
def test_spaces_that_are_wrong(space, says):
    with pytest.raises(ConfigError, match=says):
        Space(space)


def test_names_of_parameters():
    assert flat({"weight": "Int8Spec", "weight_params": {"symmetric": True}}) == {"weight": "Int8Spec", "weight_params_symmetric": True}


def test_groups_that_never_have_values():
    space = Space({"a": [1], "p": {"k": [1], "only_if": {"b": 1}}, "q": {"k": [1], "only_if": "a"}, "r": {"k": [1], "only_if": "q"}})
    assert space.never() == ["p"]
