"""Targets that stand for what a library of the system installed: for the BUILD files beside this one."""

load(":installed.bzl", "LINKS", "MODULES", "NAMES", "PROGRAMS")

def _unique(lists):
    return {item: True for items in lists for item in items}.keys()

def _last_of_equal(items):
    return reversed({item: True for item in reversed(items)}.keys())

def system_library(name, modules = [], linkopts = [], deps = [], **more):
    """A cc_library without sources: flags of pkg-config modules with all that they require, and linkopts.

    A module that is not there makes no target: an optional part of the library that is not installed.
    """
    if [module for module in modules if module not in MODULES]:
        return
    headers = _unique([MODULES[module].header_closure for module in modules])
    linked = _unique([MODULES[module].link_closure for module in modules])
    includes = _unique([MODULES[module].includes for module in headers])
    defines = _unique([MODULES[module].defines for module in headers])
    options = [word for module in linked for word in MODULES[module].linkopts]
    native.cc_library(
        name = name,
        includes = includes + more.pop("includes", []),
        defines = defines + more.pop("defines", []),
        linkopts = _last_of_equal(options + linkopts),
        deps = deps,
        visibility = ["//visibility:public"],
        **more
    )

def system_module(name, module = None, others = [], deps = []):
    """One pkg-config module by itself; deps are the targets of those it requires, others those without a target."""
    own = [module] if module else []
    linked = own + _unique([MODULES[other].link_closure for other in others])
    headers = own + _unique([MODULES[other].header_closure for other in others])
    native.cc_library(
        name = name,
        includes = _unique([MODULES[each].includes for each in headers]),
        defines = _unique([MODULES[each].defines for each in headers]),
        linkopts = _last_of_equal([word for each in linked for word in MODULES[each].linkopts]),
        deps = deps,
        visibility = ["//visibility:public"],
    )

def same_library(actual, names):
    """Further names of a library."""
    for name in names:
        native.alias(name = name, actual = actual, visibility = ["//visibility:public"])

def _system_program(ctx):
    made = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = made, target_file = ctx.file.program, is_executable = True)
    return [DefaultInfo(executable = made, files = depset([made]), runfiles = ctx.runfiles([made]))]

_program = rule(
    implementation = _system_program,
    attrs = {"program": attr.label(allow_single_file = True, mandatory = True)},
    executable = True,
)

def system_program(name, program = None):
    """An installed program as an executable target; none is made when it is not installed."""
    found = program or name
    if found in PROGRAMS:
        _program(name = name, program = "programs/" + found, visibility = ["//visibility:public"])

def system_files(name, links):
    """A filegroup of everything below the links that there are."""
    patterns = [link + "/**" for link in links if link in LINKS]
    native.filegroup(
        name = name,
        srcs = native.glob(patterns, allow_empty = True) if patterns else [],
        visibility = ["//visibility:public"],
    )

def has_link(link):
    return link in LINKS

def has_module(module):
    return module in NAMES
