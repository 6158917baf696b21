#!/bin/sh
# Makes the virtual environment that building and testing the Python package use, in the folder that
# is given; does nothing, and quickly, when it is there and up to date.
set -eu
cd "$(dirname "$0")/.."
venv=$1
if [ -x "$venv/bin/python" ] && cmp -s python/requirements.txt "$venv/requirements.txt"; then
  exit 0
fi
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r python/requirements.txt
cp python/requirements.txt "$venv/requirements.txt"
