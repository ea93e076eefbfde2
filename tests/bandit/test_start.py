import numpy as np
import pytest

from banditbo.bandit import Frame, kronecker, start_arm
from banditbo.bandit.start import visit
from banditbo.space import Categorical, Choice, Float, Space

NESTED = Space(
    {
        "model": Choice(
            {
                "svm": {"kernel": Choice({"rbf": {"g": Float(0, 1)}, "poly": {"d": Float(0, 1)}})},
                "forest": {"x": Float(0, 1), "depth": Categorical([1, 2, 3])},
                "bayes": None,
            }
        ),
        "scale": Categorical(["none", "std"]),
    }
)


def arms(seed, n, space=NESTED):
    frame = Frame.of(space)
    return [start_arm(frame, seed, t).choices for t in range(n)]


@pytest.mark.parametrize("seed", range(8))
def test_every_alternative_is_visited_in_turn(seed):
    seen = arms(seed, 18)
    for lap in range(6):
        assert {c["model"] for c in seen[3 * lap : 3 * lap + 3]} == {"svm", "forest", "bayes"}
        assert {c["scale"] for c in seen[2 * lap : 2 * lap + 2]} == {"none", "std"}
    # inside an alternative, its own visits count
    kernels = [c["kernel"] for c in seen if c["model"] == "svm"]
    depths = [c["depth"] for c in seen if c["model"] == "forest"]
    assert [set(kernels[i : i + 2]) for i in (0, 2, 4)] == [{"rbf", "poly"}] * 3
    assert [set(depths[i : i + 3]) for i in (0, 3)] == [{1, 2, 3}] * 2


def test_the_order_is_drawn_from_the_seed():
    orders = {tuple(c["model"] for c in arms(seed, 3)) for seed in range(40)}
    assert len(orders) == 6
    assert arms(3, 10) == arms(3, 10)
    first = [visit(0, "m", 5, t)[0] for t in range(5)]
    second = [visit(0, "m", 5, t)[0] for t in range(5, 10)]
    assert first != second
    assert visit(0, "m", 5, 12)[1] == 2


def test_a_trial_of_the_start_needs_no_other():
    frame = Frame.of(NESTED)
    alone = start_arm(frame, 4, 7)
    assert alone == [start_arm(frame, 4, t) for t in range(8)][7]


@pytest.mark.parametrize("d", [1, 2, 5])
def test_kronecker_fills_the_cube(d):
    points = np.array([kronecker(0, t, d) for t in range(64)])
    assert points.shape == (64, d)
    assert ((points >= 0) & (points < 1)).all()
    for j in range(d):
        gaps = np.diff(np.sort(points[:, j]))
        assert gaps.max() < 5 / 64  # even: the largest gap of 64 uniform numbers is near 5 / 64
        assert gaps.min() > 1e-4
    assert (kronecker(0, 3, d) != kronecker(1, 3, d)).all()


def test_golden_ratio():
    step = (kronecker(0, 1, 1) - kronecker(0, 0, 1)) % 1.0
    assert step[0] == pytest.approx((5**0.5 - 1) / 2)
    assert kronecker(0, 5, 0).shape == (0,)
