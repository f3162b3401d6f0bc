"""python3 -m bazel2ninja."""

import sys

from bazel2ninja.cli import main

sys.exit(main())
