"""Who decides who is there, on rows written by hand: names, with values where discrete."""

import random

import pytest

from banditbo.optuna.presence import Node, discover

DISCRETE = {"f", "g", "h", "n", "x1", "x2", "x3"}


def rows(*texts: str) -> list[dict[str, str | None]]:
    """Read ``"f=a x"`` as a row with f at a, and a number x."""
    out = []
    for text in texts:
        pairs = [part.partition("=") for part in text.split()]
        out.append({name: value or None for name, _, value in pairs})
    return out


def show(node: Node) -> str:
    """Write a node as ``f(a: x, b: y) z``, loose sets in brackets."""
    parts = []
    for name in node.names:
        inside = node.choices.get(name)
        if inside is None:
            parts.append(name)
        else:
            told = ", ".join(f"{v}: {show(inside[v])}".strip() for v in sorted(inside, key=str))
            parts.append(f"{name}({told})")
    parts += ["[" + " ".join(sorted(pattern)) + "]" for pattern in node.loose]
    return " ".join(parts)


CASES = {
    "flat": (["f=a x", "f=b x"], "f x"),
    "one choice": (["f=a x", "f=b y"], "f(a: x, b: y)"),
    "a shared parameter": (["f=a x z", "f=b y z"], "f(a: x, b: y) z"),
    "an alternative without parameters": (["f=a x", "f=b"], "f(a: x, b:)"),
    "a name in two of three": (
        ["f=a x", "f=b x", "f=c y"],
        "f(a: x, b: x, c: y)",
    ),
    "nested": (
        ["f=a g=p x", "f=a g=q", "f=b y"],
        "f(a: g(p: x, q:), b: y)",
    ),
    "Jenatton's tree": (
        [
            "x1=0 r8 x2=0 x4",
            "x1=0 r8 x2=1 x5",
            "x1=1 r9 x3=0 x6",
            "x1=1 r9 x3=1 x7",
        ],
        "x1(0: r8 x2(0: x4, 1: x5), 1: r9 x3(0: x6, 1: x7))",
    ),
    "two choices side by side": (
        ["f=a x g=p u", "f=a x g=q", "f=b y g=p u", "f=b y g=q"],
        "f(a: x, b: y) g(p: u, q:)",
    ),
    "side by side, one combination not seen": (
        ["f=a x g=p u", "f=a x g=q", "f=b y g=p u"],
        "f(a: x, b: y) g(p: u, q:)",
    ),
    "an integer that counts": (
        ["n=1 u0", "n=2 u0 u1", "n=3 u0 u1 u2"],
        "n(1:, 2: u1, 3: u1 u2) u0",
    ),
    "both of two": (
        ["f=1 g=1 x", "f=1 g=2", "f=2 g=1", "f=2 g=2"],
        "f(1: g(1: x, 2:), 2: g)",
    ),
    "one name behind another decision and alone": (
        ["f=a g=p x", "f=a g=q", "f=b x", "f=c"],
        "f(a: g(p: x, q:), b: x, c:)",
    ),
    "an irrelevant decision": (
        ["f=a x g=p", "f=a x g=q", "f=b y g=p", "f=b y g=q"],
        "f(a: x, b: y) g",
    ),
    "nothing explains": (["x", "x y"], "x [] [y]"),
    "nothing explains, inside an alternative": (
        ["f=a x", "f=a x y", "f=b z"],
        "f(a: x [] [y], b: z)",
    ),
    "three levels": (
        ["f=1 g=1 h=1 x", "f=1 g=1 h=2 y", "f=1 g=2 z", "f=2 w"],
        "f(1: g(1: h(1: x, 2: y), 2: z), 2: w)",
    ),
    "nothing": ([""], ""),
}


@pytest.mark.parametrize("case", CASES)
def test_the_tree_is_found(case: str) -> None:
    texts, expected = CASES[case]
    assert show(discover(rows(*texts), DISCRETE)) == expected


@pytest.mark.parametrize("case", CASES)
def test_no_order_matters(case: str) -> None:
    texts, expected = CASES[case]
    for seed in range(10):
        shuffle = random.Random(seed).shuffle
        mixed = rows(*texts)
        shuffle(mixed)
        again = []
        for row in mixed:
            names = list(row)
            shuffle(names)
            again.append({name: row[name] for name in names})
        assert show(discover(again, DISCRETE)) == expected


def test_a_range_that_depends_on_a_decision_belongs_to_its_alternatives() -> None:
    node = discover(rows("f=a x", "f=b x"), DISCRETE, lambda name, d, _: (name, d) == ("x", "f"))
    assert show(node) == "f(a: x, b: x)"


def test_many_models_and_many_rows() -> None:
    texts = [f"f={k} p{k} g={k % 3}" for k in range(40)] + [f"f={k} p{k} g=3" for k in range(40)]
    node = discover(rows(*texts), DISCRETE)
    assert node.names == ("f", "g")
    assert node.choices["f"]["7"].names == ("p7",)
