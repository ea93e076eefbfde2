from hypothesis import given, settings

from banditbo.space import Categorical, Choice, Float, Int, Space


def test_the_tree_the_arms_and_their_number():
    kernel = Choice({"rbf": {"gamma": Float(0.001, 10, log=True)}, "linear": None}, default="rbf")
    space = Space(
        {
            "model": Choice({"svm": {"kernel": kernel, "C": Float(0, 1)}, True: {"n": Int(1, 9)}}),
            "scale": Categorical(["none", None], default=None),
        }
    )
    assert (
        repr(space)
        == (
            """
Space: 6 arms in 3 groups
|- model: Choice
|  |- svm
|  |  |- kernel: Choice, default='rbf'
|  |  |  |- rbf
|  |  |  |  `- gamma: Float(0.001, 10.0, log=True)
|  |  |  `- linear
|  |  `- C: Float(0.0, 1.0)
|  `- True
|     `- n: Int(1, 9)
`- scale: Categorical(['none', None], default=None)
arms:
  0 model=svm, kernel=rbf, scale=none
  1 model=svm, kernel=rbf, scale=None
  2 model=svm, kernel=linear, scale=none
  3 model=svm, kernel=linear, scale=None
  4 model=True, scale=none
  5 model=True, scale=None
"""
        ).strip()
    )


def test_one_arm():
    assert repr(Space({"x": Float(0, 1)})) == (
        "Space: 1 arm in 1 group\n`- x: Float(0.0, 1.0)\narms:\n  0 -"
    )


def test_a_long_one_is_cut():
    space = Space({"m": Choice({f"m{i}": {"x": Int(0, i)} for i in range(5000)})})
    lines = repr(space).splitlines()
    assert len(lines) < 80
    assert "... 9941 more lines" in lines
    assert lines[-1] == "  ... 4992 more"


@settings(max_examples=30, deadline=None)
@given(space=...)
def test_every_space_can_be_shown(space: Space):
    assert repr(space).startswith(f"Space: {len(space.arms)} arm")
