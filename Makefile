# Two commands are enough: `make run` and `make test`. Both set up all that they need.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
NEEDS  := requirements.txt requirements-app.txt requirements-demo.txt

.PHONY: run test check prove help

help:            ## list the commands
	@grep -E '^[a-z-]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 14

run: $(READY)    ## fill an empty store with the demo, start engine worker and dashboard, print the address
	@exec $(BIN)/python -m engine serve

test: $(READY) check  ## all tests, browser tests included
	@sh tests/browser/install-chromium.sh
	@sh tests/side_by_side.sh $(BIN)/python

check: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

prove: $(READY)  ## the long proofs at full count: kills, readers against a builder
	SCORELENS_PROVE=1 $(BIN)/python -m pytest -m prove --timeout 3600

$(READY): $(NEEDS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Scorelens needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) --version 2>&1). Try: make PYTHON=python3.11 run"; exit 1; }
	@echo "Setting up $(VENV): about 2 GB, a few minutes the first time"
	@$(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing: sudo apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --no-deps -r requirements-demo.txt
	@# pip compiles on one core; what does not compile is no module of ours, and pip would pass over it too.
	@$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true
	@touch $(READY)
