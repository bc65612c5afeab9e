# Everything a developer does, by name: `make help`.

PORT ?= 8080
BALANCE_CENTS ?= 10000
MINISTACK_VERSION := 1.5.33
SAM_VERSION := 1.170.0
UV_VERSION := 0.13.8

# uv from the PATH where there is one; else a copy of our own, in .local, not in the system.
OWN_UV := .local/uv/bin/uv
UV := $(or $(shell command -v uv 2>/dev/null),$(OWN_UV))
UV_READY := $(filter $(OWN_UV),$(UV))

export PYTHONPATH := functions:shared:.
# A build downloads nothing but packages; Python itself is the machine's.
export UV_PYTHON_DOWNLOADS := never

# Layers are built by makefiles that call uv by name.
export PATH := $(PATH):$(CURDIR)/.local/uv/bin
PYTHON := .venv/bin/python
SAM := AWS_DEFAULT_REGION=us-east-1 SAM_CLI_TELEMETRY=0 $(UV) tool run --from aws-sam-cli==$(SAM_VERSION) sam

.DEFAULT_GOAL := help
.PHONY: help run account demo tollgate test check bench-text format build clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: .venv/.ready .local/ministack/.ready  ## the whole service on this machine, ready to use (PORT=8080)
	@exec $(PYTHON) -m local run --port $(PORT)

account: .venv/.ready  ## an account on the running service (BALANCE_CENTS=10000); JSON on the last line
	@$(PYTHON) -m local account --balance-cents $(BALANCE_CENTS)

demo: .venv/.ready  ## one generation of each kind on the running service, with its files
	@$(PYTHON) -m local demo

tollgate: .venv/.ready  ## the operator's command (ARGS="catalog lint"; ARGS=--help)
	@$(PYTHON) -m tollgate $(ARGS)

test: .venv/.ready .local/ministack/.ready  ## all tests
	@$(PYTHON) -m pytest -q -n 2 --dist loadgroup

check: .venv/.ready  ## lint, types, import rules, template
	@$(PYTHON) -m ruff check .
	@$(PYTHON) -m ruff format --check .
	@$(PYTHON) -m mypy
	@.venv/bin/lint-imports
	@$(SAM) validate --lint

bench-text: .venv/.ready .local/ministack/.ready  ## the text function beside a bare proxy: CPU, first byte, open streams
	@$(PYTHON) -m tests.bench.text

format: .venv/.ready  ## format the code
	@$(PYTHON) -m ruff check --fix-only -q .
	@$(PYTHON) -m ruff format .

build: .venv/.ready  ## what `sam deploy` uploads, into .aws-sam
	@$(SAM) build

clean:  ## remove everything that was made here
	@rm -rf .venv .local .aws-sam .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# Set-up. Each step says what it does, and fails with one clear line.

CANNOT_INSTALL = echo "tollgate: cannot install (no registry, or no Python 3.11 or later): see .local/install.log"; exit 1

$(OWN_UV):
	@echo "Fetching uv $(UV_VERSION) into .local/uv"
	@mkdir -p .local
	@command -v python3 >/dev/null || { echo "tollgate: python3 (3.11 or later) is missing"; exit 1; }
	@python3 -m venv .local/uv || { echo "tollgate: python3 cannot make environments (install python3-venv)"; exit 1; }
	@.local/uv/bin/pip install -q --disable-pip-version-check uv==$(UV_VERSION) \
		2>.local/install.log || { rm -rf .local/uv; $(CANNOT_INSTALL); }

.venv/.ready: pyproject.toml uv.lock | $(UV_READY)
	@echo "Installing the Python packages into .venv"
	@mkdir -p .local
	@$(UV) sync -q --frozen 2>.local/install.log || { $(CANNOT_INSTALL); }
	@touch $@

.local/ministack/.ready: | $(UV_READY)
	@echo "Installing the AWS emulator (MiniStack $(MINISTACK_VERSION)) into .local/ministack"
	@$(UV) venv -q --allow-existing .local/ministack 2>.local/install.log || { $(CANNOT_INSTALL); }
	@$(UV) pip install -q -p .local/ministack 'ministack[full]==$(MINISTACK_VERSION)' \
		2>.local/install.log || { $(CANNOT_INSTALL); }
	@touch $@
