# Everything installs into .venv, with nothing needed but Python 3.11+, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Schemathesis and langgraph-api need different releases of one package, so it has a place of its own.
FUZZ := .venv-fuzz

.PHONY: demo test test-e2e test-fuzz check install install-dev clean

demo: $(VENV)/installed
	$(BIN)/policydesk ask "Can I return my damaged headphones after 10 days?"

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest

# Real processes: the chat page in a browser (skipped where there is no Chromium), the service, langgraph dev with its clients.
test-e2e: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m slow tests/e2e --ignore=tests/e2e/test_schema.py

# The HTTP API against its own description.
test-fuzz: $(VENV)/installed-dev $(FUZZ)/installed
	SCHEMATHESIS=$(CURDIR)/$(FUZZ)/bin/schemathesis $(BIN)/python -m pytest -m slow tests/e2e/test_schema.py

check: $(VENV)/installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

install: $(VENV)/installed
install-dev: $(VENV)/installed-dev

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/installed: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev
	touch $@

$(FUZZ)/installed:
	$(PYTHON) -m venv $(FUZZ)
	$(FUZZ)/bin/python -m pip install --quiet 'schemathesis>=4,<5'
	touch $@

clean:
	rm -rf $(VENV) $(FUZZ)
