import builtins

import pytest
from hypothesis import given, settings

from banditbo.errors import InvalidSpaceError
from banditbo.space import Categorical, Choice, Float, Space

yaml = pytest.importorskip("yaml")
fast = settings(max_examples=100, deadline=None)

GOOD = """\
model:
  choice:
    svm:    {C: {float: [0.03125, 32768], log: true}, gamma: {float: [1e-5, 8], log: true}}
    forest: {n_estimators: {int: [10, 50]}, max_features: {float: [0, 1], default: 0.5}}
scale: {categorical: [none, minmax]}
"""


@fast
@given(space=...)
def test_every_space_comes_back(space: Space):
    assert Space.from_json(space.to_json()) == space
    assert Space.from_yaml(space.to_yaml()) == space


def test_the_documented_yaml():
    space = Space.from_yaml(GOOD)
    assert str(space.arms[0]) == "model=svm, scale=none"
    assert space.parameters["model"].alternatives["svm"]["gamma"] == Float(1e-5, 8, log=True)


def test_yaml_s_own_words_come_back_as_strings():
    space = Space(
        {
            "on": Choice({"yes": None, "no": {"null": Float(0, 1)}, "1e5": None}),
            "~": Categorical(["true", True, "1", 1, "", None, "2001-01-01", "é\n\t\x07"]),
        }
    )
    assert Space.from_yaml(space.to_yaml()) == space
    assert Space.from_json(space.to_json()) == space


def test_anchors_and_merges():
    text = """
base: &base {categorical: [1]}
m:
  choice:
    a: &shared {x: {float: [0, 1]}}
    b: *shared
    c: {<<: *shared, y: {float: [0, 1]}}
"""
    alternatives = Space.from_yaml(text).parameters["m"].alternatives
    assert alternatives["a"] == alternatives["b"]
    assert set(alternatives["c"]) == {"x", "y"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the text is empty: a space needs at least one parameter"),
        ("x", "line 1, column 1: space: expected a mapping from name to parameter, not 'x'"),
        ("x: {float: [0, 1}", "line 1, column 17: not YAML: expected ',' or ']'"),
        ("x: &a {float: *b}", "line 1, column 15: not YAML: found undefined alias 'b'"),
        ("x: \x07", "not YAML: "),
        ("x: 2001-02-30", "not YAML: "),
        ("x: !!python/object:os.system {}", "line 1, column 4: not YAML: could not determine a"),
        (
            GOOD.replace("log: true}}", "lgo: true}}"),
            "line 3, column 81: model.svm.gamma: unknown key 'lgo'; did you mean 'log'?",
        ),
        (
            GOOD.replace("int: [10", "int: [100"),
            "line 4, column 29: model.forest.n_estimators: low=100 is above high=50: swap them",
        ),
        ("a: {int: [0, 1]}\na: {int: [0, 2]}", "line 2, column 1: the key 'a' is given twice"),
        ("a: {int: [0, 1]}\non: {int: [0, 1]}", "line 2, column 1: space: a parameter's name mu"),
        ("a:\n  choice:\n  - [true, {}]\n  - [x]", "line 4, column 5: a: expected a pair [alter"),
        ("a: &a {choice: {b: *a}}", "line 1, column 17: a.b.choice: unknown key 'b'"),
        ("a: &a\n  choice: {b: {c: *a}}", "the space is nested more deeply than can be read"),
        ("x: {int: [0, 1]}\n---\ny: 3", "not YAML: but found another document"),
    ],
)
def test_yaml_errors_say_where(text, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space.from_yaml(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1, column 1: not JSON: Expecting value"),
        ('{"x": {"int": [0, 1],}}', "line 1, column 2"),
        ('{"x": {"int": [0, 1]}, "x": {"int": [0, 1]}}', "the key 'x' is given twice"),
        ('{"x": {"int": [0, NaN]}}', "x: high must be finite, not nan"),
        ("[" * 100_000, "the space is nested more deeply than can be read"),
    ],
)
def test_json_errors_say_where(text, message):
    with pytest.raises(InvalidSpaceError) as error:
        Space.from_json(text)
    assert message in str(error.value)


def test_read_goes_by_the_ending(tmp_path):
    space = Space.from_yaml(GOOD)
    for name, text in [
        ("a.yaml", GOOD),
        ("b.YML", GOOD),
        ("c.json", space.to_json()),
    ]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert Space.read(tmp_path / name) == Space.read(str(tmp_path / name)) == space
    (tmp_path / "bad.yaml").write_text("x: 3")
    with pytest.raises(InvalidSpaceError, match=r"bad\.yaml: line 1, column 1: x: expected"):
        Space.read(tmp_path / "bad.yaml")
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidSpaceError, match=r"latin\.json: not UTF-8 text"):
        Space.read(tmp_path / "latin.json")
    with pytest.raises(InvalidSpaceError, match=r"name it \.yaml, \.yml or \.json"):
        Space.read(tmp_path / "space.toml")
    with pytest.raises(FileNotFoundError):
        Space.read(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("module", "call"),
    [
        ("yaml", lambda space: space.to_yaml()),
        ("yaml", lambda space: Space.from_yaml("")),
        ("ConfigSpace", lambda space: space.to_configspace()),
        ("ConfigSpace", Space.from_configspace),
    ],
)
def test_a_missing_package_is_named(monkeypatch, module, call):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == module:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=rf'pip install "banditbo\[{module.lower()}\]"'):
        call(Space.from_dict({"x": {"float": [0, 1]}}))
