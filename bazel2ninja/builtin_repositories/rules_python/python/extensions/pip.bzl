"""The module extension for Python packages from an index: those of the system stand for them."""

load("//python:index_packages.bzl", "index_hub", "index_package", "names_in")

def _files(hub):
    """The requirement files of one pip.parse(): the one for all systems or Linux."""
    found = [hub.requirements_lock or hub.requirements_linux]
    return [file for file in found if file] or list(hub.requirements_by_platform)

def _pip_impl(module_ctx):
    hubs = {}
    for module in module_ctx.modules:
        for hub in module.tags.parse:
            hubs.setdefault(hub.hub_name, {}).update({file: None for file in _files(hub)})
    for name, files in hubs.items():
        index_hub(name = name, hub = name, requirements = files.keys())
        packages = {package: None for file in files for package in names_in(module_ctx.read(file))}
        for package in packages:
            index_package(name = name + "_" + package, distribution = package)

# What decides only what is downloaded is accepted and does not count.
_PARSE = {
    "hub_name": attr.string(mandatory = True),
    "python_version": attr.string(),
} | {name: attr.label() for name in [
    "python_interpreter_target",
    "requirements_darwin",
    "requirements_linux",
    "requirements_lock",
    "requirements_windows",
]} | {name: attr.string() for name in [
    "experimental_index_url",
    "python_interpreter",
]} | {name: attr.string_list() for name in [
    "envsubst",
    "experimental_extra_index_urls",
    "experimental_target_platforms",
    "extra_pip_args",
    "pip_data_exclude",
    "simpleapi_skip",
    "target_platforms",
]} | {name: attr.bool() for name in [
    "add_libdir_to_library_search_path",
    "download_only",
    "enable_implicit_namespace_pkgs",
    "isolated",
    "parallel_download",
    "quiet",
    "use_hub_alias_dependencies",
]} | {name: attr.string_dict() for name in [
    "environment",
    "experimental_index_url_overrides",
]} | {name: attr.label_keyed_string_dict() for name in [
    "requirements_by_platform",
    "whl_modifications",
]} | {name: attr.string_list_dict() for name in [
    "experimental_requirement_cycles",
    "extra_hub_aliases",
]} | {"timeout": attr.int()}

pip = module_extension(
    implementation = _pip_impl,
    tag_classes = {
        "default": tag_class(attrs = {name: attr.string() for name in [
            "arch_name",
            "os_name",
            "platform",
        ]} | {name: attr.string_list() for name in [
            "config_settings",
            "marker",
            "whl_abi_tags",
            "whl_platform_tags",
        ]} | {"env": attr.string_dict()}),
        "override": tag_class(attrs = {
            "file": attr.string(),
            "patch_strip": attr.int(),
            "patches": attr.label_list(),
        }),
        "parse": tag_class(attrs = _PARSE),
        "whl_mods": tag_class(attrs = {
            "additive_build_content": attr.string(),
            "additive_build_content_file": attr.label(),
            "copy_executables": attr.string_dict(),
            "copy_files": attr.string_dict(),
            "data": attr.string_list(),
            "data_exclude_glob": attr.string_list(),
            "hub_name": attr.string(),
            "srcs_exclude_glob": attr.string_list(),
            "whl_name": attr.string(),
        }),
    },
)
