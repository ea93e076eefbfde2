"""A space with arms of one, two and no parameters, and posteriors on it."""

from dataclasses import dataclass

import numpy as np
import pytest

from banditbo.bandit import Frame
from banditbo.model import Belief, Feasibility, Model, ModelSetting, Observations
from banditbo.space import Categorical, Choice, Float, Int, Space

SPACE = Space(
    {
        "f": Choice(
            {
                "line": {"x": Float(0, 1)},
                "plane": {"x": Float(0, 1), "y": Float(-1, 1)},
                "grid": {"n": Int(1, 5), "z": Float(0, 2, step=0.5), "u": Float(0, 1)},
                "point": None,
            }
        ),
        "s": Categorical(["a", "b"]),
    }
)


@dataclass
class Scene:
    frame: Frame
    belief: Belief
    feasibility: Feasibility

    def probes(self, rng, n=20, group=None):
        arms = rng.integers(len(self.frame.group), size=n)
        if group is not None:
            arms = rng.choice(np.nonzero(self.frame.group == group)[0], n)
        x = rng.random((n, self.frame.width))
        x[~self.frame.active[self.frame.group[arms]]] = 0.5
        return arms, x


def make_scene(space=SPACE, n=14, seed=0, setting=None):
    setting = setting or ModelSetting(estimate="map", transform="standard")
    frame = Frame.of(space)
    rng = np.random.default_rng(seed)
    arm, points = rng.integers(len(space.arms), size=n), []
    for a in arm:
        group = space.groups[frame.group[a]]
        points.append(frame.pad(group.snap(rng.random(len(group.names)))))
    point = np.array(points).reshape(n, frame.width)
    value = np.sin(6 * point[:, 0]) + np.cos(4 * point[:, 1]) + 0.3 * (arm % 3)
    model = Model(frame.layout(), setting)
    belief = model.believe(Observations(arm, point, value, np.zeros(n)))
    failed = (rng.random(n) < 0.4).astype(float)
    return Scene(frame, belief, Feasibility(belief.layout, arm, point, failed))


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def scene():
    return make_scene()


@pytest.fixture
def tools():
    class Tools:
        space = SPACE
        make_scene = staticmethod(make_scene)

        @staticmethod
        def slope(f, x, h=1e-6):
            """Central differences of f (P,) by x (P, D)."""
            out = np.empty(x.shape)
            for j in range(x.shape[1]):
                step = np.zeros(x.shape[1])
                step[j] = h
                out[:, j] = (f(x + step) - f(x - step)) / (2.0 * h)
            return out

    return Tools
