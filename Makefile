# Every target sets up what it needs in .venv; a machine needs Python 3.10 to 3.13 and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-storage test-postgres test-ray test-dask check format bench build matrix clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(BIN)/.dev: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

$(BIN)/.bench: $(BIN)/.dev
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev,bench]'
	touch $@

demo: $(BIN)/.dev ## choose among five models on a bundled table, with live progress and a figure
	$(BIN)/python examples/demo.py

test: $(BIN)/.dev ## the tests, docs and examples included (under 5 minutes)
	$(BIN)/python -m pytest --numprocesses 2 --quiet

test-slow: $(BIN)/.dev ## statistical checks that take minutes
	$(BIN)/python -m pytest --numprocesses 2 --quiet -m slow

test-storage: $(BIN)/.dev ## many processes on SQLite, a journal file and a gRPC proxy, one of them killed
	$(BIN)/python -m pip install --quiet grpcio protobuf
	$(BIN)/python -m pytest --quiet -m storage tests/optuna

test-postgres: $(BIN)/.dev ## 32 processes on a PostgreSQL server (apt-get install postgresql first)
	$(BIN)/python -m pip install --quiet psycopg2-binary
	$(BIN)/python -m pytest --quiet -m postgres tests/optuna

test-ray: $(BIN)/.dev ## Ray Tune with the sampler
	$(BIN)/python -m pip install --quiet 'ray[tune]'
	$(BIN)/python -m pytest --quiet -m ray tests/optuna

test-dask: $(BIN)/.dev ## Dask workers with the sampler
	$(BIN)/python -m pip install --quiet 'optuna-integration[dask]' distributed
	$(BIN)/python -m pytest --quiet -m dask tests/optuna

check: $(BIN)/.dev ## lint, format, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(BIN)/.dev ## put the code into shape
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(BIN)/.bench ## measure what docs/benchmarks.md says (hours; resumable)
	PYTHON=$(BIN)/python sh benchmarks/engine.sh

build: $(BIN)/.dev ## wheel and sdist, the wheel tried in an empty environment
	rm -rf dist build/wheel
	$(BIN)/python -m pip install --quiet --constraint constraints.txt build
	$(BIN)/python -m build --outdir dist
	$(PYTHON) -m venv build/wheel
	build/wheel/bin/python -m pip install --quiet dist/*.whl
	cd build && wheel/bin/python -c "import banditbo as b; o = b.Optimizer(b.Space({'x': b.Float(0, 1)}), seed=0); print(b.__version__, o.ask()[0].params)"

matrix: ## the tests on Python 3.10 to 3.13, as pyenv has them
	for v in 3.10 3.11 3.12 3.13; do \
	  PYENV_VERSION=$$(pyenv latest $$v) $(MAKE) test VENV=.venv-$$v PYTHON=python || exit 1; done

clean: ## remove what the targets made
	rm -rf $(VENV) .venv-* build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
