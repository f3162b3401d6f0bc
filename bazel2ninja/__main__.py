"""python3 -m bazel2ninja."""

import os
import sys

from bazel2ninja.cli import main

status = main()
try:
    sys.stdout.flush()
    sys.stderr.flush()
except OSError:
    sys.exit(status)  # Python tells of it in its own way
# taking everything apart at the end would be a fifth of a run
os._exit(status)
