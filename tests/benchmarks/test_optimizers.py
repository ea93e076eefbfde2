import importlib

import pytest
from benchmarks.adapters.base import Budget, MissingPackageError, OptionError
from benchmarks.problems import UnknownNameError, problem
from benchmarks.spaces import active, keys, parse

from benchmarks import optimizers

pytestmark = pytest.mark.filterwarnings("ignore")


def adapter(method, its, **budget):
    try:
        return optimizers.parse(method).make(its, 0, Budget(evaluations=40, **budget))
    except MissingPackageError as error:
        pytest.skip(str(error))


CASES = [(method, "jenatton") for method in optimizers.METHODS]
CASES += [(method, "pipeline") for method in ("random", "tpe-group", "hyperopt", "smac")]


def propose(method, its):
    """Tell a method of a start, and of its own proposals."""
    optimizer = adapter(method, its, batch=2)
    for number, point in enumerate(its.start(0, 1)):
        optimizer.tell(point, -float(number))
    proposals = []
    for number in range(2):
        for point in optimizer.ask(2):
            optimizer.tell(point, -0.1 * number)
            proposals.append(point)
    return proposals


@pytest.mark.parametrize(("method", "name"), CASES)
def test_proposals_are_valid_points_and_repeat(method, name):
    its = problem(name)
    proposals = propose(method, its)
    if name == "jenatton":
        assert propose(method, its) == proposals
    for point in proposals:
        nodes = list(active(its.tree, point))
        assert {node.name for node in nodes} == set(point)
        for node in nodes:
            value = point[node.name]
            if node.kind == "categorical":
                assert value in node.values
            else:
                assert node.low <= value <= node.high
                assert type(value) is (int if node.kind == "int" else float)


def test_names_are_shared_only_by_equal_definitions():
    space = {
        "m": {
            "choice": {
                "p": {"x": {"float": [0, 1]}, "y": {"float": [0, 1]}},
                "q": {"x": {"float": [0, 1]}, "y": {"float": [0, 2]}},
            }
        }
    }
    shared = set(keys(parse(space)).values())
    assert shared == {"m", "x", "m=p/y", "m=q/y"}
    assert len(set(keys(parse(space), "path").values())) == 5


def test_optuna_is_told_of_active_parameters_only():
    pytest.importorskip("optuna")
    its = problem("jenatton")
    optimizer = adapter("tpe-group", its)
    optimizer.tell({"x1": "0", "x2": "1", "x5": 0.5, "r8": 0.25}, -1.0)
    (trial,) = optimizer._study.trials
    assert trial.params == {"x1": "0", "x2": "1", "x5": 0.5, "r8": 0.25}
    assert trial.value == -1.0


def test_config_space_is_conditional():
    pytest.importorskip("smac")
    forest = importlib.import_module("benchmarks.adapters.smac_forest")
    tree = problem("jenatton").tree
    space = forest.configuration_space(tree, keys(tree), 0)
    for config in space.sample_configuration(50):
        names = {"x1", "r8", "x2"} if config["x1"] == "0" else {"x1", "r9", "x3"}
        assert names < set(dict(config))
        assert len(dict(config)) == 4


def test_smac_learns_the_same_whatever_the_shift():
    pytest.importorskip("smac")
    its = problem("jenatton")
    learned = []
    for shift in (1.0, 1000.0):
        optimizer = adapter(f"smac:shift={shift}", its)
        for point in its.start(0, 1):
            optimizer.tell(point, its.evaluate(point))
        optimizer.ask(1)
        _, costs, _ = optimizer._smac._intensifier._config_selector._collect_data()
        learned.append(costs)
    assert learned[0] == pytest.approx(learned[1], abs=1e-9)


def test_method_names():
    chosen = optimizers.select("tpe,bandit:policy=ucb,model=independent,n_init=2,random")
    assert [m.name for m in chosen] == [
        "tpe",
        "bandit:model=independent,n_init=2,policy=ucb",
        "random",
    ]
    assert chosen[1].options == {"policy": "ucb", "model": "independent", "n_init": 2}
    with pytest.raises(UnknownNameError, match="did you mean 'tpe-group'"):
        optimizers.parse("tpegroup")
    with pytest.raises(ValueError, match="key=value"):
        optimizers.parse("tpe:names")
    with pytest.raises(OptionError, match="no option 'speed'"):
        adapter("random:speed=3", problem("jenatton"))
