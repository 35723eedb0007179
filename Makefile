# make run     the environment, and the main job once through in examples/
# make test    all checks and tests; installs Neovim and bubblewrap where they are missing
# make editor  the example workspace in a VS Code in the browser, with the extension
# make bench-lint     edits of tools files of 20 to 10,000 tools, in this server and in others
# make bench-worker   a saved tools file until its tools are loaded, with and without a process kept warm
# make bench-check    the lint of 1,000 files from the command line, beside ruff
# make bench-agent    the agent loop beside other libraries on a scripted model server; installs them as bench-server does
# make bench-vscode   marks in a real window of VS Code, beside those of ruff server (minutes; a quiet machine)
# make bench-server   the language server beside others, which it installs into .artifacts/bench (minutes; a quiet machine)
# make lock    new exact versions and hashes in requirements/

PYTHON ?= python3
UV ?= uv

VENV := .venv
BIN := $(VENV)/bin
PACKAGE := pyproject.toml adal_ls/version.py
LOCK := --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header --quiet
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet --quiet

.PHONY: run test lint types check-format imports pytest tools lock bench-lint bench-check bench-server bench-worker bench-agent clean

run: $(VENV)/.runtime
	@ADAL_LS=$(CURDIR)/$(BIN)/adal-ls examples/tour.sh

test: tools check-format lint types imports pytest vscode-test

# Everything that is installed, the build backend too, is checked against a hash; building without isolation keeps it so.
$(VENV)/.runtime: requirements/runtime.lock requirements/build.lock $(PACKAGE) | $(BIN)/python
	@echo "Installing the dependencies (litellm brings most of them; this takes a minute or two) …"
	$(PIP) install --require-hashes -r requirements/build.lock -r requirements/runtime.lock
	$(PIP) install --no-build-isolation --no-deps --editable .
	@# venv brings setuptools before Python 3.12: nothing needs it, and its .pth file runs code at every start.
	@$(PIP) uninstall --yes setuptools 2>/dev/null || true
	@touch $@

$(VENV)/.dev: requirements/dev.lock $(VENV)/.runtime
	$(PIP) install --require-hashes -r requirements/dev.lock
	@touch $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "Python 3.10 or later is needed: install it, or name it: make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
		{ echo "$(PYTHON) is $$($(PYTHON) --version); 3.10 or later is needed: make PYTHON=…" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
		{ echo "$(PYTHON) has no venv module: install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

check-format: $(VENV)/.dev
	$(BIN)/ruff format --check --quiet .

lint: $(VENV)/.dev
	$(BIN)/ruff check --quiet .

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports

# They count threads and processes of their own, so nothing else runs in theirs.
SOAKS := tests/agent/test_soak.py tests/worker/test_soak.py

# Most of a test's time is other processes starting: two at a time keep two cores busy, more would measure the machine.
pytest: $(VENV)/.dev
	$(BIN)/python -m pytest --numprocesses=2 --dist=worksteal $(SOAKS:%=--ignore=%)
	$(BIN)/python -m pytest $(SOAKS)

# The tests drive a real Neovim and a real sandbox.
tools:
	@scripts/install-test-tools.sh

lock:
	$(UV) pip compile pyproject.toml $(LOCK) -o requirements/runtime.lock
	$(UV) pip compile pyproject.toml --group dev $(LOCK) -o requirements/dev.lock
	$(UV) pip compile requirements/build.in $(LOCK) -o requirements/build.lock

bench-lint: .artifacts/bench/.installed
	$(BIN)/python -m benchmarks.lint

bench-check: $(VENV)/.dev
	$(BIN)/python -m benchmarks.lint.check

bench-server: .artifacts/bench/.installed
	$(BIN)/python -m benchmarks.server

bench-worker: $(VENV)/.dev
	$(BIN)/python -m benchmarks.worker

bench-agent: .artifacts/bench/.agents
	$(BIN)/python -m benchmarks.agent

.artifacts/bench/.agents: benchmarks/agent/peers.txt $(VENV)/.dev
	$(PYTHON) -m venv .artifacts/bench/agents
	.artifacts/bench/agents/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/agent/peers.txt
	@touch $@

.artifacts/bench/.installed: benchmarks/server/peers.txt $(VENV)/.dev
	$(PYTHON) -m venv .artifacts/bench/venv
	.artifacts/bench/venv/bin/python -m pip --disable-pip-version-check --quiet install -r benchmarks/server/peers.txt
	@touch $@

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .import_linter_cache .artifacts

include vscode-client/vscode.mk
