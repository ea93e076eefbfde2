"""Optuna's own tests for samplers."""

from collections.abc import Callable

import optuna
import pytest
from optuna.testing.pytest_samplers import (
    BasicSamplerTestCase,
    RelativeSamplerTestCase,
    SingleOnlySamplerTestCase,
)

from banditbo import Float, Space
from banditbo.optuna import BanditSampler


class TestSampler(BasicSamplerTestCase, RelativeSamplerTestCase, SingleOnlySamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        return lambda: BanditSampler(seed=0)


class TestFromTheFirstTrial(BasicSamplerTestCase, RelativeSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        return lambda: BanditSampler(seed=0, n_startup_trials=0)


class TestThompson(BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        return lambda: BanditSampler(seed=0, policy="thompson", model="paper")


class TestAnotherSpaceGiven(BasicSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], optuna.samplers.BaseSampler]:
        return lambda: BanditSampler(Space({"nothing like it": Float(0, 1)}), seed=0)
