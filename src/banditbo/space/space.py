"""The space: a tree of parameters, the arms and groups it compiles to, and the way in and out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space import text as formats
from banditbo.space.arms import Arm, Group, compile_arms
from banditbo.space.choices import Parameter, parameters_of
from banditbo.space.edit import with_alternative
from banditbo.space.plain import read_parameters, write_parameters
from banditbo.space.tree import (
    Scope,
    compile_scope,
    lay_out,
    limit_message,
    list_arms,
    missing,
    refuse,
    sample,
    walk,
)
from banditbo.space.values import Value

if TYPE_CHECKING:
    from ConfigSpace import ConfigurationSpace

__all__ = ["MAX_ARMS", "Space"]

MAX_ARMS = 10_000
"""The largest number of arms that a space may have."""


class Space:
    """What may be searched: a tree of parameters.

    Parameters
    ----------
    parameters : mapping
        From each name to a `Float`, `Int`, `Categorical` or `Choice`. What is outside a choice
        is shared by all its alternatives.

    Attributes
    ----------
    parameters : mapping
        The tree, read-only.
    arms : tuple of Arm
        Every assignment of the choices and categoricals, in tree order, the first decision
        slowest; ``arms[i].index == i``. A space without decisions has exactly one arm.
    groups : tuple of Group
        The arms that share the same numeric parameters.

    Raises
    ------
    InvalidSpaceError
        If a name would be active twice at once, or there are more than 10,000 arms.

    Notes
    -----
    Numbers are mapped to the unit cube, an arm's *point*. What comes back is what went in:

    * ``decode(encode(decode(u))) == decode(u)`` for every point u of every space;
    * ``decode(encode(p)) == p`` for every integer, step, choice and end of a range; and for every
      float of at most 13 significant digits, with two exceptions. In a range that is not ``log``
      and does not start at 0, its last digit must not be finer than 3e-14 of the larger end. A
      ``log`` range over more than 30 decades, or beyond 1e-40 to 1e40, may keep 12 digits only,
      the widest possible one 11.

    A float that cannot be told from an end of its range at this resolution becomes that end.

    Examples
    --------
    >>> from banditbo.space import Categorical, Choice, Float, Int, Space
    >>> space = Space({
    ...     "model": Choice({
    ...         "svm": {"C": Float(0.01, 100, log=True), "gamma": Float(0.001, 10, log=True)},
    ...         "forest": {"n_estimators": Int(10, 50, default=30)},
    ...     }),
    ...     "scale": Categorical(["none", "minmax"]),
    ... })
    >>> space
    Space: 4 arms in 2 groups
    |- model: Choice
    |  |- svm
    |  |  |- C: Float(0.01, 100.0, log=True)
    |  |  `- gamma: Float(0.001, 10.0, log=True)
    |  `- forest
    |     `- n_estimators: Int(10, 50, default=30)
    `- scale: Categorical(['none', 'minmax'])
    arms:
      0 model=svm, scale=none
      1 model=svm, scale=minmax
      2 model=forest, scale=none
      3 model=forest, scale=minmax
    >>> arm, point = space.encode({"model": "svm", "C": 1.0, "gamma": 0.1, "scale": "none"})
    >>> str(arm), point
    ('model=svm, scale=none', array([0.5, 0.5]))
    >>> space.decode(arm, point)
    {'model': 'svm', 'C': 1.0, 'gamma': 0.1, 'scale': 'none'}
    """

    __slots__ = ("_names", "_scope", "arms", "groups", "parameters")

    parameters: Mapping[str, Parameter]
    arms: tuple[Arm, ...]
    groups: tuple[Group, ...]
    _scope: Scope
    _names: Mapping[str, str]

    def __init__(self, parameters: Mapping[str, Parameter]) -> None:
        tree = parameters_of(parameters, "space")
        if not tree:
            raise InvalidSpaceError("a space needs at least one parameter")
        scope, names = compile_scope(tree)
        if scope.count > MAX_ARMS:
            raise InvalidSpaceError(limit_message(tree, scope.count, MAX_ARMS))
        arms, groups = compile_arms(list_arms(scope))
        made = {"parameters": tree, "arms": arms, "groups": groups}
        for name, value in (made | {"_scope": scope, "_names": names}).items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Space is read-only ({name!r}): make a new one")

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return Space.from_json, (self.to_json(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Space):
            return NotImplemented
        return tuple(self.parameters.items()) == tuple(other.parameters.items())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        from banditbo.space.show import show

        return show(self)

    # --- values ---------------------------------------------------------------------------

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """Draw params: every alternative equally likely, numbers uniform in the unit cube.

        Examples
        --------
        >>> from banditbo.space import Int
        >>> Space({"n": Int(1, 6)}).sample(np.random.default_rng(0))
        {'n': 4}
        """
        params: dict[str, Any] = {}
        sample(self._scope, rng, params)
        return params

    def validate(self, params: Mapping[str, Any], *, clip: bool = False) -> dict[str, Any]:
        """Return `params` as the space itself writes them, or refuse them.

        Parameters
        ----------
        params : mapping
            A value for every active parameter, and for no other.
        clip : bool
            Move numbers outside their range to its border, and those beside their grid to the
            next grid value, instead of refusing them.

        Returns
        -------
        dict
            In tree order: int for an `Int`, float for a `Float`, the space's own object for an
            alternative.

        Raises
        ------
        InvalidValueError
            Naming the parameter, the value and what to do.

        Examples
        --------
        >>> from banditbo.space import Float, Int
        >>> Space({"n": Int(1, 6), "x": Float(0, 1)}).validate({"x": 1, "n": 3.0})
        {'n': 3, 'x': 1.0}
        """
        return self._read(params, clip)[1]

    def arm_of(self, params: Mapping[str, Any]) -> Arm:
        """Return the arm that `params` belong to.

        Examples
        --------
        >>> from banditbo.space import Categorical, Float
        >>> str(Space({"a": Categorical([1, 2]), "x": Float(0, 1)}).arm_of({"a": 2, "x": 0}))
        'a=2'
        """
        return self.arms[self._read(params, False)[0]]

    def encode(self, params: Mapping[str, Any]) -> tuple[Arm, NDArray[np.float64]]:
        """Return the arm of `params` and their point, an array (d,) in the unit cube.

        Its coordinates are those of ``groups[arm.group].names``. Cost: O(parameters).
        """
        index, values = self._read(params, False)
        arm = self.arms[index]
        group = self.groups[arm.group]
        point = [
            parameter.axis.encode(values[name])
            for name, parameter in zip(group.names, group.parameters, strict=True)
        ]
        return arm, np.array(point, dtype=np.float64)

    def decode(self, arm: Arm, point: ArrayLike) -> dict[str, Any]:
        """Return the params at a point of an arm: a flat dict of external values, in tree order.

        Coordinates outside [0, 1] are taken as the nearer end.
        """
        if not 0 <= arm.index < len(self.arms) or self.arms[arm.index] != arm:
            raise InvalidValueError(f"the arm ({arm}) is not one of this space's arms")
        group = self.groups[arm.group]
        coordinates = np.asarray(point, dtype=np.float64)
        if coordinates.shape != (len(group.names),) or np.isnan(coordinates).any():
            raise InvalidValueError(
                f"a point of arm ({arm}) has {len(group.names)} coordinates in [0, 1] "
                f"({', '.join(group.names) or 'no numeric parameter'}), not {point!r}"
            )
        numbers = {
            name: parameter.axis.decode(u)
            for name, parameter, u in zip(
                group.names, group.parameters, coordinates.tolist(), strict=True
            )
        }
        params: dict[str, Any] = {}
        lay_out(self._scope, arm.choices, numbers, params)
        return params

    def _read(self, params: Mapping[str, Any], clip: bool) -> tuple[int, dict[str, Any]]:
        if not isinstance(params, Mapping):
            raise InvalidValueError(
                f"params must be a mapping from name to value, not {params!r} "
                f"({type(params).__name__})"
            )
        values: dict[str, Any] = {}
        try:
            index = walk(self._scope, params, clip, values)
        except KeyError as error:
            decisions = {name for arm in self.arms for name in arm.choices}
            decided = {name: values[name] for name in values if name in decisions}
            raise missing(error.args[0], params, decided, self._names) from None
        if len(values) != len(params):
            refuse(params, values, self._names, str(self.arms[index]))
        return index, values

    # --- other spaces, other forms --------------------------------------------------------

    def with_alternative(
        self,
        choice_name: str,
        alternative: Value,
        parameters: Mapping[str, Parameter] | None = None,
    ) -> Space:
        """Return a new space in which one decision has one alternative more, as its last.

        Params of this space are params of the new one, so its history can be told again.

        Parameters
        ----------
        choice_name : str
            The name of a `Choice` or `Categorical`; where it occurs several times, its path,
            such as ``"model.svm.kernel"``.
        alternative : str, bool, int, float or None
            The new alternative.
        parameters : mapping, optional
            Its own parameters, if the decision is a `Choice`.

        Examples
        --------
        >>> from banditbo.space import Categorical
        >>> space = Space({"solver": Categorical(["lbfgs", "adam"])})
        >>> space.with_alternative("solver", "sgd").parameters["solver"]
        Categorical(['lbfgs', 'adam', 'sgd'])
        """
        return Space(with_alternative(self.parameters, choice_name, alternative, parameters))

    def to_dict(self) -> dict[str, Any]:
        """Return the space as plain data: dicts, lists, strings, numbers.

        Examples
        --------
        >>> from banditbo.space import Categorical
        >>> Space({"scale": Categorical(["none", "minmax"])}).to_dict()
        {'scale': {'categorical': ['none', 'minmax']}}
        """
        return write_parameters(self.parameters)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Space:
        """Read a space from plain data, the form that `to_dict` gives.

        Examples
        --------
        >>> Space.from_dict({"lr": {"float": [0.001, 1], "log": True}}).parameters["lr"]
        Float(0.001, 1.0, log=True)
        """
        return cls(read_parameters(data))

    def to_json(self) -> str:
        """Return the space as JSON text."""
        return formats.to_json(self.parameters)

    @classmethod
    def from_json(cls, text: str) -> Space:
        """Read a space from JSON text."""
        return cls(formats.from_json(text))

    def to_yaml(self) -> str:
        """Return the space as YAML text. Needs ``pip install "banditbo[yaml]"``."""
        return formats.to_yaml(self.parameters)

    @classmethod
    def from_yaml(cls, text: str) -> Space:
        """Read a space from YAML text. Needs ``pip install "banditbo[yaml]"``."""
        return cls(formats.from_yaml(text))

    @classmethod
    def read(cls, path: str | Path) -> Space:
        """Read a space from a .yaml, .yml or .json file."""
        return cls(formats.read(path))

    def to_configspace(self) -> ConfigurationSpace:
        """Return the space for ConfigSpace. Needs ``pip install "banditbo[configspace]"``.

        See `banditbo.space.configspace` for what becomes what.
        """
        from banditbo.space.configspace import to_configspace

        configspace: ConfigurationSpace = to_configspace(self.parameters)
        return configspace

    @classmethod
    def from_configspace(cls, configspace: ConfigurationSpace) -> Space:
        """Read a space from ConfigSpace; see `banditbo.space.configspace` for what becomes what.

        Raises
        ------
        InvalidSpaceError
            For what a tree of parameters cannot express, naming it.
        """
        from banditbo.space.configspace import from_configspace

        return cls(from_configspace(configspace))
