import subprocess
import sys

import numpy as np
import pytest

from banditbo.bandit import stream
from banditbo.model import draw


def test_a_stream_is_a_function_of_its_key():
    a = stream(5, 3, "ask", "x").random(4)
    np.testing.assert_array_equal(a, stream(5, 3, "ask", "x").random(4))
    others = [stream(6, 3, "ask", "x"), stream(5, 4, "ask", "x"), stream(5, 3, "start", "x")]
    others += [
        stream(5, 3, "ask"),
        stream(5, 3),
        stream(3, 5, "ask", "x"),
        stream(2**80, 3, "ask"),
    ]
    firsts = {float(o.random()) for o in others}
    assert len(firsts) == len(others)
    assert a[0] not in firsts


def test_global_state_is_neither_read_nor_touched():
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    a = stream(0, 0, "ask").random()
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    assert stream(0, 0, "ask").random() == a


def test_another_process_has_the_same_stream():
    code = "from banditbo.bandit import stream; print(stream(9, 8, 'ask').random())"
    out = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "77"},
    )
    assert float(out.stdout) == stream(9, 8, "ask").random()


def test_draws_of_one_batch_are_independent(scene, rng):
    """Trials k and k + 1 of a seed: no correlation, not of values, nor of their squares."""
    arms, x = scene.probes(rng, 4)
    posterior = scene.belief.posterior()
    n = 500
    first, second = (
        np.array([draw(posterior, stream(s, k, "ask"), 32).value(arms, x) for s in range(n)])
        for k in (10, 11)
    )
    for power in (1, 2):
        a, b = (v - v.mean(axis=0) for v in (first, second))
        a, b = a**power, b**power
        for i in range(4):
            for j in range(4):
                assert abs(np.corrcoef(a[:, i], b[:, j])[0, 1]) < 4.5 / np.sqrt(n)
    assert first.std(axis=0) == pytest.approx(second.std(axis=0), rel=0.3)
