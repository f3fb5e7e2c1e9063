# Two commands on a fresh machine: Python >= 3.11, git and make are all that is needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The pip that `venv` brings obeys PIP_* and pip.conf; it names no index of ours.
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

# Real MCP servers that tests start: an environment for each version, from hashed files.
SERVERS := .servers
SERVER_FILES := requirements/servers
PYTHON_SERVERS := $(patsubst $(SERVER_FILES)/python/%.txt,$(SERVERS)/python/%/.made,$(wildcard $(SERVER_FILES)/python/*.txt))
NPM_SERVERS := $(patsubst $(SERVER_FILES)/npm/%/package-lock.json,$(SERVERS)/npm/%/.made,$(wildcard $(SERVER_FILES)/npm/*/package-lock.json))

.PHONY: demo test test-long lint policy benchmark servers servers-python clean

demo: $(VENV)/.run
	@$(BIN)/assembler demo

test: lint policy
	$(BIN)/python -m pytest

test-long: $(VENV)/.dev
	$(BIN)/python -m pytest -m "long or not long"

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# This project's own AGENTS.md, held to its lock by the product itself.
policy: $(VENV)/.run
	$(BIN)/assembler lock --check
	$(BIN)/assembler check

benchmark: $(VENV)/.dev
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/compile.py
	$(BIN)/python benchmarks/skills.py
	$(BIN)/python benchmarks/catalogs.py
	$(BIN)/python benchmarks/evidence.py

servers: servers-python $(if $(shell command -v npm),$(NPM_SERVERS))

servers-python: $(PYTHON_SERVERS)

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "make: $(PYTHON) is older than Python 3.11: set PYTHON=python3.11")'
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo 'make: this Python has no venv module: install it (Debian: apt install python3-venv), or set PYTHON=' >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.txt pyproject.toml | $(VENV)/bin/python
	@$(PIP) install --quiet --require-hashes -r requirements/run.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	@$(PIP) install --quiet --require-hashes -r requirements/dev.txt
	@touch $@

$(SERVERS)/python/%/.made: $(SERVER_FILES)/python/%.txt | $(VENV)/bin/python
	@rm -rf $(@D)
	@$(BIN)/python -m venv --without-pip $(@D)
	@$(PIP) --python $(@D)/bin/python install --quiet --retries 1 --require-hashes --no-compile -r $<
	@touch $@

$(SERVERS)/npm/%/.made: $(SERVER_FILES)/npm/%/package-lock.json
	@rm -rf $(@D)
	@mkdir -p $(@D)
	@cp $(<D)/package.json $< $(@D)
	@cd $(@D) && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
	@touch $@

clean:
	rm -rf $(VENV) $(SERVERS)
