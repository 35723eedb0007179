# The VS Code extension: what its tests need, its .vsix, its tests, and a VS Code in the browser to try it in.
# Included by the Makefile at the root; needs that one's .venv (agents run from it, pip builds the wheel with it).

VSCODE_CACHE := $(CURDIR)/.artifacts/vscode
VSCODE_PATH := PATH="$(VSCODE_CACHE)/bin:$$PATH"

.PHONY: vscode-setup vscode-build vscode-test editor

vscode-setup:
	.venv/bin/python vscode-client/test/rig/setup.py

vscode-build: vscode-setup
	.venv/bin/python vscode-client/scripts/bundle.py
	cd vscode-client && $(VSCODE_PATH) npm run -s package

vscode-test: vscode-build
	cd vscode-client && $(VSCODE_PATH) npm run -s test

editor: vscode-build
	cd vscode-client && $(VSCODE_PATH) node test/rig/tryOut.ts
