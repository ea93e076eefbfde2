#!/bin/sh
# The baselines that the engine is compared with; resumable, one process. From the project's root:
#     setsid nohup nice -n 10 sh benchmarks/baselines.sh > /tmp/baselines.log 2>&1 &
set -e
python="${PYTHON:-.venv/bin/python}"
out=benchmarks/results
run="$python -m benchmarks.run --seeds 0-9 --jobs 1"
$run --problems ackley-6 --methods random,tpe,tpe-group,tpe:names=path,tpe-group:names=path \
    --start 2 --evaluations 120 --out $out/synthetic.jsonl
$run --problems learning --methods random,tpe,tpe-group \
    --start 0 --evaluations 100 --out $out/nothing.jsonl
$run --problems learning --methods random,tpe-group \
    --start 2 --evaluations 80 --out $out/start2.jsonl
$python -m benchmarks.make_optima $out/nothing.jsonl $out/start2.jsonl
$run --problems learning --methods smac \
    --start 0 --evaluations 100 --out $out/nothing.jsonl
$python -m benchmarks.make_optima $out/nothing.jsonl $out/start2.jsonl
