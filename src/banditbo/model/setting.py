"""What kind of model: every choice the engine makes, as data.

Notation
--------
    theta   (p,)   logarithms of the hyper-parameters of one block, in this order:
                   lengthscales (d, or 1 if isotropic), signal variance s2, arm effect a2
                   (if any), correlations rho as logits (J, if learned), noise variance
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from banditbo.errors import InvalidValueError
from banditbo.model.kernels import KERNELS, Kernel

__all__ = ["MODELS", "Gaussian", "Hyper", "ModelSetting", "model_setting"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A normal prior on the logarithm (logit) of a hyper-parameter, inside hard bounds."""

    mean: float
    sd: float
    low: float
    high: float


def _log_normal(centre: float, sd: float, low: float, high: float) -> Gaussian:
    return Gaussian(float(np.log(centre)), sd, float(np.log(low)), float(np.log(high)))


#: Lengthscales near 0.4 of the unit cube, rather short; the rest weak, on values of variance 1.
PRIORS: Mapping[str, Gaussian] = MappingProxyType(
    {
        "lengthscale": _log_normal(0.4, 0.35, 0.01, 20.0),
        "signal": _log_normal(0.5, 0.7, 1e-3, 1e2),
        "arm": _log_normal(0.3, 1.0, 1e-4, 1e2),
        "correlation": Gaussian(0.0, 1.5, -8.0, 8.0),
        "noise": _log_normal(1e-3, 2.0, 1e-6, 2.0),
    }
)


@dataclass(frozen=True, slots=True)
class Hyper:
    """Hyper-parameters of S blocks: lengthscale (S, D), s2, a2, noise (S,), rho (S, J)."""

    lengthscale: Array
    signal: Array
    arm: Array
    rho: Array
    noise: Array


@dataclass(frozen=True, slots=True)
class ModelSetting:
    """Everything that distinguishes one model from another.

    Parameters
    ----------
    kernel
        ``"matern52"`` or ``"se"`` (squared exponential).
    sharing
        ``"correlated"``: the arms of a group are correlated, the correlation learned;
        ``"shared"``: independent functions, hyper-parameters in common;
        ``"independent"``: every arm by itself.
    transform
        ``"power"`` (exponent from its posterior), ``"standard"``, ``"ranks"`` or ``"mixture"``
        (power or ranks, drawn for each suggestion).
    estimate
        ``"drawn"`` from a Laplace approximation for every suggestion, ``"map"``, or ``"ml"``
        (maximum likelihood: no prior).
    shorten
        Share of the draws whose lengthscales are halved or quartered.
    isotropic
        One lengthscale for all parameters of an arm.
    arm_effect
        A constant of its own for every arm.

    Examples
    --------
    >>> ModelSetting(kernel="se").kernel
    'se'
    """

    kernel: Literal["matern52", "se"] = "matern52"
    sharing: Literal["correlated", "shared", "independent"] = "correlated"
    transform: Literal["power", "standard", "ranks", "mixture"] = "power"
    estimate: Literal["drawn", "map", "ml"] = "drawn"
    shorten: float = 0.3
    isotropic: bool = False
    arm_effect: bool = True
    priors: Mapping[str, Gaussian] = field(default_factory=lambda: PRIORS, repr=False)

    def __post_init__(self) -> None:
        for name, allowed in _ALLOWED.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InvalidValueError(
                    f"model setting {name}={value!r} is unknown: use one of {', '.join(allowed)}"
                )
        if not 0.0 <= self.shorten <= 1.0:
            raise InvalidValueError(f"shorten={self.shorten!r} is a share: use 0 to 1")

    @property
    def kernel_function(self) -> Kernel:
        """The kernel itself."""
        return KERNELS[self.kernel]

    def layout(self, d: int, j: int) -> list[str]:
        """Name the kind of every entry of theta, for d parameters and j correlations."""
        names = ["lengthscale"] * (min(d, 1) if self.isotropic else d) + ["signal"]
        names += ["arm"] * self.arm_effect
        names += ["correlation"] * (j if self.sharing == "correlated" else 0)
        return [*names, "noise"]

    def prior(self, d: int, j: int) -> tuple[Array, Array, Array]:
        """Return mean (p,), precision (p,) and bounds (p, 2) of theta."""
        gaussians = [self.priors[name] for name in self.layout(d, j)]
        mean = np.array([g.mean for g in gaussians])
        precision = np.array([0.0 if self.estimate == "ml" else g.sd**-2 for g in gaussians])
        return mean, precision, np.array([(g.low, g.high) for g in gaussians])

    def unpack(self, theta: Array, d: int, j: int) -> Hyper:
        """Turn theta (S, p) into hyper-parameters; a2 and rho are 0 where they are not learned.

        >>> h = ModelSetting().unpack(np.zeros((1, 5)), 1, 1)
        >>> float(h.lengthscale[0, 0]), float(h.rho[0, 0])
        (1.0, 0.5)
        """
        s = len(theta)
        n_ls = min(d, 1) if self.isotropic else d
        at = n_ls
        lengthscale = np.exp(
            np.broadcast_to(theta[:, :n_ls], (s, d)) if n_ls == 1 else theta[:, :d]
        )
        signal = np.exp(theta[:, at])
        at += 1
        arm = np.exp(theta[:, at]) if self.arm_effect else np.zeros(s)
        at += self.arm_effect
        if self.sharing == "correlated":
            rho = 1.0 / (1.0 + np.exp(-theta[:, at : at + j]))
        else:
            rho = np.zeros((s, j))
        return Hyper(lengthscale, signal, arm, rho, np.exp(theta[:, -1]))


_ALLOWED: dict[str, tuple[str, ...]] = {
    "kernel": ("matern52", "se"),
    "sharing": ("correlated", "shared", "independent"),
    "transform": ("power", "standard", "ranks", "mixture"),
    "estimate": ("drawn", "map", "ml"),
}

#: The settings that have names; ``paper`` is the published algorithm's.
MODELS: Mapping[str, ModelSetting] = MappingProxyType(
    {
        "auto": ModelSetting(),
        "correlated": ModelSetting(),
        "shared": ModelSetting(sharing="shared"),
        "independent": ModelSetting(sharing="independent"),
        "paper": ModelSetting(
            kernel="se",
            sharing="independent",
            transform="standard",
            estimate="ml",
            shorten=0.0,
            isotropic=True,
            arm_effect=False,
        ),
    }
)


def model_setting(model: str | ModelSetting) -> ModelSetting:
    """Resolve a name, or pass a setting through.

    >>> model_setting("paper").estimate
    'ml'
    """
    if isinstance(model, ModelSetting):
        return replace(model)
    if model not in MODELS:
        raise InvalidValueError(
            f"model {model!r} is unknown: use one of {', '.join(MODELS)}, or a ModelSetting"
        )
    return MODELS[model]
