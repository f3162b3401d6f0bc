#!/bin/sh
# join.sh -o OUTPUT [--part FILE]...
set -e
out=$2
shift 2
: > "$out"
while [ $# -gt 0 ]; do
    cat "$2" >> "$out"
    shift 2
done
