"""use_cc_toolchain() in a file of its own."""

load(":find_cc_toolchain.bzl", _use_cc_toolchain = "use_cc_toolchain")

use_cc_toolchain = _use_cc_toolchain
