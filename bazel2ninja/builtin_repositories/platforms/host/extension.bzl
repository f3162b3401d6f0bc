"""The module extension that other modules name to reach the host platform."""

load("@bazel_tools//platforms:local_config_platform.bzl", "local_config_platform")

def _host_platform_impl(module_ctx):
    local_config_platform(name = "host_platform")

host_platform = module_extension(implementation = _host_platform_impl)

def host_platform_repo(name):
    """The same for WORKSPACE files."""
    local_config_platform(name = name)
