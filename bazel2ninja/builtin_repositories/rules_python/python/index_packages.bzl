"""Packages of an index, which requirement files list: those of the system stand for them, when they are installed.

A hub is the repository that pip_parse() and pip.parse() declare.  @HUB_NAME is one package: a library without files when
the Python in use has it, for its module is found without a target, and absent otherwise.
"""

_KINDS = ["pkg", "whl", "data", "dist_info"]

_PACKAGE = """\
load("@rules_python//python:py_library.bzl", "py_library")

package(default_visibility = ["//visibility:public"])

# the module is where the interpreter finds it
py_library(name = "pkg")

filegroup(name = "whl")

filegroup(name = "data")

filegroup(name = "dist_info")
"""

_REQUIREMENTS = """\
load("@rules_python//python:index_packages.bzl", "index_package")

_NAMES = %s

def _label(name, kind):
    name = name.partition("[")[0].lower().replace("-", "_").replace(".", "_")
    return str(Label("//%%s:%%s" %% (name, kind)))

def requirement(name):
    return _label(name, "pkg")

def whl_requirement(name):
    return _label(name, "whl")

def data_requirement(name):
    return _label(name, "data")

def dist_info_requirement(name):
    return _label(name, "dist_info")

def entry_point(pkg, script = None):
    return _label(pkg, "rules_python_wheel_entry_point_" + (script or pkg))

all_requirements = [requirement(name) for name in _NAMES]
all_whl_requirements = [whl_requirement(name) for name in _NAMES]
all_whl_requirements_by_package = {name: whl_requirement(name) for name in _NAMES}
all_data_requirements = [data_requirement(name) for name in _NAMES]

def install_deps(**kwargs):
    for name in _NAMES:
        index_package(name = "%s_" + name, distribution = name)
"""

def normalized(name):
    """The name of a package as labels have it."""
    return name.lower().replace("-", "_").replace(".", "_")

def names_in(text):
    """The packages that a requirement file lists.

    Args:
      text: what is in the file

    Returns:
      normalized names, each once
    """
    found = {}
    for line in text.splitlines():
        line = line.strip()
        for end in "#;=<>!~[@ \t\\".elems():
            line = line.partition(end)[0]
        if line and not line.startswith("-") and "/" not in line:
            found[normalized(line)] = None
    return found.keys()

def _installed(ctx):
    """The packages that the Python in use has, by normalized name."""
    python = ctx.which("python3")
    found = {}
    if python:
        places = ctx.execute([python, "-c", "import sys; print('\\n'.join(sys.path[1:]))"])
        for place in places.stdout.splitlines() if places.return_code == 0 else []:
            directory = ctx.path(place)
            if not directory.exists or place.endswith(".zip"):
                continue
            for entry in directory.readdir():
                name = entry.basename
                if name.endswith((".dist-info", ".egg-info")):
                    found[normalized(name.rpartition(".")[0].partition("-")[0])] = None
    return python, found

def _index_package_impl(ctx):
    python, found = _installed(ctx)
    if ctx.attr.distribution in found:
        ctx.file("BUILD.bazel", _PACKAGE)
        return

    # pip would download it
    common = ctx.attr.distribution.replace("_", "-")
    ctx.download_and_extract("%s of the package index; %s has no package of this name (Debian: python3-%s)" % (
        common,
        python or "no python3 is installed, which",
        common,
    ))

index_package = repository_rule(
    implementation = _index_package_impl,
    attrs = {
        "distribution": attr.string(mandatory = True, doc = "Its normalized name."),
        # A rule that would download: what the repository lacks may come from a library of the system (headers of numpy).
        "url": attr.string(doc = "Not used: pip knows where the package is."),
    },
    doc = "One package.",
)

def _index_hub_impl(ctx):
    names = {}
    for file in ctx.attr.requirements:
        names.update({name: None for name in names_in(ctx.read(file))})
    found = _installed(ctx)[1] if ctx.attr.whole else {}
    for name in names:
        if name in found:
            same = 'alias(name = "%s", actual = ":pkg")\n' % name
            ctx.file(name + "/BUILD.bazel", _PACKAGE + (same if name not in _KINDS else ""))
            continue
        targets = [(kind, kind) for kind in _KINDS] + [(name, "pkg")]
        ctx.file(name + "/BUILD.bazel", "".join([
            'alias(name = "%s", actual = "@%s_%s//:%s", visibility = ["//visibility:public"])\n' % (
                target,
                ctx.attr.hub,
                name,
                kind,
            )
            for target, kind in dict(targets).items()
        ]))
    ctx.file("BUILD.bazel", 'exports_files(["requirements.bzl"])\n')
    ctx.file("requirements.bzl", _REQUIREMENTS % (names.keys(), ctx.attr.hub))

index_hub = repository_rule(
    implementation = _index_hub_impl,
    attrs = {
        "hub": attr.string(mandatory = True, doc = "The name that the project gave it."),
        "requirements": attr.label_list(doc = "Requirement files."),
        "whole": attr.bool(doc = "Whether nobody calls install_deps(), so that packages that are there are in the hub."),
    },
    doc = "All packages of the requirement files.",
)
