"""Commands that are plain words, and what a rule about them may say. Pure.

A remembered rule for a shell is safe only where the shell does nothing of its own with the text: no operator,
substitution, redirection, expansion, assignment or newline. Whatever is not plainly that has no rule, and no rule
covers it (CVE-2025-54795, CVE-2025-58764, CVE-2025-66032, CVE-2026-25722, CVE-2026-30314, CVE-2026-110206).
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_BARE = r"[A-Za-z0-9_./:=@,+-]+"
_SINGLE = r"'[^'\x00-\x1f\x7f]*'"
_DOUBLE = r'"[^"$`\\!\x00-\x1f\x7f]*"'
_WORD = re.compile(f"(?:{_BARE}|{_SINGLE}|{_DOUBLE})")
"""A word that is bare or quoted as a whole. `-e"x"ec`, which is `-exec`, is neither."""

_RUNS_OTHERS = (
    # Their words are code, or name what else to run; a rule about the first words would allow anything after them.
    ". source alias bash builtin bun bunx busybox bwrap chroot command crontab csh dash deno docker doas entr env eval "
    "exec fish find fd fdfind flatpak gdb ipython irb java jshell kubectl ksh lua make gmake just rake task ninja nice "
    "nix nix-shell node nohup npx osascript parallel perl php pkexec podman poetry powershell pwsh pypy python ruby "
    "run-parts runuser Rscript script setsid sh ssh stdbuf strace su sudo systemd-run tclsh tcsh time timeout tmux "
    "trap tsx ts-node unshare unbuffer uv uvx valgrind watch wine xargs xonsh zsh "
    "at batch coproc coverage dbus-launch dbus-run-session direnv distcc dotenv elixir erl expect fakeroot firejail "
    "flock forever ghci groovy guile gulp grunt hyperfine iex ionice jbang julia lldb ltrace lua5.4 luajit mise asdf "
    "mpiexec mpirun nodemon nsenter numactl nvm octave open opam perf pixi pm2 proot pyenv racket rbenv rlwrap rsh "
    "runghc runhaskell rye sbcl scala screen sem setarch setpriv start taskset torchrun volta wsl xdg-open xvfb-run "
    "awk gawk mawk nawk sed gsed ed ex vi vim nvim emacs nano less more man m4 bc dc jq sqlite3 psql mysql gpg openssl"
)
_CHANGES_ANYTHING = (
    # A whole folder, if they are pointed at one, with its protected files.
    "cp dd install ln mkfifo mv rm rmdir rsync scp sftp shred tar tee truncate unzip zip 7z cpio chmod chown chgrp "
    "patch curl wget nc ncat socat telnet kill pkill killall reboot shutdown"
)
_WITHOUT_RULE = frozenset(f"{_RUNS_OTHERS} {_CHANGES_ANYTHING}".split())

_SUBCOMMANDS = (
    "git hg svn npm pnpm yarn cargo go pip pip3 dotnet gh glab rustup terraform brew apt apt-get conda mix gem "
    "bundle composer mvn gradle swift flutter dart pipx pre-commit tox nox hatch pdm"
)
_WITH_SUBCOMMANDS = frozenset(_SUBCOMMANDS.split())
"""Their first word says too little: a rule names the subcommand as well."""

_RUNNING_SUBCOMMANDS = frozenset(("exec", "x", "dlx", "eval", "shell", "run-script", "explore", "repl", "bisect"))
_OF_GIT = (
    # Others take commands (`git submodule foreach`), settings that are commands, or change files whatever they are.
    "add blame branch commit describe diff fetch grep log ls-files pull push rev-parse shortlog show status tag"
)
_GIT_SUBCOMMANDS = frozenset(_OF_GIT.split())
_SCRIPTS = frozenset(("npm", "pnpm", "yarn"))
_VERSIONED = re.compile(r"(python|pypy|perl|ruby|lua|node|php)[0-9.]*w?")


def plain_words(command: str) -> tuple[str, ...] | None:
    """The words of `command` if a shell would do nothing but pass them on; None for any other text."""
    words = []
    place = 0
    for found in _WORD.finditer(command):
        between = command[place : found.start()]
        if between.strip(" ") or (place and not between):
            return None
        words.append(found.group())
        place = found.end()
    if command[place:].strip(" ") or not words:
        return None
    bare = tuple(word[1:-1] if word[0] in "'\"" else word for word in words)
    # The standard library's reading must be the same, and the first word must be a program: neither quoted, nor an
    # assignment (`X=1 cmd`), nor an option.
    if tuple(shlex.split(command)) != bare or words[0] != bare[0] or "=" in bare[0] or bare[0].startswith("-"):
        return None
    return bare


def offered_words(command: str) -> tuple[str, ...] | None:
    """The beginning of `command` that a rule may allow with other operands after it; None where no rule may.

    All options are part of it, so that a rule never allows an option that the person has not seen (`find -exec`,
    `rg --pre`, `git log --output`).
    """
    words = plain_words(command)
    if words is None or not _may_have_a_rule(words):
        return None
    count = 1
    if words[0] in _WITH_SUBCOMMANDS:
        count = 3 if words[1] == "run" else 2
    last_option = max((at for at, word in enumerate(words, 1) if word.startswith("-")), default=0)
    return words[: max(count, last_option)]


def covered_operands(rule: Sequence[str], command: str) -> tuple[str, ...] | None:
    """What stands after the words of `rule` in `command`; None where the rule does not cover the command at all.

    Words are compared, not characters: `git` does not cover `gitx`.
    """
    words = plain_words(command)
    if words is None or not _may_have_a_rule(words) or words[: len(rule)] != tuple(rule):
        return None
    rest = words[len(rule) :]
    if any(word.startswith("-") or "=" in word or not word for word in rest):
        return None
    if rest and words[0] in _SCRIPTS and words[1] == "run":
        return None  # what follows goes to a script, which may take it for anything
    return rest


def _may_have_a_rule(words: Sequence[str]) -> bool:
    program = words[0]
    if "/" in program or program in _WITHOUT_RULE or _VERSIONED.fullmatch(program):
        return False  # a program of the workspace can be another one tomorrow
    if program not in _WITH_SUBCOMMANDS:
        return True
    if len(words) < 2 or words[1].startswith("-") or words[1] in _RUNNING_SUBCOMMANDS:
        return False  # `git -c core.pager=...` comes before the subcommand
    if program == "git":
        return words[1] in _GIT_SUBCOMMANDS
    if words[1] == "run":
        return program in _SCRIPTS and len(words) > 2 and not words[2].startswith("-")
    return True
