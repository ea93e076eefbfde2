import numpy as np
import pytest

from banditbo.bandit import Frame, outlook, stream
from banditbo.model import Model, ModelSetting, Observations
from banditbo.space import Categorical, Space

FIXED = ModelSetting(estimate="map", transform="standard")


def flat(values, setting=FIXED):
    """A belief of arms without parameters: values by arm."""
    space = Space({"c": Categorical(list("abcdef"[: len(values)]))})
    frame = Frame.of(space)
    arm = np.repeat(np.arange(len(values)), [len(v) for v in values])
    value = np.concatenate([np.asarray(v, float) for v in values])
    data = Observations(arm, np.zeros((len(arm), frame.width)), value, np.zeros(len(arm)))
    return frame, Model(frame.layout(), setting).believe(data)


def test_probabilities_are_those_of_the_exact_posterior():
    frame, belief = flat([[1.0, 2.0], [1.5, 2.5], [0.0], [2.2, 0.9]])
    view = outlook(belief, frame, np.ones(4, bool), stream(0, 0, "outlook"), 1200)
    posterior = belief.posterior()
    arms, x = np.arange(4), np.zeros((4, frame.width))
    mean, _ = posterior.mean_variance(arms, x)
    factor = np.linalg.cholesky(posterior.covariance(arms, x) + 1e-12 * np.eye(4))
    rng = np.random.default_rng(0)
    f = mean + rng.standard_normal((200_000, 4)) @ factor.T
    expected = np.bincount(f.argmax(axis=1), minlength=4) / len(f)
    error = np.sqrt(expected * (1 - expected) / 1200)
    assert view.probability.sum() == pytest.approx(1.0)
    assert (np.abs(view.probability - expected) < 4.5 * error + 1e-3).all()
    assert view.best == view.probability.max()
    values = posterior.warp.inverse(f)
    np.testing.assert_allclose(view.mean, values.mean(axis=0), atol=0.12)
    np.testing.assert_allclose(view.low, np.quantile(values, 0.05, axis=0), atol=0.25)
    np.testing.assert_allclose(view.high, np.quantile(values, 0.95, axis=0), atol=0.25)
    here = values[:, int(np.argmax(mean))]
    assert view.improvement == pytest.approx(np.mean(values.max(axis=1) - here), rel=0.2)


def test_ranks_do_not_favour_the_first_arm():
    """Beyond the best value ranks cannot tell values apart: the draws themselves can."""
    values = [[1.0, 3.0], [1.1, 3.1], [1.2, 3.2]]
    frame, belief = flat(values, ModelSetting(estimate="map", transform="ranks"))
    view = outlook(belief, frame, np.ones(3, bool), stream(0, 0, "outlook"), 400)
    assert view.probability[2] > view.probability[0]


def test_closed_arms_are_never_the_best():
    frame, belief = flat([[5.0, 5.1], [1.0, 1.2], [1.1, 1.3]])
    is_open = np.array([False, True, True])
    view = outlook(belief, frame, is_open, stream(0, 0, "outlook"))
    assert view.probability[0] == 0.0
    assert view.probability.sum() == pytest.approx(1.0)


def test_little_is_left_when_the_optimum_is_known():
    rng = np.random.default_rng(0)
    certain = [list(m + 1e-4 * rng.standard_normal(20)) for m in (0.0, 1.0, 3.0)]
    frame, belief = flat(certain)
    view = outlook(belief, frame, np.ones(3, bool), stream(0, 0, "outlook"))
    assert view.improvement < 0.01
    assert view.best > 0.99
    vague_frame, vague = flat([[0.0, 2.0], [1.0, 2.5], [3.0, 1.0]])
    more = outlook(vague, vague_frame, np.ones(3, bool), stream(0, 0, "outlook"))
    assert more.improvement > 5 * view.improvement


def test_before_anything_is_known_everything_may_be_had():
    frame, belief = flat([[], [], []])
    view = outlook(belief, frame, np.ones(3, bool), stream(0, 0, "outlook"), 300)
    assert view.improvement == np.inf
    np.testing.assert_allclose(view.probability, 1 / 3, atol=0.15)


def test_outlook_in_continuous_arms(scene):
    view = outlook(scene.belief, scene.frame, np.ones(8, bool), stream(0, 0, "outlook"), 32)
    data = scene.belief.data
    assert view.probability.sum() == pytest.approx(1.0)
    assert (view.low <= view.high).all()
    # an arm's optimum is not believed to be far below its best value
    for arm in np.unique(data.arm):
        assert view.mean[arm] > data.value[data.arm == arm].max() - 0.3
