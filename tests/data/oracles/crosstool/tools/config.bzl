load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "feature",
    "flag_group",
    "flag_set",
    "tool_path",
    "with_feature_set",
)

_COMPILE = ["c-compile", "c++-compile", "assemble", "preprocess-assemble"]
_LINK = ["c++-link-executable", "c++-link-dynamic-library", "c++-link-nodeps-dynamic-library"]

def _config_impl(ctx):
    features = [
        feature(name = "supports_pic", enabled = True),
        feature(name = "supports_dynamic_linker", enabled = True),
        feature(name = "opt"),
        feature(name = "fastbuild"),
        feature(
            name = "default_compile_flags",
            enabled = True,
            flag_sets = [
                flag_set(actions = _COMPILE, flag_groups = [flag_group(flags = ["-DTOOLCHAIN=" + ctx.attr.define])]),
                flag_set(actions = ["c++-compile"], flag_groups = [flag_group(flags = ["-std=c++17"])]),
                flag_set(
                    actions = _COMPILE,
                    flag_groups = [flag_group(flags = ["-O2", "-DNDEBUG"])],
                    with_features = [with_feature_set(features = ["opt"])],
                ),
                flag_set(
                    actions = _COMPILE,
                    flag_groups = [flag_group(flags = ["-DNOT_OPT"])],
                    with_features = [with_feature_set(not_features = ["opt"])],
                ),
            ],
        ),
        feature(
            name = "default_link_flags",
            enabled = True,
            flag_sets = [flag_set(actions = _LINK, flag_groups = [flag_group(flags = ["-lm", "-lstdc++"])])],
        ),
        feature(
            name = "loud",
            flag_sets = [flag_set(actions = _COMPILE, flag_groups = [flag_group(flags = ["-DLOUD"])])],
            implies = ["louder"],
        ),
        feature(
            name = "louder",
            flag_sets = [flag_set(actions = _COMPILE, flag_groups = [flag_group(flags = ["-DLOUDER"])])],
        ),
        feature(
            name = "unfiltered_compile_flags",
            enabled = True,
            flag_sets = [flag_set(actions = _COMPILE, flag_groups = [flag_group(flags = ["-DLAST"])])],
        ),
    ]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        features = features,
        toolchain_identifier = ctx.label.name,
        host_system_name = "local",
        target_system_name = "local",
        target_cpu = "k8",
        target_libc = "unknown",
        compiler = "wrapped",
        abi_version = "unknown",
        abi_libc_version = "unknown",
        cxx_builtin_include_directories = ["/usr/lib/gcc/x86_64-linux-gnu/12/include", "/usr/include"],
        tool_paths = [
            tool_path(name = "gcc", path = "compiler.sh"),
            tool_path(name = "ar", path = "archiver.sh"),
            tool_path(name = "ld", path = "/usr/bin/ld"),
            tool_path(name = "cpp", path = "/usr/bin/cpp"),
            tool_path(name = "gcov", path = "/usr/bin/gcov"),
            tool_path(name = "nm", path = "/usr/bin/nm"),
            tool_path(name = "objdump", path = "/usr/bin/objdump"),
            tool_path(name = "strip", path = "/usr/bin/strip"),
        ],
    )

config = rule(
    implementation = _config_impl,
    attrs = {"define": attr.string()},
    provides = [CcToolchainConfigInfo],
)
