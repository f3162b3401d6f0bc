"""The configuration in which TensorFlow 2.0.0 is compared with Bazel 0.26.1: that of Debian in 2019."""

from __future__ import annotations

from archive import ROOT

ORACLES = ROOT / "tests/data/oracles"
CONFIGURED = """\
build --action_env PYTHON_BIN_PATH="/usr/bin/python3"
build --action_env PYTHON_LIB_PATH="/usr/lib/python3/dist-packages"
build --python_path="/usr/bin/python3"
build:xla --define with_xla_support=false
build --config=xla
build --action_env TF_CONFIGURE_IOS="0"
"""
# Of the system in every run; everything else was built from its source.
SYSTEM = "grpc,icu,com_github_googlecloudplatform_google_cloud_cpp"
# What tools/oracle/record_tensorflow_2_0 records, by name.
TARGETS = {
    "libtensorflow": "//tensorflow:libtensorflow.so",
    "pywrap": "//tensorflow/python:_pywrap_tensorflow_internal.so",
    "pip_package": "//tensorflow/tools/pip_package:build_pip_package",
}
