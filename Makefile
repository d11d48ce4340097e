# Everything installs into .venv, with nothing needed but Python 3.11+, make and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test test-browser check install install-dev clean

demo: $(VENV)/installed
	$(BIN)/policydesk ask "Can I return my damaged headphones after 10 days?"

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest

# The chat page in a real browser, and real server processes. Skipped where there is no Chromium.
test-browser: $(VENV)/installed-dev
	$(BIN)/python -m pytest -m slow tests/e2e/test_page.py tests/e2e/test_process.py

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

clean:
	rm -rf $(VENV)
