# tabroute: everything a newcomer or CI runs. Needs only Python 3.11+ and the package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: help demo test check bench-offline fix docs

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

$(VENV)/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "tabroute needs Python 3.11 or newer; set PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	$(BIN)/python -m pip install -q --disable-pip-version-check -e '.[dev]'
	@touch $@

demo: $(VENV)/.core ## set up and answer questions over sample_tables/, no key, no network
	$(BIN)/tabroute demo

test: $(VENV)/.dev ## set up and run the tests
	$(BIN)/python -m pytest -n auto

check: $(VENV)/.dev ## lint, types and tests: what a change must pass
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto

SETS ?= ../shared/benchmarks
SAMPLE ?= 500
bench-offline: $(VENV)/.dev ## measure the offline writer on development sets (SETS=folder SAMPLE=n)
	@test -d "$(SETS)" || { echo "no folder $(SETS): docs/benchmarks.md tells how to get the sets; then set SETS"; exit 2; }
	$(BIN)/python -m benchmarks.offline $(SETS) --sample $(SAMPLE)

fix: $(VENV)/.dev ## format and repair what can be repaired
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.dev ## write the pages of docs/ that are made from the code
	$(BIN)/python -m scripts.make_docs
