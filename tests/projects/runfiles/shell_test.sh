#!/bin/bash
f=bazel_tools/tools/bash/runfiles/runfiles.bash
source "${RUNFILES_DIR:-/dev/null}/$f" || exit 1
set -e
cat "$(rlocation other/greeting.txt)" "$(rlocation runfiles_example/top.txt)" "$1" external/other/greeting.txt
cd "$TEST_SRCDIR"
ls other runfiles_example
