"""Targets by the names of what is installed: for packages llvm and mlir."""

load("//:installed.bzl", "PROGRAMS")
load("//:system_library.bzl", "system_library")

def archives(prefix, paths):
    """The names of archives without "lib", the prefix and ".a"."""
    names = [path.split("/")[-1] for path in paths]
    return [name[len("lib" + prefix):-len(".a")] for name in names]

def programs(names):
    """Programs of the package's own name, which the main package has."""
    for name in names:
        native.alias(name = name, actual = "//:" + name)

def _is_alone(name, alone, families):
    return name in alone or [each for each in families if name.startswith(each)]

def parts(prefix, actual, installed, alone, alone_families, others, alone_deps = []):
    """A target for each installed part: the whole, or the archive where the shared library lacks it.

    Args:
      prefix: what comes before names in those of archives
      actual: the target of the whole
      installed: names of archives
      alone: names of those that the shared library lacks, even where they are not installed
      alone_families: what names begin with that the shared library lacks
      others: further targets that are the whole
      alone_deps: what each archive needs besides the whole
    """
    taken = {name: True for name in PROGRAMS}
    for name in {name: True for name in alone + installed + others}.keys():
        if name in taken:
            continue
        if name not in others and _is_alone(name, alone, alone_families):
            system_library(
                name = name,
                linkopts = ["-l" + prefix + name],
                deps = [each for each in alone_deps if each != ":" + name] + [actual],
            )
        else:
            native.alias(name = name, actual = actual)

def td_names(paths):
    """What targets of .td files are called: by file, and for a dialect's files by the dialect."""
    found = {}
    for path in paths:
        stem = path.split("/")[-1][:-len(".td")]
        found[stem] = True
        for ending in ("Ops", "Base", "Dialect"):
            if stem.endswith(ending):
                found[stem.removesuffix(ending)] = True
    return [name for name in found.keys() if name]
