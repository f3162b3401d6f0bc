"""modules: module extensions made of functions for WORKSPACE files."""

def _as_extension(macro, doc = None):
    """A module extension that calls the function."""

    def _implementation(module_ctx):
        macro()

    return module_extension(implementation = _implementation, doc = doc or "")

def _use_all_repos(module_ctx, reproducible = False):
    """What an implementation returns when every repository is for the root module."""
    return module_ctx.extension_metadata(root_module_direct_deps = "all", root_module_direct_dev_deps = [])

modules = struct(
    as_extension = _as_extension,
    use_all_repos = _use_all_repos,
)
