"""For any space and any values: ask never raises, and proposes valid params."""

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from banditbo import Optimizer, Space, SpaceExhaustedError
from banditbo.bandit import POLICIES

EXTREMES = [0.0, 1.0, -1.0, 1.0, 1e300, -1e300, 1e-300, 5e-324, 1.7e308, -1.7e308, 1e15]
values = st.sampled_from(EXTREMES) | st.floats(allow_nan=False, allow_infinity=False)
outcomes = st.lists(st.none() | values, min_size=4, max_size=9)


def calm(examples):
    return settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
        ],
    )


def check(opt, trial):
    space = opt.space
    assert space.validate(trial.params) == trial.params
    assert space.arm_of(trial.params) == trial.arm
    arm, point = space.encode(trial.params)
    assert ((point >= 0.0) & (point <= 1.0)).all()
    group = space.groups[arm.group]
    assert (group.snap(point) == point).all()
    active = {*trial.arm.choices, *group.names}
    assert set(trial.params) == active


def play(opt, told, batch=1):
    for outcome in told:
        try:
            trials = opt.ask(batch)
        except SpaceExhaustedError:
            return
        for trial in trials:
            check(opt, trial)
            if outcome is None:
                opt.tell(trial, failed=True)
            else:
                opt.tell(trial, outcome)


@calm(60)
@given(st.from_type(Space), outcomes, st.integers(0, 2**40), st.sampled_from(["auto", "paper"]))
def test_ask_proposes_valid_params(space, told, seed, model):
    opt = Optimizer(space, seed=seed, n_init=1, model=model)
    if len(space.arms) > 200:
        return
    play(opt, told, batch=2)
    if opt.best_so_far is not None:
        assert space.validate(opt.best.params) == opt.best.params


@calm(60)
@given(
    st.from_type(Space),
    outcomes,
    st.sampled_from(sorted(POLICIES)),
    st.sampled_from(["auto", "shared", "independent", "paper"]),
)
def test_every_policy_and_model(space, told, policy, model):
    if len(space.arms) > 200:
        return
    play(Optimizer(space, "minimize", seed=0, n_init=0, policy=policy, model=model), told)


@calm(25)
@given(st.from_type(Space), outcomes)
def test_a_saved_optimizer_goes_on_in_the_same_way(space, told):
    if len(space.arms) > 200:
        return
    opt = Optimizer(space, seed=1, n_init=0)
    play(opt, told)
    other = Optimizer.from_json(opt.to_json())
    try:
        asked = opt.ask(2)
    except SpaceExhaustedError:
        return
    assert other.ask(2) == asked
    assert other.to_json() == opt.to_json()


@calm(15)
@given(st.lists(values, min_size=1, max_size=25), st.integers(0, 10**6))
def test_any_values_at_repeated_points(told, seed):
    space = Space.from_dict({"f": {"choice": {"a": {"x": {"float": [0, 1]}}, "b": {}}}})
    opt = Optimizer(space, seed=seed, n_init=0)
    opt.tell([{"f": "a", "x": 0.5} if i % 3 else {"f": "b"} for i in range(len(told))], told)
    for trial in opt.ask(3):
        check(opt, trial)
    assert opt.best.value in told
    assert len(opt.arms) == 2
    opt.to_json()
