"""Which arm and which point next: scores and their peaks, policies, the start, the outlook."""

from banditbo.bandit.candidates import (
    Anchors,
    Frame,
    best_points,
    candidates,
    every_point,
    how_many,
)
from banditbo.bandit.outlook import Outlook, outlook
from banditbo.bandit.peaks import Peaks, Taken, find_peaks
from banditbo.bandit.policies import (
    GPUCB,
    POLICIES,
    UCB1,
    Auto,
    EpsilonGreedy,
    Exp3,
    MaxUCB,
    Oracle,
    Policy,
    Pulls,
    RoundRobin,
    Thompson,
    Uniform,
    policy,
)
from banditbo.bandit.scores import DrawnFunction, ExpectedImprovement, Score, UpperBound
from banditbo.bandit.start import kronecker, start_arm
from banditbo.bandit.streams import stream

__all__ = [
    "GPUCB",
    "POLICIES",
    "UCB1",
    "Anchors",
    "Auto",
    "DrawnFunction",
    "EpsilonGreedy",
    "Exp3",
    "ExpectedImprovement",
    "Frame",
    "MaxUCB",
    "Oracle",
    "Outlook",
    "Peaks",
    "Policy",
    "Pulls",
    "RoundRobin",
    "Score",
    "Taken",
    "Thompson",
    "Uniform",
    "UpperBound",
    "best_points",
    "candidates",
    "every_point",
    "find_peaks",
    "how_many",
    "kronecker",
    "outlook",
    "policy",
    "start_arm",
    "stream",
]
