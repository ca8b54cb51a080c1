#!/bin/sh
# Writes what works on this machine to an environment file: CRIU, the distribution's if it works with this kernel, else
# the build that came with the package. Without one that works, jobs run and are not checkpointed.
set -eu
file=${1:?usage: choose-criu FILE}
packaged=$(dirname "$0")/criu
works() { [ -x "$1" ] && "$1" check >/dev/null 2>&1; }
# 4.1 is the first version that knows the memory layout of kernels from 6.13 on.
new_enough() { "$1" --version 2>/dev/null | awk '/^Version:/ { split($2, v, "."); exit !(v[1] > 4 || (v[1] == 4 && v[2] >= 1)) }'; }
own=$(command -v criu || true)
chosen=
if [ -n "$own" ] && new_enough "$own" && works "$own"; then chosen=$own
elif works "$packaged"; then chosen=$packaged
elif [ -n "$own" ] && works "$own"; then chosen=$own
fi
{
  if [ -n "$chosen" ]; then echo "CAIRN_CRIU=$chosen"; fi
  # Jobs get scopes of their own where systemd grants them; elsewhere they stay with the agent, and live on without it.
  if systemd-run --quiet --scope --collect --slice=cairn-jobs.slice true 2>/dev/null; then
    echo CAIRN_JOB_SLICE=cairn-jobs.slice
  fi
} >"$file"
