import json

import pytest

from benchmarks import run

COMMAND = [
    *("--problems", "jenatton,2d-6", "--methods", "random", "--seeds", "0-1"),
    *("--start", "1", "--batch", "2", "--evaluations", "5"),
]


def go(out, *more):
    return run.main([*COMMAND, "--out", str(out), *more])


def rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def stable(path):
    free = ("seconds_median", "seconds_mean", "commit")
    return [{k: v for k, v in row.items() if k not in free} for row in rows(path)]


def test_same_command_same_lines(tmp_path):
    assert go(tmp_path / "a.jsonl") == go(tmp_path / "b.jsonl") == 0
    assert stable(tmp_path / "a.jsonl") == stable(tmp_path / "b.jsonl")
    order = [(row["seed"], row["problem"]) for row in rows(tmp_path / "a.jsonl")]
    assert order == [(0, "jenatton"), (0, "2d-6"), (1, "jenatton"), (1, "2d-6")]
    first = rows(tmp_path / "a.jsonl")[0]
    assert (first["C"], first["started"], len(first["values"])) == (4, 4, 9)


def test_finished_runs_are_skipped_and_lost_ones_done_again(tmp_path, capsys):
    out, whole = tmp_path / "a.jsonl", tmp_path / "whole.jsonl"
    go(whole)
    lines = whole.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:2]))
    assert go(out) == 0
    assert "4 runs, 2 of them finished before" in capsys.readouterr().err
    assert stable(out) == stable(whole)
    before = out.read_bytes()
    assert go(out) == 0
    assert out.read_bytes() == before


def test_a_line_that_was_cut_off_is_kept_and_its_run_appended(tmp_path, capsys):
    out = tmp_path / "a.jsonl"
    go(out)
    lines = out.read_text().splitlines(keepends=True)
    cut = lines[3][:40]
    out.write_text("".join(lines[:3]) + cut)
    assert go(out) == 0
    assert "line 4: broken" in capsys.readouterr().err
    now = out.read_text().splitlines()
    assert now[:3] == [line.rstrip("\n") for line in lines[:3]]
    assert now[3] == cut
    assert json.loads(now[4])["values"] == json.loads(lines[3])["values"]


def test_a_whole_last_line_without_its_end_is_no_run_lost(tmp_path):
    out = tmp_path / "a.jsonl"
    go(out)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:3]).rstrip("\n"))
    assert go(out) == 0
    assert len(rows(out)) == 4


def test_several_processes_find_the_same(tmp_path):
    assert go(tmp_path / "a.jsonl") == go(tmp_path / "b.jsonl", "--jobs", "2") == 0
    by_run = [
        sorted(stable(tmp_path / name), key=lambda row: (row["seed"], row["problem"]))
        for name in ("a.jsonl", "b.jsonl")
    ]
    assert by_run[0] == by_run[1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"format": 99, "problem": "2d-6"}\n', "format 99"),
        ("# A page\n\nof something else\n", "no result file"),
        ('{"format": 1, "problem": "2d-6"}\n', "no field 'method'"),
    ],
)
def test_foreign_files_are_left_alone(tmp_path, capsys, content, message):
    out = tmp_path / "a.jsonl"
    out.write_text(content)
    assert go(out) == 2
    assert message in capsys.readouterr().err
    assert out.read_text() == content


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--problems", "jenaton", "did you mean 'jenatton'"),
        ("--methods", "randon", "did you mean 'random'"),
        ("--seeds", "a-b", "write seeds as"),
        ("--methods", "random:x=1", "no option 'x'"),
    ],
)
def test_misspelt_words_are_named_and_nothing_is_written(tmp_path, capsys, option, value, message):
    assert go(tmp_path / "a.jsonl", option, value) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "a.jsonl").exists()


def test_a_missing_package_is_named_with_the_remedy(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "hyperopt", None)
    monkeypatch.delitem(
        __import__("sys").modules, "benchmarks.adapters.hyperopt_tpe", raising=False
    )
    assert go(tmp_path / "a.jsonl", "--methods", "hyperopt") == 2
    assert "pip install hyperopt" in capsys.readouterr().err
