#!/bin/sh
# Builds CRIU 4.2.1 from Debian's source into a cache folder, once (30 to 100 s), and prints the path of the binary.
# Debian 12 carries 3.17.1, which fails on every command with kernels from 6.13 on; checkpoints need 4.1 or later.
# Needs root and apt. A `criu` that is new enough already on the PATH is printed instead.
set -eu
version=4.2.1
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${1:-$root/node_modules/.cache/criu}
binary=$cache/criu-$version

works() { [ -x "$1" ] && "$1" check >/dev/null 2>&1; }

installed=$(command -v criu || true)
if [ -n "$installed" ] && works "$installed"; then echo "$installed"; exit 0; fi
# The libraries that it is linked with may have gone with the image of the machine, while the cache stayed.
if [ -x "$binary" ] && works "$binary"; then echo "$binary"; exit 0; fi

[ "$(id -u)" = 0 ] || { echo "get-criu: needs root, for the packages that the build needs" >&2; exit 1; }
mkdir -p "$cache"
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive
{
  apt-get update -qq || true
  apt-get install -y -qq --no-install-recommends gcc make pkg-config libprotobuf-dev libprotobuf-c-dev \
    protobuf-c-compiler protobuf-compiler libnl-3-dev libcap-dev libnet1-dev uuid-dev libbsd-dev iptables xz-utils

  # A configuration of apt of its own: the machine's sources stay as they are.
  mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$work/apt/parts"
  # The mirror is the one that the machine's own packages come from.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | grep -m 1 '/debian/*$')
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror sid main" >"$work/apt/sources.list"
  cat >"$work/apt/apt.conf" <<END
Dir::Etc::SourceList "$work/apt/sources.list";
Dir::Etc::SourceParts "$work/apt/parts";
Dir::State::Lists "$work/apt/lists";
Dir::Cache "$work/apt";
Acquire::Languages "none";
APT::Sandbox::User "root";
END
  cd "$work"
  APT_CONFIG=$work/apt/apt.conf apt-get update -qq || true
  # One small file of the source package cannot always be fetched, and is not needed.
  APT_CONFIG=$work/apt/apt.conf apt-get source --download-only "criu=$version-1" || true
  tar xf "criu_$version.orig.tar.xz" 2>/dev/null || tar xf "criu_$version.orig.tar.gz"
  cd "criu-$version"
  # The system's python3 is needed; one of another manager in front of it has no protobuf.
  PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin make -j"$(nproc)" criu NO_GNUTLS=1
} >"$work/../build.log" 2>&1 || { tail -20 "$cache/build.log" >&2; echo "get-criu: the build failed" >&2; exit 1; }
strip -o "$binary.new" criu/criu
mv "$binary.new" "$binary"
works "$binary" || { echo "get-criu: $binary check fails on this machine" >&2; "$binary" check >&2 || true; exit 1; }
echo "$binary"
