#!/bin/sh
# The baselines that the engine is compared with; resumable, one process. From the project's root.
set -e
run="${PYTHON:-.venv/bin/python} -m benchmarks.run --seeds 0-9 --jobs 1"
$run --problems ackley-6 --methods random,tpe,tpe-group,tpe:names=path,tpe-group:names=path \
    --start 2 --evaluations 120 --out benchmarks/results/synthetic.jsonl
$run --problems learning --methods random,tpe,tpe-group \
    --start 0 --evaluations 100 --out benchmarks/results/nothing.jsonl
$run --problems learning --methods random,tpe-group \
    --start 2 --evaluations 80 --out benchmarks/results/start2.jsonl
$run --problems learning --methods smac \
    --start 0 --evaluations 100 --out benchmarks/results/nothing.jsonl
