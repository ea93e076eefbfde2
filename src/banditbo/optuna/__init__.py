"""Optuna's door: the sampler, a terminator that knows arms, plots, a study for ``maximize``."""

from banditbo.optuna.sampler import BanditSampler
from banditbo.optuna.suggest import suggest
from banditbo.optuna.terminator import ArmImprovementEvaluator, StopStudy

__all__ = ["ArmImprovementEvaluator", "BanditSampler", "StopStudy", "suggest"]
