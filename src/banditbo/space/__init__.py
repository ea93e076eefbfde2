"""The space room: parameters, the tree, arms and groups, the way to the unit cube and back."""

from banditbo.space.arms import Arm, Group
from banditbo.space.choices import Categorical, Choice, Parameter
from banditbo.space.parameters import Float, Int
from banditbo.space.space import Space

__all__ = ["Arm", "Categorical", "Choice", "Float", "Group", "Int", "Parameter", "Space"]
