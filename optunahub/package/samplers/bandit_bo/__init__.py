"""Bandit-BO for OptunaHub: a thin way to the installed package."""

from banditbo.optuna import BanditSampler

__all__ = ["BanditSampler"]
