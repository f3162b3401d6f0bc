"""What WORKSPACE files call for a Python of their own."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository")

_REASON = "nothing is downloaded, and the machine's Python is used; provide the repository with --override_repository"

def py_repositories(**kwargs):
    """Nothing needs to be declared."""

def python_register_toolchains(name, **kwargs):
    """Declares @NAME, @NAME_toolchains and @NAME_HOST, which are errors when needed."""
    for suffix in ("", "_toolchains", "_host"):
        if not native.existing_rule(name + suffix):
            unavailable_repository(
                name = name + suffix,
                kind = "python_register_toolchains() of rules_python",
                reason = _REASON,
            )

def python_register_multi_toolchains(name, python_versions, **kwargs):
    """The same for several versions."""
    python_register_toolchains(name)
    for version in python_versions:
        python_register_toolchains(name + "_" + version.replace(".", "_"))
