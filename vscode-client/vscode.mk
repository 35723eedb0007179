# The VS Code extension: what its tests need, its .vsix, its tests, and a VS Code in the browser to try it in.
# Included by the Makefile at the root, whose environment builds the wheel and runs the agents of the tests.

VSCODE_CACHE := $(CURDIR)/.artifacts/vscode
VSCODE_PATH := PATH="$(VSCODE_CACHE)/bin:$$PATH"

.PHONY: vscode-setup vscode-build vscode-test vscode-picture vscode-pictures bench-vscode editor

vscode-setup: $(VENV)/.dev
	$(BIN)/python vscode-client/test/rig/setup.py

vscode-build: vscode-setup
	$(BIN)/python vscode-client/scripts/bundle.py
	cd vscode-client && $(VSCODE_PATH) npm run -s package

vscode-test: vscode-build
	cd vscode-client && $(VSCODE_PATH) npm run -s test

# The README's picture, as the end-to-end test takes it.
vscode-picture: vscode-build
	cd vscode-client && $(VSCODE_PATH) ADAL_TAKE_PICTURE=1 npx --no-install vitest run --config vitest.e2e.config.mts picture

# The guides' pictures (docs/images/*.webp): every state in three themes, and the story. Minutes, so no part of the tests.
vscode-pictures: vscode-build
	cd vscode-client && $(VSCODE_PATH) npx --no-install vitest run --config vitest.pictures.config.mts

editor: vscode-build
	cd vscode-client && $(VSCODE_PATH) node test/rig/tryOut.ts

# How long marks take in a real window, beside `ruff server` (minutes; a quiet machine).
bench-vscode: vscode-build .artifacts/bench/.installed
	cd vscode-client && $(VSCODE_PATH) node --disable-warning=MODULE_TYPELESS_PACKAGE_JSON test/bench/latency.ts $(CURDIR)/.artifacts/bench/venv/bin/ruff
