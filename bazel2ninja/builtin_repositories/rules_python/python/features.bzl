"""What .bzl files ask about these rules."""

features = struct(
    precompile = False,
    py_info_site_packages_symlinks = False,
    uses_builtin_rules = True,
    version = "",
)
