import numpy as np
import pytest

from banditbo.bandit import (
    GPUCB,
    POLICIES,
    UCB1,
    Auto,
    DrawnFunction,
    EpsilonGreedy,
    Exp3,
    ExpectedImprovement,
    MaxUCB,
    Oracle,
    Pulls,
    RoundRobin,
    Thompson,
    Uniform,
    UpperBound,
    policy,
)
from banditbo.errors import InvalidValueError
from banditbo.space import Categorical, Space

SPACE = Space({"c": Categorical(["a", "b", "c", "d"])})
ARM = np.array([0, 1, 2, 3, 0, 1, 0, 2])
VALUE = np.array([1.0, 5.0, 3.0, 0.0, 2.0, 4.0, np.nan, 10.0])
ALL = np.ones(4, dtype=bool)


def pulls(open_arms=ALL, pending=(), arm=ARM, value=VALUE):
    waiting = np.array(pending, dtype=int)
    return Pulls.of(
        SPACE, np.asarray(arm, int), np.asarray(value, float), waiting, np.asarray(open_arms)
    )


def chosen(mask):
    assert mask.sum() == 1
    return int(np.argmax(mask))


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_rewards_are_values_between_the_worst_and_the_best():
    p = pulls(pending=[3, 3])
    np.testing.assert_allclose(p.reward, [0.1, 0.5, 0.3, 0.0, 0.2, 0.4, 0.0, 1.0])
    assert p.pulls.tolist() == [3, 2, 2, 3]
    assert p.count.tolist() == [3, 2, 2, 1]
    np.testing.assert_allclose(p.mean(), [0.1, 0.45, 0.65, 0.0])
    np.testing.assert_allclose(p.best(), [0.2, 0.5, 1.0, 0.0])


@pytest.mark.parametrize(
    "value", [[], [3.0], [2.0, 2.0], [np.nan, np.nan], [-1.7e308, 1.7e308], [1e-320, 0.0]]
)
def test_rewards_of_extremes(value):
    p = pulls(arm=np.zeros(len(value), int), value=value)
    assert np.isfinite(p.reward).all()
    assert ((p.reward >= 0) & (p.reward <= 1)).all()
    assert np.isfinite(p.mean()).all()


def test_ucb1(rng):
    p = pulls(pending=[2, 2, 2])
    t = 11
    index = p.mean() + np.sqrt(2 * np.log(t) / np.array([3, 2, 5, 1]))
    assert chosen(UCB1().arms(p, rng)) == np.argmax(index) == 3
    # with many pulls of each, the mean decides
    many = pulls(arm=np.repeat(ARM, 500), value=np.repeat(VALUE, 500))
    assert chosen(UCB1().arms(many, rng)) == 2
    # in between, the formula
    arm = np.repeat([0, 1, 2, 3], [40, 9, 30, 12])
    value = np.repeat([1.0, 0.4, 0.95, 0.0], [40, 9, 30, 12])
    index = np.array([1.0, 0.4, 0.95, 0.0]) + np.sqrt(2 * np.log(91) / np.array([40, 9, 30, 12]))
    assert chosen(UCB1().arms(pulls(arm=arm, value=value), rng)) == np.argmax(index) == 2
    assert np.argmax([1.0, 0.4, 0.95, 0.0]) != 2
    agree = []
    for seed in range(40):
        lot = np.random.default_rng(seed)
        p = pulls(arm=np.append(np.arange(4), lot.integers(4, size=30)), value=lot.random(34))
        got = chosen(UCB1().arms(p, rng))
        by_factor = [
            np.argmax(p.mean() + np.sqrt(f * np.log(34) / p.count)) for f in (2.0, 1.0, 4.0)
        ]
        assert got == by_factor[0]
        agree.append(len(set(by_factor)) == 1)
    assert not all(agree)


def test_max_ucb(rng):
    counts = [30, 4, 9, 12]
    arm, best = np.repeat([0, 1, 2, 3], counts), np.array([1.0, 0.2, 0.97, 0.0])
    index = best + (0.5 * np.log(55) / np.array(counts)) ** 2
    assert np.argmax(index) == 2
    p = pulls(arm=arm, value=np.repeat(best, counts))
    assert chosen(MaxUCB().arms(p, rng)) == 2
    assert chosen(MaxUCB(alpha=0.0).arms(p, rng)) == 0
    assert chosen(MaxUCB(alpha=9.0).arms(p, rng)) == 1


def test_greedy_but_for_epsilon():
    p = pulls()
    rng = np.random.default_rng(0)
    n = 4000
    picks = [chosen(EpsilonGreedy(epsilon=0.3).arms(p, rng)) for _ in range(n)]
    expected = np.array([0.075, 0.075, 0.775, 0.075])
    error = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(np.bincount(picks, minlength=4) / n - expected) < 4.5 * error).all()
    assert chosen(EpsilonGreedy(epsilon=0.0).arms(p, rng)) == 2


def test_exp3_probabilities():
    gamma, k = 0.2, 4
    p = pulls()
    weight = np.ones(k)
    for arm, reward in zip(p.arm, p.reward, strict=True):
        probability = (1 - gamma) * weight / weight.sum() + gamma / k
        weight[arm] *= np.exp(gamma * reward / probability[arm] / k)
    expected = (1 - gamma) * weight / weight.sum() + gamma / k
    rng, n = np.random.default_rng(0), 6_000
    picks = [chosen(Exp3(gamma=gamma).arms(p, rng)) for _ in range(n)]
    error = np.sqrt(expected * (1 - expected) / n)
    assert np.ptp(expected) > 0.03
    assert (np.abs(np.bincount(picks, minlength=4) / n - expected) < 4.5 * error).all()


def test_exp3_does_not_overflow():
    p = pulls(arm=np.zeros(20_000, int), value=np.arange(20_000.0))
    assert chosen(Exp3(gamma=0.01).arms(p, np.random.default_rng(0))) == 0


def test_round_robin(rng):
    assert chosen(RoundRobin().arms(pulls(), rng)) == 3
    assert chosen(RoundRobin().arms(pulls(pending=[3, 3]), rng)) == 1
    arm: list[int] = []
    for _ in range(8):
        arm.append(
            chosen(RoundRobin().arms(pulls(arm=np.array(arm, int), value=[0.0] * len(arm)), rng))
        )
    assert arm == [0, 1, 2, 3, 0, 1, 2, 3]


def test_uniform():
    rng = np.random.default_rng(0)
    picks = [chosen(Uniform().arms(pulls([True, False, True, True]), rng)) for _ in range(3000)]
    share = np.bincount(picks, minlength=4) / 3000
    np.testing.assert_allclose(share, [1 / 3, 0, 1 / 3, 1 / 3], atol=0.04)


def test_oracle(rng):
    assert Oracle(best={"c": "b"}).arms(pulls(), rng).tolist() == [False, True, False, False]
    with pytest.raises(InvalidValueError, match=r"Oracle\(best=\{'c': 'z'\}\) names no arm"):
        Oracle(best={"c": "z"}).arms(pulls(), rng)


def test_arms_never_played_come_first(rng):
    p = pulls(arm=[0, 2], value=[5.0, 1.0])
    for kind in (UCB1, MaxUCB, EpsilonGreedy):
        seen = {
            chosen(kind(epsilon=0.0).arms(p, rng))
            if kind is EpsilonGreedy
            else chosen(kind().arms(p, rng))
            for _ in range(40)
        }
        assert seen == {1, 3}


@pytest.mark.parametrize("name", POLICIES)
@pytest.mark.parametrize("played", [True, False])
def test_closed_arms_are_never_chosen(name, played, rng):
    open_arms = np.array([True, True, False, False])
    p = pulls(open_arms) if played else pulls(open_arms, arm=[], value=[])
    for _ in range(50):
        mask = policy(name).arms(p, rng)
        assert mask.any()
        assert not (mask & ~open_arms).any()


def test_model_based_policies_leave_the_arm_to_the_peaks(rng):
    for kind in (Auto, Thompson, GPUCB):
        assert kind().arms(pulls(), rng).all()


@pytest.mark.parametrize(
    ("made", "score"),
    [
        (Auto(), ExpectedImprovement),
        (Thompson(), DrawnFunction),
        (GPUCB(), UpperBound),
        (UCB1(), DrawnFunction),
        (UCB1(point="ei"), ExpectedImprovement),
        (Exp3(point="ucb"), UpperBound),
    ],
)
def test_scores(scene, made, score, rng):
    posterior = scene.belief.posterior()
    got = made.score(posterior, scene.feasibility, 10, rng)
    assert type(got) is score
    assert got.feasibility is scene.feasibility
    if score is UpperBound:
        assert got.width == pytest.approx(np.sqrt(2 * np.log(8 * 121 * np.pi**2 / 0.6)))


@pytest.mark.parametrize("name", POLICIES)
def test_names(name):
    assert type(policy(name)) is POLICIES[name]
    made = POLICIES[name]()
    assert policy(made) is made


def test_unknown_policies_are_refused():
    with pytest.raises(InvalidValueError, match="'greedy' is unknown: use one of auto, thompson"):
        policy("greedy")
    with pytest.raises(InvalidValueError, match="an Oracle must be told the best arm"):
        policy("oracle")
    with pytest.raises(InvalidValueError, match="policy 5 is not"):
        policy(5)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: UCB1(point="best"), "point='best' is unknown"),
        (lambda: EpsilonGreedy(epsilon=1.5), "epsilon=1.5"),
        (lambda: Exp3(gamma=0.0), "gamma=0.0"),
        (lambda: Exp3(gamma=float("nan")), "gamma=nan"),
        (lambda: MaxUCB(alpha=-1.0), "alpha=-1.0"),
    ],
)
def test_bad_settings_are_refused_when_they_are_made(make, what):
    with pytest.raises(InvalidValueError, match=what):
        make()
