"""Rules that run mlir-tblgen, mlir-pdll and their like, as BUILD files of projects with MLIR call them."""

TdInfo = provider(
    "Definitions for a generator.",
    fields = {
        "transitive_sources": "depset of the files",
        "transitive_includes": "depset of directories, from the execution root, in which they find each other",
    },
)

def _sources(files, deps):
    """The files with those of deps; what is no td_library, such as a filegroup, gives what it makes."""
    others = [dep[TdInfo].transitive_sources if TdInfo in dep else dep[DefaultInfo].files for dep in deps]
    return depset(files, transitive = others)

def _everywhere(ctx, directory):
    """A directory of sources and its namesakes for made files."""
    roots = {root: True for root in ("", ctx.genfiles_dir.path + "/", ctx.bin_dir.path + "/")}
    return [root + directory for root in roots.keys()]

def _directory(ctx, text):
    """An entry of `includes`: below the package, or with a slash in front below the repository."""
    below = text[1:] if text.startswith("/") else ctx.label.package + "/" + text
    parts = [part for part in (ctx.label.workspace_root + "/" + below).split("/") if part not in ("", ".")]
    return "/".join(parts) or "."

def _includes(ctx, directories, deps):
    """Directories, everywhere, with those of deps."""
    own = [each for directory in directories for each in _everywhere(ctx, directory)]
    return depset(own, transitive = [dep[TdInfo].transitive_includes for dep in deps if TdInfo in dep])

def _td_library(ctx):
    sources = _sources(ctx.files.srcs, ctx.attr.deps)
    includes = _includes(ctx, [_directory(ctx, text) for text in ctx.attr.includes], ctx.attr.deps)
    runfiles = ctx.runfiles(ctx.files.srcs)
    for dep in ctx.attr.srcs + ctx.attr.deps:
        runfiles = runfiles.merge(dep[DefaultInfo].default_runfiles)
    return [
        DefaultInfo(files = sources, runfiles = runfiles),
        TdInfo(transitive_sources = sources, transitive_includes = includes),
    ]

td_library = rule(
    implementation = _td_library,
    doc = "Files of definitions, which others include.",
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "includes": attr.string_list(),
        "deps": attr.label_list(),
    },
)

def _words(ctx):
    """The options, the file and its directories; and all the files that it may include."""
    own = [_directory(ctx, text) for text in ctx.attr.includes + ["/"]] + [ctx.file.td_file.dirname]
    directories = _includes(ctx, own, ctx.attr.deps)
    return directories, _sources(ctx.files.td_srcs + [ctx.file.td_file], ctx.attr.deps)

def _gentbl_rule(ctx):
    directories, sources = _words(ctx)
    words = ctx.actions.args()
    words.add_all(ctx.attr.opts)
    words.add(ctx.file.td_file)
    words.add_all(directories, before_each = "-I")
    words.add("-o", ctx.outputs.out)
    ctx.actions.run(
        executable = ctx.executable.tblgen,
        arguments = [words],
        inputs = sources,
        outputs = [ctx.outputs.out],
        mnemonic = "TdGenerate",
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

_ATTRIBUTES = {
    "tblgen": attr.label(executable = True, cfg = "exec", mandatory = True),
    "td_file": attr.label(allow_single_file = True, mandatory = True),
    "td_srcs": attr.label_list(allow_files = True),
    "includes": attr.string_list(),
    "opts": attr.string_list(),
    "deps": attr.label_list(),
}

gentbl_rule = rule(
    implementation = _gentbl_rule,
    doc = "One file that a generator makes of definitions.",
    attrs = dict(_ATTRIBUTES, out = attr.output(mandatory = True)),
)

def _gentbl_test(ctx):
    directories, sources = _words(ctx)
    words = [ctx.executable.tblgen.short_path] + ctx.attr.opts + [ctx.file.td_file.path]
    for directory in directories.to_list():
        words += ["-I", directory]
    quoted = ["'" + word.replace("'", "'\\''") + "'" for word in words + ["-o", "/dev/null"]]
    ctx.actions.write(ctx.outputs.executable, "#!/bin/sh\nexec " + " ".join(quoted) + "\n", is_executable = True)
    return [DefaultInfo(runfiles = ctx.runfiles([ctx.executable.tblgen], transitive_files = sources))]

gentbl_test = rule(
    implementation = _gentbl_test,
    doc = "Runs a generator and drops what it makes.",
    test = True,
    attrs = dict(_ATTRIBUTES, tblgen = attr.label(executable = True, cfg = "target", mandatory = True)),
)

def _suffix(opts):
    """What tells the rules of one file apart: their options, in letters that names may have."""
    return "".join([sign if sign.isalnum() else "_" for sign in "_".join(opts).elems()])

def gentbl_filegroup(name, tblgen, td_file, tbl_outs, test = False, skip_opts = [], td_srcs = [], includes = [], deps = [], **kwargs):
    """Several files made of the same definitions.

    Args:
      name: of the filegroup that has them
      tblgen: the generator
      td_file: the definitions
      tbl_outs: pairs of a list of options and the file that is made with them
      test: whether each has a test that runs the generator
      skip_opts: options whose files the filegroup does not have
      td_srcs: files that td_file includes
      includes: directories for them
      deps: td_library targets and others for them
      **kwargs: for all rules
    """
    for opts, out in tbl_outs:
        common = dict(kwargs, tblgen = tblgen, td_file = td_file, td_srcs = td_srcs, includes = includes, deps = deps, opts = opts)
        own = "%s_%s_%s" % (name, _suffix(opts), _suffix([out]))
        gentbl_rule(name = own, out = out, **common)
        if test:
            gentbl_test(name = own + "_test", **common)
    native.filegroup(
        name = name,
        srcs = [out for opts, out in tbl_outs if not [each for each in skip_opts if each in opts]],
        **kwargs
    )

def gentbl_cc_library(name, tblgen, td_file, tbl_outs, td_srcs = [], includes = [], deps = [], strip_include_prefix = None, test = False, copts = None, **kwargs):
    """As gentbl_filegroup, the files being headers of a library.

    Args:
      name: of the library
      tblgen: as there
      td_file: as there
      tbl_outs: as there, or a dict of files and their options
      td_srcs: as there
      includes: as there
      deps: as there
      strip_include_prefix: of the library
      test: as there
      copts: of the library
      **kwargs: for all rules
    """
    if type(tbl_outs) == type({}):
        tbl_outs = [(opts, out) for out, opts in tbl_outs.items()]
    files = name + "_filegroup"
    gentbl_filegroup(
        name = files,
        tblgen = tblgen,
        td_file = td_file,
        tbl_outs = tbl_outs,
        td_srcs = td_srcs,
        includes = includes,
        deps = deps,
        test = test,
        skip_opts = ["-gen-op-doc"],
        **kwargs
    )
    native.cc_library(
        name = name,
        # a prefix is taken off `hdrs` only
        hdrs = [":" + files] if strip_include_prefix else [],
        strip_include_prefix = strip_include_prefix,
        textual_hdrs = [":" + files],
        copts = copts,
        **kwargs
    )
