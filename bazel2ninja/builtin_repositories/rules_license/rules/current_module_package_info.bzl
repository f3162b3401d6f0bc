"""current_module_package_info(): the package_info() of the module that a BUILD file is in."""

load(":package_info.bzl", "package_info")

def current_module_package_info(name, registry = "https://bcr.bazel.build", visibility = ["//:__subpackages__"], **kwargs):
    """Name and version of the module.

    Args:
      name: name of the target
      registry: where the module is said to come from
      visibility: who may name it
      **kwargs: further attributes of package_info()
    """
    module = native.module_name()
    version = native.module_version()
    kwargs.setdefault("package_name", module)
    kwargs.setdefault("package_version", version)
    kwargs.setdefault("package_url", "/".join([registry.rstrip("/"), "modules", module or "", version or "", "source.json"]))
    package_info(name = name, visibility = visibility, **kwargs)
