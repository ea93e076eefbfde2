"""Saved, read again, and on as if nothing had happened; what is broken is refused."""

import json

import pytest

from banditbo import (
    Categorical,
    Choice,
    Float,
    InvalidStateError,
    ModelSetting,
    Optimizer,
    Oracle,
    Space,
)
from banditbo.bandit import Exp3, MaxUCB
from banditbo.optimizer.state import _checksum

SETTINGS = {
    "default": {},
    "minimize": {"direction": "minimize"},
    "paper": {"model": "paper", "policy": "thompson"},
    "n_init": {"n_init": 1, "noise": 0.1},
    "setting": {"model": ModelSetting(kernel="se", transform="mixture", shorten=0.1)},
    "exp3": {"policy": Exp3(point="ei", gamma=0.3)},
    "max-ucb": {"policy": MaxUCB(alpha=0.2)},
    "oracle": {"policy": Oracle(best={"model": "svm"})},
}


def same_from_here(opt, other, tools, n=3):
    sign = 1.0 if opt.direction == "maximize" else -1.0
    assert tools.run(opt, n, batch=2, sign=sign) == tools.run(other, n, batch=2, sign=sign)
    assert opt.to_json() == other.to_json()


@pytest.mark.parametrize("name", SETTINGS)
def test_resumed_it_proposes_what_it_would_have(space, tools, name):
    """At several points of a run, with trials that are pending, failed, told from elsewhere."""
    opt = Optimizer(space, seed=11, **SETTINGS[name])
    for step in range(3):
        text = opt.to_json()
        other = Optimizer.from_json(text)
        assert other.to_json() == text
        assert other.space == opt.space
        assert (other.direction, other.seed, other.noise) == (opt.direction, opt.seed, opt.noise)
        assert other.history == opt.history
        assert other.pending == opt.pending
        same_from_here(opt, other, tools)
        for told in (opt,):
            trials = told.ask(3)
            told.tell(trials[0], failed=True, error="crash \u2028 \ud800 \x00")
            told.tell(trials[1], 1e300 if step == 1 else -0.5, noise=0.2)
            told.tell({"model": "bayes", "scale": "std"}, 0.1 * step)
    text = opt.to_json()
    assert Optimizer.from_json(text).explain(opt.trials[8]) == opt.explain(8)
    assert Optimizer.from_json(text).arms == opt.arms


def test_retired_arms_and_a_changed_space(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 7)
    opt.retire(model="forest")
    opt.add_arm("model", "lasso", {"alpha": Float(0, 1)})
    opt.retire(scale="none", model="lasso")
    other = Optimizer.from_json(opt.to_json())
    assert [r["retired"] for r in other.arms] == [r["retired"] for r in opt.arms]
    assert opt.ask(3) == other.ask(3)


def test_pending_trials_without_a_place_in_the_space(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 6)
    batch = opt.ask(6)
    small = Space({"model": Choice({"bayes": None, "svm": {"C": Float(1, 2)}})})
    opt.change_space(small)
    other = Optimizer.from_json(opt.to_json())
    assert [t.params for t in other.pending] == [t.params for t in batch]
    other.tell(batch[0], 1.0)
    opt.tell(batch[0], 1.0)
    assert other.to_json() == opt.to_json()
    assert opt.ask()[0].params == other.ask()[0].params


@pytest.mark.parametrize(
    "values",
    [
        [1.0, 1.0, 1.0, 0.0],
        [1e300, -1e300, 1e-300, 0.0],
        [1.7e308, -1.7e308, 1.7e308, 1.0],
        [5e-324, 0.0, 0.0, 0.0],
        [7.0] * 4,
        [1e15, 1.0, 1.0, 1.0],
        [-1e15, 1.0, 1.0, 1.0],
    ],
)
def test_extreme_values_are_written_and_read(space, values):
    """What is noted of a proposal is finite, whatever was told: JSON knows no infinity."""
    for policy in ("auto", "thompson"):
        opt = Optimizer(space, seed=0, n_init=0, policy=policy)
        opt.tell(opt.ask(4), values)
        for _ in range(8):
            (trial,) = opt.ask()
            opt.tell(trial, values[trial.number % 4])
        opt.ask(4)
        text = opt.to_json()
        assert Optimizer.from_json(text).to_json() == text
        assert "nan" not in opt.explain(8)
    json.loads(json.dumps(opt.arms), parse_constant=pytest.fail)


def test_values_that_python_takes_to_be_equal_stay_what_they_are():
    space = Space({"a": Categorical([True, 1, 1.0, None, "1"]), "x": Float(0, 1)})
    opt = Optimizer(space, seed=0)
    batch = opt.ask(10)
    opt.tell(batch, [float(i) for i in range(10)])
    other = Optimizer.from_json(opt.to_json())
    for a, b in zip(opt.trials, other.trials, strict=True):
        assert type(a.params["a"]) is type(b.params["a"])
    assert opt.ask(2) == other.ask(2)


def test_a_policy_of_ones_own_cannot_be_written(space):
    class Mine:
        def arms(self, pulls, rng):
            return pulls.open_arms

        def score(self, posterior, feasibility, t, rng):
            raise NotImplementedError

    with pytest.raises(InvalidStateError, match="cannot be written as JSON: use one of auto"):
        Optimizer(space, policy=Mine()).to_json()


@pytest.fixture(scope="module")
def text(space, tools):
    opt = Optimizer(space, seed=0)
    tools.run(opt, 6)
    opt.ask(2)
    opt.retire(model="bayes")
    return opt.to_json()


@pytest.fixture
def state(text):
    return json.loads(text)


def sealed(state, **changes):
    """A state with changes and a check sum that fits them."""
    state = {**state, **changes}
    state.pop("checksum", None)
    return json.dumps({"checksum": _checksum(state), **state})


def read(text):
    """The optimizer, or None where the text is refused; another error is a fault."""
    try:
        return Optimizer.from_json(text)
    except InvalidStateError:
        return None


def test_sealed_is_read(state):
    assert Optimizer.from_json(sealed(state)).seed == 0
    state.pop("checksum")
    assert Optimizer.from_json(json.dumps(state)).seed == 0


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.7, 0.99])
def test_a_truncated_state(state, share):
    text = json.dumps(state)
    with pytest.raises(InvalidStateError, match="is not JSON, perhaps it was cut off"):
        Optimizer.from_json(text[: int(share * len(text))])


@pytest.mark.parametrize("junk", ["[" * 100_000, "not json", b"\xff\xfe", None, 5])
def test_what_is_not_json(junk):
    with pytest.raises(InvalidStateError, match="is not JSON"):
        Optimizer.from_json(junk)


@pytest.mark.parametrize("other", ["{}", "[]", "3", "null", '"text"', '{"format": "optuna"}'])
def test_json_of_something_else(other):
    with pytest.raises(InvalidStateError, match="this JSON is not the state of an optimizer"):
        Optimizer.from_json(other)


def test_another_version(state):
    with pytest.raises(InvalidStateError, match="the state has version 99, this banditbo reads 1"):
        Optimizer.from_json(sealed(state, version=99))


def test_an_edited_state(state):
    state["told"][0]["value"] = 100.0
    with pytest.raises(InvalidStateError, match="was changed after it was written"):
        Optimizer.from_json(json.dumps(state))


@pytest.mark.parametrize(
    "key",
    [
        "space",
        "direction",
        "seed",
        "n_init",
        "model",
        "policy",
        "noise",
        "next",
        "told",
        "pending",
    ],
)
def test_a_state_that_lacks_something(state, key):
    state.pop(key)
    with pytest.raises(InvalidStateError, match=f"the state lacks {key}"):
        Optimizer.from_json(json.dumps(state))


@pytest.mark.parametrize("junk", [None, 5, "x", [1], {"a": 1}, -1, 1.5, True, [[]], [None], {}])
@pytest.mark.parametrize(
    "key",
    [
        "space",
        "direction",
        "seed",
        "n_init",
        "model",
        "policy",
        "noise",
        "next",
        "retired",
        "told",
        "pending",
    ],
)
def test_junk_anywhere_is_refused_or_means_something(state, key, junk):
    opt = read(sealed(state, **{key: junk}))
    if opt is not None:
        opt.ask()
        opt.to_json()


@pytest.mark.parametrize("field", ["number", "params", "status", "value", "noise", "error", "why"])
@pytest.mark.parametrize("junk", [None, "x", -1, [1], {"a": 1}, 1e400, True])
def test_junk_in_a_trial_is_refused_or_means_something(state, field, junk):
    state["told"][2][field] = junk
    opt = read(sealed(state))
    if opt is not None:
        opt.ask()
        assert opt.history


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s["told"].append(s["told"][0]),
        lambda s: s["pending"].append(s["pending"][0]),
        lambda s: s["pending"].append({**s["pending"][0], "number": 0}),
        lambda s: s.update(next=3),
    ],
)
def test_numbers_that_occur_twice(state, change):
    change(state)
    with pytest.raises(InvalidStateError, match="trial numbers occur twice"):
        Optimizer.from_json(sealed(state))
