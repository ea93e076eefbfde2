"""What is believed of the functions: kernels, transforms, hyper-parameters, posterior, draws."""

from banditbo.model.constraint import Constrained
from banditbo.model.draws import Draw, draw
from banditbo.model.feasibility import Feasibility
from banditbo.model.fit import Belief, Model
from banditbo.model.layout import Layout, Observations
from banditbo.model.posterior import Posterior
from banditbo.model.setting import MODELS, ModelSetting, model_setting
from banditbo.model.threads import single_thread

__all__ = [
    "MODELS",
    "Belief",
    "Constrained",
    "Draw",
    "Feasibility",
    "Layout",
    "Model",
    "ModelSetting",
    "Observations",
    "Posterior",
    "draw",
    "model_setting",
    "single_thread",
]
