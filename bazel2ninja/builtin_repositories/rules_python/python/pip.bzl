"""Packages of an index: nothing is downloaded, so those of the system stand for them."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")
load(":index_packages.bzl", "index_hub")

def pip_parse(name, requirements_lock = None, **kwargs):
    """Declares @NAME for the packages of a requirement file, which its install_deps() declares.

    Args:
      name: of the repository
      requirements_lock: the file
      **kwargs: further files for systems; the rest decides what would be downloaded, and does not count
    """
    _declare(name, requirements_lock, False, kwargs)

def _declare(name, requirements_lock, whole, kwargs):
    others = [kwargs.get("requirements_" + system) for system in ("linux", "darwin", "windows")]
    files = [file for file in [requirements_lock, kwargs.get("requirements")] + others if file]
    index_hub(name = name, hub = name, requirements = files[:1], whole = whole)

def pip_install(requirements = None, name = "pip", **kwargs):
    """The same for earlier releases, where nothing needs to call install_deps()."""
    _declare(name, requirements, True, kwargs)

def pip_repositories():
    """Nothing needs to be declared."""

def package_annotation(**kwargs):
    """What is to be added to a package."""
    return json.encode(kwargs)

compile_pip_requirements = unsupported_rule(
    "compile_pip_requirements of rules_python",
    "nothing is downloaded; the requirement file is used as it is",
)
