#!/bin/sh
# Print the path of a final CPython that is at least $1 (3.13 when not given): of the lowest fitting minor version,
# the one this project is locked and tested with, the newest patch. $PYTHON, when set, is the only candidate.
# Looks behind the shims of pyenv, asdf and mise, and at uv's own interpreters.
least=${1:-3.13}

# A shim answers with an interpreter only where the version manager has one switched on; the installed ones always answer.
candidates() {
  for root in "${PYENV_ROOT:-$HOME/.pyenv}/versions" "${ASDF_DATA_DIR:-$HOME/.asdf}/installs/python" \
    "${MISE_DATA_DIR:-$HOME/.local/share/mise}/installs/python" "$HOME/.local/share/uv/python"; do
    for python in "$root"/*/bin/python3; do
      [ -x "$python" ] && printf '%s\n' "$python"
    done
  done
  for name in python3.16 python3.15 python3.14 python3.13 python3 python; do
    command -v "$name" 2>/dev/null
  done
  for prefix in /opt/homebrew/bin /usr/local/bin /usr/bin; do
    for python in "$prefix"/python3.1[0-9]; do
      [ -x "$python" ] && printf '%s\n' "$python"
    done
  done
}

# Print "<minor> <patch> <path>" when $1 is a fitting interpreter, nothing otherwise.
examine() {
  "$1" -c '
import platform, sys, venv
least = tuple(map(int, sys.argv[1].split(".")))
found = sys.version_info
if found[: len(least)] >= least and found.releaselevel == "final" and platform.python_implementation() == "CPython":
    print(found[0] * 1000 + found[1], found[2], sys.executable)' "$least" 2>/dev/null </dev/null
}

if [ -n "${PYTHON:-}" ]; then
  best=$(examine "$PYTHON")
  if [ -z "$best" ]; then
    echo "PYTHON=$PYTHON is not a final CPython $least or newer. Point it at one, or unset it to search." >&2
    exit 1
  fi
else
  best=$(candidates | while IFS= read -r python; do examine "$python"; done | sort -k1,1n -k2,2nr | head -n 1)
fi

if [ -z "$best" ]; then
  cat >&2 <<END
No final CPython $least or newer was found. Install one, then say make again:
  Debian 13 or Ubuntu 25.04:  apt-get install python$least python$least-venv
  macOS with Homebrew:        brew install python@$least
  a version manager:          pyenv install $least  |  mise install python@$least  |  uv python install $least
or set PYTHON to the path of an interpreter you have.
END
  exit 1
fi
printf '%s\n' "${best#* * }"
