"""A problem with every kind of arm, and an obvious, dense, slow posterior to compare with."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest

from banditbo.model import Layout, ModelSetting, Observations, Posterior
from banditbo.model.fit import Belief, BlockFit, Fit, Model
from banditbo.model.layout import stacks
from banditbo.model.transforms import EXPONENTS

SETTINGS = [
    ModelSetting(kernel=k, sharing=s, isotropic=i, arm_effect=a, estimate="map")
    for k, s, i, a in itertools.product(
        ("matern52", "se"), ("correlated", "shared", "independent"), (False, True), (False, True)
    )
]


def name(setting):
    return "-".join(
        [setting.kernel, setting.sharing]
        + ["isotropic"] * setting.isotropic
        + ["effect"] * setting.arm_effect
    )


#: Groups (d, arms, codes): two decisions; no parameter at all; an arm of its own; an idle arm.
GROUPS = [
    (2, np.array([0, 3, 5, 7]), np.array([[0, 0], [0, 1], [1, 0], [1, 1]])),
    (0, np.array([1, 8]), np.array([[0], [1]])),
    (1, np.array([2]), np.zeros((1, 0), dtype=np.intp)),
    (3, np.array([4, 6, 9]), np.array([[0], [1], [2]])),
]
COUNTS = {0: 4, 3: 1, 5: 3, 7: 2, 1: 2, 8: 1, 2: 21, 4: 6, 6: 5, 9: 0}


@dataclass
class Case:
    """One setting, its hyper-parameters and its observations."""

    setting: ModelSetting
    layout: Layout
    data: Observations
    thetas: list

    @property
    def belief(self) -> Belief:
        fits = tuple(BlockFit(t, np.eye(len(t)) * 10.0) for t in self.thetas)
        weights = np.zeros(len(EXPONENTS))
        stacked, notes = stacks(self.layout, self.data)
        fit = Fit(len(self.data), fits, weights)
        return Belief(self.setting, self.layout, self.data, fit, tuple(stacked), tuple(notes))

    @property
    def posterior(self) -> Posterior:
        return self.belief.posterior()

    def prior_covariance(self, arms, x, other, y):
        """k((c, x), (c', x')), pair by pair, from its definition."""
        out = np.zeros((len(arms), len(other)))
        for i, j in np.ndindex(*out.shape):
            c, d = arms[i], other[j]
            if self.layout.group[c] != self.layout.group[d]:
                continue
            group = GROUPS[self.layout.group[c]]
            h = self.hyper(c)
            active = slice(0, group[0])
            r = np.sqrt(np.sum(((x[i] - y[j])[active] / h["lengthscale"]) ** 2))
            k = (
                np.exp(-0.5 * r * r)
                if self.setting.kernel == "se"
                else (1 + 5**0.5 * r + 5 * r * r / 3) * np.exp(-(5**0.5) * r)
            )
            codes = [group[2][list(group[1]).index(a)] for a in (c, d)]
            if self.setting.sharing == "correlated":
                arm = np.prod(np.where(codes[0] == codes[1], 1.0, h["rho"]))
            else:
                arm = float(c == d)
            out[i, j] = h["signal"] * arm * k + h["arm"] * (c == d)
        return out

    def hyper(self, arm):
        theta = self.thetas[self.layout.block[arm]]
        block = self.layout.blocks[self.layout.block[arm]]
        kinds = self.setting.layout(block.d, block.codes.shape[1])
        of = {kind: [t for t, k in zip(theta, kinds, strict=True) if k == kind] for kind in kinds}
        return {
            "lengthscale": np.exp(of.get("lengthscale", [])) if block.d else np.ones(0),
            "signal": np.exp(of["signal"][0]),
            "arm": np.exp(of["arm"][0]) if "arm" in of else 0.0,
            "rho": 1.0 / (1.0 + np.exp(-np.array(of.get("correlation", [])))),
            "noise": np.exp(of["noise"][0]),
        }

    def dense(self, arms, x):
        """Mean and covariance of the functions of arms at x, by the textbook."""
        data, warp = self.data, self.posterior.warp
        k = self.prior_covariance(data.arm, data.point, data.arm, data.point)
        noise = np.array([self.hyper(a)["noise"] for a in data.arm])
        k += np.diag(noise + (data.noise * warp.slope) ** 2)
        v = self.prior_covariance(arms, x, data.arm, data.point)
        mean = v @ np.linalg.solve(k, warp.z)
        return mean, self.prior_covariance(arms, x, arms, x) - v @ np.linalg.solve(k, v.T)


def make_case(setting, seed=0, noise=0.0, counts=COUNTS):
    rng = np.random.default_rng(seed)
    layout = Layout.of(GROUPS, setting.sharing)
    arm = rng.permutation(np.repeat(list(counts), list(counts.values())))
    point = np.full((len(arm), 3), 0.5)
    for i, a in enumerate(arm):
        d = layout.dims[a]
        point[i, :d] = rng.random(d)
    value = 100.0 + 10.0 * rng.standard_normal(len(arm)) + arm
    known = noise * rng.random(len(arm))
    thetas = []
    for block in layout.blocks:
        mean, _, _ = setting.prior(block.d, block.codes.shape[1])
        theta = mean + 0.3 * rng.standard_normal(len(mean))
        theta[-1] = np.log(0.05)
        thetas.append(theta)
    return Case(setting, layout, Observations(arm, point, value, known), thetas)


def probes(layout, rng, n=20):
    """Some arms, and a point for each."""
    arms = rng.integers(len(layout.group), size=n)
    x = rng.random((n, 3))
    x[np.arange(3) >= layout.dims[arms][:, None]] = 0.5
    return arms, x


def shared_points(layout, rng, m=7):
    """Candidates (G, M, D), padded with 0.5."""
    points = rng.random((len(GROUPS), m, 3))
    for g, group in enumerate(GROUPS):
        points[g, :, group[0] :] = 0.5
    return points


@pytest.fixture(params=SETTINGS, ids=name)
def setting(request):
    return request.param


@pytest.fixture
def case(setting):
    return make_case(setting, noise=3.0)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def tools():
    """What tests need of this file, which they cannot import."""

    class Tools:
        groups = GROUPS
        make_case = staticmethod(make_case)
        probes = staticmethod(probes)
        shared_points = staticmethod(shared_points)

        @staticmethod
        def model(setting, groups=GROUPS):
            return Model(groups, setting)

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
