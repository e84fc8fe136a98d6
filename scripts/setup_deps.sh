#!/usr/bin/env bash
# Installs what preon is built with, through package clients only (apt, pip), once per machine.
# Everything that is not a system package goes below $PREON_CACHE, outside the build tree, so that a second
# checkout finds it ready. Each step leaves a stamp; a step whose stamp exists costs nothing.
# Versions live here and nowhere else. Environment: PREON_CACHE (where), ORT_ROOT (an ONNX Runtime of your own).
set -euo pipefail

ORT_VERSION=1.30.0
ONNX_VERSION=1.23.2
MINIAUDIO_VERSION=1.71
CACHE="${PREON_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/preon}"
STAMPS="$CACHE/stamps"
LOG="$CACHE/setup.log"
mkdir -p "$STAMPS"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() { printf 'setup: error: %s\n' "$*" >&2; exit 1; }

# Runs a command with its output in the log; shows the log's end when it fails.
quietly() {
  if ! "$@" >>"$LOG" 2>&1; then
    tail -n 25 "$LOG" >&2
    fail "'$1 ${2-}' failed; the whole log is $LOG"
  fi
}

APT_PACKAGES=(build-essential git python3 python3-dev python3-venv ccache ninja-build pkg-config
  libhwy-dev libeigen3-dev nlohmann-json3-dev libyaml-cpp-dev libcli11-dev libssl-dev libxxhash-dev
  libstb-dev libjpeg-dev libwebp-dev libgtest-dev libgmock-dev libbenchmark-dev zlib1g-dev protobuf-compiler libprotobuf-dev)

install_system_packages() {
  command -v apt-get >/dev/null 2>&1 ||
    fail "apt-get not found; install by hand: ${APT_PACKAGES[*]} (Debian names)"
  local installed missing=() package
  installed=" $(dpkg-query -W -f='${db:Status-Status}=${Package} ' "${APT_PACKAGES[@]}" 2>/dev/null || true)"
  for package in "${APT_PACKAGES[@]}"; do
    [[ $installed == *" installed=$package "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  # Root's rights: ours, or sudo's where it asks for no password or there is a terminal to ask on.
  local as_root=()
  if [ "$(id -u)" != 0 ]; then
    sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; } ||
      fail "system packages are missing and installing them needs root or sudo; ask an administrator: apt-get install ${missing[*]}"
    as_root=(sudo -E)
  fi
  say "installing ${#missing[@]} system packages (about a minute): ${missing[*]}"
  quietly "${as_root[@]}" apt-get update -q
  quietly "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q "${missing[@]}"
}

# Python tools of the build and the oracles of the tests, apart from the user's own Python.
install_python_tools() {
  local stamp="$STAMPS/venv-$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')-$ORT_VERSION-$ONNX_VERSION-1"
  [ -f "$stamp" ] && [ -x "$CACHE/venv/bin/python" ] && return
  say "installing Python tools (about 30 s): cmake, onnx, onnxruntime, numpy, scipy, pillow, pytest"
  rm -rf "$CACHE/venv"
  quietly python3 -m venv "$CACHE/venv"
  quietly "$CACHE/venv/bin/pip" install --disable-pip-version-check "cmake>=3.26,<4" "onnx==$ONNX_VERSION" \
    "onnxruntime==$ORT_VERSION" "numpy>=2" scipy pillow pytest "clang-format==18.1.8" "scikit-build-core>=0.11"
  touch "$stamp"
}

# What the Python package is built with, what runs its tests side by side, what checks the types that users see, samplers of the search.
install_python_extras() {
  "$CACHE/venv/bin/python" -c 'import nanobind, xdist, mypy, optuna, cmaes' 2>/dev/null && return
  quietly "$CACHE/venv/bin/pip" install --disable-pip-version-check "nanobind>=2.4,<4" "pytest-xdist>=3.5,<4" "mypy>=1.8" "optuna>=4,<6" cmaes
}

# The runtime's library comes from its Python wheel, its C API headers (forward compatible) from Debian 13.
install_onnxruntime() {
  local prefix="$CACHE/onnxruntime-$ORT_VERSION" stamp="$STAMPS/onnxruntime-$ORT_VERSION"
  [ -f "$stamp" ] && return
  say "unpacking ONNX Runtime $ORT_VERSION and its headers"
  rm -rf "$prefix" && mkdir -p "$prefix/lib" "$prefix/include"
  local library
  library=$(find "$CACHE/venv" -name "libonnxruntime.so.$ORT_VERSION" | head -n 1)
  [ -n "$library" ] || fail "the onnxruntime wheel has no libonnxruntime.so.$ORT_VERSION; set ORT_ROOT to an ONNX Runtime of your own"
  cp "$library" "$prefix/lib/"
  ln -s "libonnxruntime.so.$ORT_VERSION" "$prefix/lib/libonnxruntime.so.1"
  ln -s libonnxruntime.so.1 "$prefix/lib/libonnxruntime.so"

  # A private apt configuration: the machine's own mirror, the trixie suite, this one package.
  local apt="$CACHE/apt-trixie" mirror
  rm -rf "$apt" && mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2>/dev/null || true; } |
    sed -nE 's/^(URIs:|deb)[[:space:]]+(\[[^]]*\][[:space:]]+)?([a-z]+:[^[:space:]]+).*/\3/p' | grep -v security | sed -n 1p)
  [ -n "$mirror" ] || fail "no Debian mirror found in /etc/apt; set ORT_ROOT to an ONNX Runtime with headers"
  printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s trixie main\n' "$mirror" >"$apt/sources.list"
  local options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=/dev/null"
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o "APT::Sandbox::User=$(id -un)" -o "Debug::NoLocking=1")
  quietly apt-get "${options[@]}" update -q
  (cd "$apt" && quietly apt-get "${options[@]}" download libonnxruntime-dev)
  quietly dpkg -x "$apt"/libonnxruntime-dev_*.deb "$apt/unpacked"
  cp -r "$apt/unpacked/usr/include/onnxruntime/." "$prefix/include/"
  rm -rf "$apt"
  touch "$stamp"
}

# miniaudio's one header, which reads WAV files, out of the source package of its Python binding: Debian has none.
install_miniaudio() {
  local prefix="$CACHE/miniaudio-$MINIAUDIO_VERSION" stamp="$STAMPS/miniaudio-$MINIAUDIO_VERSION"
  [ -f "$stamp" ] && return
  say "fetching the header of miniaudio"
  local source="$CACHE/miniaudio-source"
  rm -rf "$source" "$prefix" && mkdir -p "$source" "$prefix/include"
  (cd "$source" && quietly "$CACHE/venv/bin/pip" download --disable-pip-version-check --no-deps --no-binary miniaudio "miniaudio==$MINIAUDIO_VERSION")
  quietly tar -xzf "$source/miniaudio-$MINIAUDIO_VERSION.tar.gz" -C "$source" --strip-components=1
  cp "$source/miniaudio/miniaudio.h" "$prefix/include/"
  rm -rf "$source"
  touch "$stamp"
}

# ONNX's C++ side (checker, shape inference, version converter) from its source package, against the system's protobuf.
install_onnx() {
  local key="$ONNX_VERSION-$(pkg-config --modversion protobuf)-gcc$(gcc -dumpversion)"
  local prefix="$CACHE/onnx-$ONNX_VERSION" stamp="$STAMPS/onnx-$key"
  [ -f "$stamp" ] && return
  say "building ONNX $ONNX_VERSION for C++ (about a minute on 2 cores, once per machine)"
  local source="$CACHE/onnx-source"
  rm -rf "$source" "$prefix" && mkdir -p "$source"
  (cd "$source" && quietly "$CACHE/venv/bin/pip" download --disable-pip-version-check --no-deps --no-binary onnx "onnx==$ONNX_VERSION")
  quietly tar -xzf "$source/onnx-$ONNX_VERSION.tar.gz" -C "$source" --strip-components=1
  quietly "$CACHE/venv/bin/cmake" -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF \
    -DONNX_USE_PROTOBUF_SHARED_LIBS=ON -DONNX_BUILD_PYTHON=OFF -DBUILD_ONNX_PYTHON=OFF -DONNX_ML=ON \
    -DONNX_USE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_FLAGS="-ffile-prefix-map=$source/="
  quietly "$CACHE/venv/bin/cmake" --build "$source/build" --target install
  rm -rf "$source"
  touch "$stamp"
}

# Two checkouts may set up at once; the second waits and then finds everything done.
exec 9>"$CACHE/lock"
flock -n 9 || { say "waiting for another set-up to end"; flock 9; }
: >"$LOG"
install_system_packages
install_python_tools
install_python_extras
[ -n "${ORT_ROOT:-}" ] || install_onnxruntime &  # it downloads while ONNX compiles
runtime=$!
install_miniaudio
install_onnx
wait $runtime
