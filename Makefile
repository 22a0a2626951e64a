# Everything runs in .venv, which these targets make and keep up to date themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# One more than two cores: much of a test is waiting for a program.
WORKERS ?= 3
# Real agents mostly wait.
AGENT_WORKERS ?= 6
AGENT_TESTS ?= tests/agents

.PHONY: demo test test-agents stress check format accept bench docs clean

## a whole delivery on a bundled repository, with a recorded agent
demo: $(VENV)/.demo
	@$(BIN)/python -m signoff demo

## every test
test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q

## real coding agents on a scripted model: installs them from npm into SIGNOFF_AGENT_CACHE (.cache/agents);
## AGENTS="codex goose" chooses. What cannot be installed is reported as skipped
test-agents: $(VENV)/.dev
	$(BIN)/python tests/agents/install.py $(AGENTS)
	$(BIN)/python -m pytest -n $(AGENT_WORKERS) --dist worksteal -q -m agents $(AGENT_FLAGS) $(AGENT_TESTS)

## every kill point of a run, and thirty-two agents and runs at once; prints figures, takes minutes
stress: $(VENV)/.dev
	$(BIN)/python -m pytest -q -s -m stress tests/e2e

## lint, format, types, import directions, generated docs
check: $(VENV)/.dev
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

## apply format and safe fixes
format: $(VENV)/.dev
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

## take the actual output of golden tests as the expected one
accept: $(VENV)/.dev
	SIGNOFF_ACCEPT=1 $(BIN)/python -m pytest -q tests/golden

## regenerate the generated pages and schemas
docs: $(VENV)/.dev
	$(BIN)/python docs/generate.py

## figures: start-up against node and bare Python, journals of 100,000 events, overhead against the bare agent
bench: $(VENV)/.dev
	$(BIN)/python -m bench

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit("signoff needs Python 3.11 or newer; try: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[demo]'
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[acp,demo,judges]' --group dev
	@touch $@ $(VENV)/.demo

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis dist build
