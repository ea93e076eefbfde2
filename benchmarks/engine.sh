#!/bin/sh
# What docs/benchmarks.md says of the engine: `make bench`. Resumable: finished runs are skipped, so
# measure a changed engine by removing benchmarks/results/engine-*.jsonl first.
# JOBS=1 leaves a core free.
set -e
python="${PYTHON:-.venv/bin/python}"
out=benchmarks/results
run="$python -m benchmarks.run --jobs ${JOBS:-2}"
table="$python -m benchmarks.tables --write docs/benchmarks.md"

$run --problems ackley-6 --methods bandit,bandit-thompson,bandit-paper --seeds 0-19 \
    --start 2 --evaluations 120 --out $out/engine-ackley.jsonl
$run --problems ackley-6 --methods tpe,tpe-group,random --seeds 0-19 \
    --start 2 --evaluations 120 --out $out/synthetic.jsonl
$run --problems 2d-6 --methods bandit,bandit-thompson,bandit-paper --seeds 0-9 \
    --start 2 --evaluations 60 --out $out/engine-2d.jsonl
$run --problems 2d-6 --methods tpe,tpe-group,random --seeds 0-9 \
    --start 2 --evaluations 60 --out $out/synthetic-2d.jsonl
$run --problems learning --methods bandit --seeds 0-9 \
    --start 2 --evaluations 80 --out $out/engine-start2.jsonl
$run --problems learning --methods bandit --seeds 0-9 \
    --start 0 --evaluations 100 --out $out/engine-nothing.jsonl
$run --problems ackley-25 --methods bandit --seeds 0-29 --batch 5 \
    --start 2 --evaluations 200 --out $out/engine-ackley25.jsonl
$run --problems ackley-25 --methods bandit-thompson --seeds 0-9 --batch 5 \
    --start 2 --evaluations 200 --out $out/engine-ackley25.jsonl
$run --problems ackley-25 --methods tpe,random --seeds 0-9 --batch 5 \
    --start 2 --evaluations 200 --out $out/synthetic-25.jsonl
sh benchmarks/baselines.sh

$table $out/engine-ackley.jsonl $out/synthetic.jsonl --section ackley --at 30,60,120 --kinds best,paired \
    --methods bandit,bandit-thompson,bandit-paper,tpe,tpe-group,random
$table $out/engine-ackley25.jsonl $out/synthetic-25.jsonl --section ackley25 --at 50,100,200 --kinds best,paired
$table $out/engine-2d.jsonl $out/synthetic-2d.jsonl --section 2d --at 20,40,60 --kinds best,regret
$table $out/engine-start2.jsonl $out/start2.jsonl --section start2 --at 20,40,80 --kinds gain,paired
$table $out/engine-nothing.jsonl $out/nothing.jsonl --section nothing --at 15,30,60,100 \
    --kinds gain,paired,reach
$python -m benchmarks.timing --write docs/benchmarks.md --section timing
