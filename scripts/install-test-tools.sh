#!/bin/sh
# Installs what the tests need beside Python packages, where it is missing: Neovim, bubblewrap and git. Then checks
# that a sandbox works, because the tests of the sandbox must fail, not be skipped, where it does not.
set -eu

missing=''
command -v nvim >/dev/null || missing="$missing neovim"
command -v bwrap >/dev/null || missing="$missing bubblewrap"
command -v git >/dev/null || missing="$missing git"

if [ -n "$missing" ]; then
    as_root=''
    [ "$(id -u)" -eq 0 ] || as_root='sudo -n'
    if ! command -v apt-get >/dev/null || ! $as_root true 2>/dev/null; then
        echo "The tests need:$missing. Install them with your package manager (here that takes root and apt-get)." >&2
        exit 1
    fi
    echo "Installing$missing"
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null
fi

if ! said=$(bwrap --unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev true 2>&1); then
    echo "bubblewrap does not work here: $said" >&2
    echo "The tests of the sandbox need user namespaces. In a container, start it with" >&2
    echo "'--security-opt seccomp=unconfined --security-opt apparmor=unconfined' or in privileged mode; on Ubuntu 24.04" >&2
    echo "and later, run 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'." >&2
    exit 1
fi
