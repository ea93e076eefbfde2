import json

import pytest
from benchmarks.measures import Mean, Run, Scale, evaluations_to_reach, interval

from benchmarks import tables


def line(problem, method, seed, values, started=2, start=1):
    row = {
        "format": 1,
        "problem": problem,
        "method": method,
        "seed": seed,
        "start": start,
        "started": started,
        "batch": 1,
        "evaluations": len(values) - started,
        "values": values,
    }
    return json.dumps(row) + "\n"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "small.jsonl"
    path.write_text(
        line("jenatton", "bandit", 0, [-2.1, -1.1, -0.6, -0.1])
        + line("jenatton", "bandit", 1, [-2.1, -2.1, -1.1, -0.1])
        + line("jenatton", "tpe", 0, [-2.1, -1.1, -1.5, -0.6])
        + line("jenatton", "tpe", 1, [-2.1, -2.1, -2.1, -1.1])
    )
    return path


def test_measures():
    run = Run("jenatton", "bandit", 0, (-2.1, -1.1, -0.6, -0.1), 2)
    scale = Scale(-0.1, True, None)
    assert [run.best(k) for k in (0, 1, 2)] == [-1.1, -0.6, -0.1]
    assert str(run.best(3)) == "nan"
    assert scale.gain(run, 1) == pytest.approx(0.5)
    assert scale.regret(run, 1) == pytest.approx(0.5)
    assert run.reaches(-0.6) == 1
    assert run.reaches(0.0) == float("inf")
    from_nothing = Run("jenatton", "bandit", 0, (-2.1, -1.1, -0.1), 0)
    assert Scale(-0.1, True, -2.1).gain(from_nothing, 2) == pytest.approx(0.5)


def test_means_and_intervals():
    mean = Mean.of([1.0, 2.0, 3.0, float("nan")])
    assert (mean.mean, mean.count) == (2.0, 3)
    assert mean.error == pytest.approx(1 / 3**0.5)
    over = Mean.over([mean, mean])
    assert over.error == pytest.approx(mean.error / 2**0.5)
    low, high = interval([1.0, 2.0, 3.0])
    assert (low, high) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), rel=1e-5)


def test_evaluations_to_reach():
    ours = Run("p", "a", 0, (0.0, 1.0, 2.0, 3.0), 0)
    other = Run("p", "b", 0, (0.0, 0.0, 1.5, 1.5), 0)
    assert evaluations_to_reach([(ours, other)], 4) == 3


def test_tables_of_a_small_file(file, capsys):
    assert tables.main([str(file), "--at", "1,2"]) == 0
    text = capsys.readouterr().out
    assert "| bandit | -0.850 ± 0.250 | -0.100 ± 0 | 2 |" in text
    assert "| bandit | 0.750 ± 0.250 | 0 ± 0 | 2 |" in text
    assert "| bandit | 0.500 ± 0.000 | 1.000 ± 0 | 2 |" in text
    assert "| jenatton | 0.500 [0.500, 0.500] | 0.500 [0.500, 0.500] | 2 |" in text
    assert "| tpe | 1 | 2 |" in text


def test_a_section_of_a_page_is_replaced_and_nothing_else(file, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# T\n<!-- benchmark:a -->\nold\n<!-- /benchmark:a -->\nrest \\1\n")
    command = [str(file), "--at", "2", "--kinds", "best", "--write", str(page), "--section"]
    assert tables.main([*command, "a"]) == 0
    text = page.read_text()
    assert text.startswith("# T\n<!-- benchmark:a -->\n\nBest value on jenatton")
    assert text.endswith("<!-- /benchmark:a -->\nrest \\1\n")
    assert "old" not in text
    assert tables.main([*command, "b"]) == 2
    assert page.read_text() == text


def test_runs_that_must_not_be_compared_are_refused(file, capsys):
    with file.open("a") as more:
        more.write(line("jenatton", "tpe", 0, [-1.0, -0.5], started=0, start=0))
        more.write('{"format": 1, "pro')
    assert tables.main([str(file)]) == 2
    error = capsys.readouterr().err
    assert "choose one with --start" in error
    assert "line 6: broken" in error
    assert tables.main([str(file), "--start", "0", "--at", "2", "--kinds", "gain"]) == 0
    assert tables.main([str(file), "--methods", "random"]) == 2
