"""Code that flatc makes of schemas: libraries for C++, and the files alone for other languages."""

load("@rules_cc//cc:cc_library.bzl", "cc_library")

DEFAULT_FLATC_ARGS = [
    "--gen-object-api",
    "--gen-compare",
    "--no-includes",
    "--gen-mutable",
    "--reflect-names",
    "--cpp-ptr-type flatbuffers::unique_ptr",
]

_HERE = ["./", "$(GENDIR)", "$(BINDIR)"]

def _run_flatc(name, srcs, outs, language, out_prefix, includes, include_paths, flatc_args, common):
    words = ["for source in $(SRCS); do", "$(location %s)" % Label("//:flatc")]
    words += ["-I " + path for path in (_HERE if include_paths == None else include_paths)]
    words += flatc_args + [language, "-o $(@D)/" + out_prefix, '"$$source" || exit 1; done']
    native.genrule(
        name = name,
        srcs = srcs,
        outs = outs,
        cmd = " ".join(words),
        message = "Generating flatbuffer files for %s:" % name,
        tools = includes + [Label("//:flatc")],
        **common
    )

def _common(compatible_with, restricted_to, target_compatible_with):
    given = {
        "compatible_with": compatible_with,
        "restricted_to": restricted_to,
        "target_compatible_with": target_compatible_with,
    }
    return {key: value for key, value in given.items() if value}

def flatbuffer_library_public(
        name,
        srcs,
        outs,
        language_flag,
        out_prefix = "",
        includes = [],
        include_paths = None,
        flatc_args = DEFAULT_FLATC_ARGS,
        reflection_name = "",
        reflection_visibility = None,
        compatible_with = None,
        restricted_to = None,
        target_compatible_with = None,
        **kwargs):
    """The files that flatc makes of schemas for one language, and with reflection_name the schemas in binary form.

    Args:
      name: of the target with the files
      srcs: schemas
      outs: the files
      language_flag: "--cpp" and so on
      out_prefix: a directory below the package's, with a slash at its end
      includes: schemas that srcs include
      include_paths: directories that they are looked for in
      flatc_args: options of flatc
      reflection_name: NAME_out is a target with a .bfbs file for each schema
      reflection_visibility: its visibility
      compatible_with: of all targets
      restricted_to: of all targets
      target_compatible_with: of all targets
      **kwargs: attributes of the target with the files
    """
    common = _common(compatible_with, restricted_to, target_compatible_with)
    given = {key: value for key, value in kwargs.items() if key not in ("flatc_path", "output_to_bindir")}
    _run_flatc(name, srcs, outs, language_flag, out_prefix, includes, include_paths, flatc_args, common | given)
    if reflection_name:
        made = [out_prefix + source.split(":")[-1].split("/")[-1].removesuffix(".fbs") + ".bfbs" for source in srcs]
        code = reflection_name + "_srcs"
        _run_flatc(code, srcs, made, "-b --schema --bfbs-comments --bfbs-builtins", out_prefix, includes, include_paths, flatc_args, common)
        native.filegroup(name = reflection_name + "_out", srcs = [":" + code], visibility = reflection_visibility, **common)

def flatbuffer_cc_library(
        name,
        srcs,
        srcs_filegroup_name = "",
        outs = [],
        out_prefix = "",
        deps = [],
        includes = [],
        include_paths = None,
        cc_include_paths = [],
        flatc_args = DEFAULT_FLATC_ARGS,
        visibility = None,
        compatible_with = None,
        restricted_to = None,
        target_compatible_with = None,
        srcs_filegroup_visibility = None,
        gen_reflections = False):
    """A library of the headers that flatc makes of schemas.

    Args:
      name: of the library; NAME_srcs makes the headers
      srcs: schemas
      srcs_filegroup_name: of a filegroup of the schemas with those that they include, NAME_includes by default
      outs: the headers, by default SCHEMA_generated.h for each
      out_prefix: a directory below the package's, with a slash at its end
      deps: libraries of the schemas that srcs include
      includes: the filegroups of those
      include_paths: directories that they are looked for in
      cc_include_paths: directories for who uses the library
      flatc_args: options of flatc
      visibility: of the library
      compatible_with: of all targets
      restricted_to: of all targets
      target_compatible_with: of all targets
      srcs_filegroup_visibility: of the filegroup, by default the library's
      gen_reflections: whether there are schemas in binary form, too, in NAME_reflection_out
    """
    made = outs or [
        out_prefix + source.split(":")[-1].split("/")[-1].removesuffix(".fbs") + "_generated.h"
        for source in srcs
    ]
    flatbuffer_library_public(
        name = name + "_srcs",
        srcs = srcs,
        outs = made,
        language_flag = "-c",
        out_prefix = out_prefix,
        includes = includes,
        include_paths = include_paths,
        flatc_args = flatc_args,
        reflection_name = name + "_reflection" if gen_reflections else "",
        reflection_visibility = visibility,
        compatible_with = compatible_with,
        restricted_to = restricted_to,
        target_compatible_with = target_compatible_with,
        visibility = visibility,
    )
    common = _common(compatible_with, restricted_to, target_compatible_with)
    cc_library(
        name = name,
        srcs = [":%s_srcs" % name],
        hdrs = [":%s_srcs" % name],
        features = ["-parse_headers"],
        includes = cc_include_paths,
        linkstatic = True,
        visibility = visibility,
        deps = [Label("//:runtime_cc")] + deps,
        **common
    )
    native.filegroup(
        name = srcs_filegroup_name or name + "_includes",
        srcs = srcs + includes,
        visibility = srcs_filegroup_visibility if srcs_filegroup_visibility != None else visibility,
        **common
    )
