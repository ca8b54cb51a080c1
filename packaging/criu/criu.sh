#!/bin/sh
# CRIU as it came with Cairn, with the libraries that it was linked with.
here=$(dirname "$0")
LD_LIBRARY_PATH=$here/lib exec "$here/criu.bin" "$@"
