"""A toolchain that says everything itself: action configs with tools, and all flags by variables."""

load(
    "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl",
    "action_config",
    "env_entry",
    "env_set",
    "feature",
    "feature_set",
    "flag_group",
    "flag_set",
    "tool",
    "with_feature_set",
)

_COMPILE = ["c-compile", "c++-compile", "assemble", "preprocess-assemble"]
_LINK = ["c++-link-executable", "c++-link-dynamic-library", "c++-link-nodeps-dynamic-library"]

def _feature(name, actions, *groups, **more):
    return feature(name = name, flag_sets = [flag_set(actions = actions, flag_groups = list(groups))], **more)

def _each(variable, flags):
    return flag_group(flags = flags, iterate_over = variable, expand_if_available = variable)

def _config_impl(ctx):
    compiler = [
        tool(path = "other/compiler.sh", with_features = [with_feature_set(features = ["opt"])]),
        tool(path = "compiler.sh"),
    ]
    action_configs = [action_config(action_name = name, tools = compiler) for name in _COMPILE + _LINK]
    action_configs += [
        action_config(
            action_name = "c++-link-static-library",
            tools = [tool(path = "archiver.sh")],
            flag_sets = [flag_set(flag_groups = [
                flag_group(flags = ["rcsD", "%{output_execpath}"], expand_if_available = "output_execpath"),
                flag_group(
                    iterate_over = "libraries_to_link",
                    expand_if_available = "libraries_to_link",
                    flags = ["%{libraries_to_link.name}"],
                ),
            ])],
        ),
        action_config(action_name = "strip", tools = [tool(path = "/usr/bin/strip")]),
    ]
    features = [
        feature(name = "no_legacy_features"),
        feature(name = "supports_pic", enabled = True),
        feature(name = "opt"),
        feature(name = "fastbuild"),
        feature(name = "first_alternative", provides = ["alternative"]),
        feature(name = "second_alternative", provides = ["alternative"]),
        _feature(
            "needs_opt",
            _COMPILE,
            flag_group(flags = ["-DNEEDS_OPT"]),
            enabled = True,
            requires = [feature_set(features = ["opt"])],
        ),
        _feature("early", _COMPILE, flag_group(flags = ["-DEARLY", "-DPERCENT=%%"]), enabled = True),
        feature(
            name = "environment",
            enabled = True,
            env_sets = [env_set(
                actions = _COMPILE + _LINK,
                env_entries = [env_entry(key = "COMPILER_NAME", value = "explicit")],
            )],
        ),
        _feature(
            "dependency_file",
            _COMPILE,
            flag_group(flags = ["-MD", "-MF", "%{dependency_file}"], expand_if_available = "dependency_file"),
            enabled = True,
        ),
        _feature("pic", _COMPILE, flag_group(flags = ["-fPIC"], expand_if_available = "pic"), enabled = True),
        _feature("defines", _COMPILE, _each("preprocessor_defines", ["-D%{preprocessor_defines}"]), enabled = True),
        _feature(
            "directories",
            _COMPILE,
            _each("quote_include_paths", ["-iquote", "%{quote_include_paths}"]),
            _each("include_paths", ["-I%{include_paths}"]),
            _each("system_include_paths", ["-isystem", "%{system_include_paths}"]),
            enabled = True,
        ),
        _feature("sysroot", _COMPILE + _LINK, flag_group(
            flags = ["--sysroot=%{sysroot}"],
            expand_if_available = "sysroot",
        ), enabled = True),
        _feature("user_flags", _COMPILE, _each("user_compile_flags", ["%{user_compile_flags}"]), enabled = True),
        _feature("late", _COMPILE, flag_group(flags = ["-DLATE"]), enabled = True),
        _feature(
            "files",
            _COMPILE,
            flag_group(flags = ["-c", "%{source_file}", "-o", "%{output_file}"]),
            enabled = True,
        ),
        _feature("shared", _LINK[1:], flag_group(flags = ["-shared"]), enabled = True),
        _feature("result", _LINK, flag_group(flags = ["-o", "%{output_execpath}"]), enabled = True),
        _feature("before_libraries", _LINK, flag_group(flags = ["-Wl,-z,now"]), enabled = True),
        _feature("libraries", _LINK, flag_group(
            iterate_over = "libraries_to_link",
            expand_if_available = "libraries_to_link",
            flag_groups = [
                flag_group(
                    flags = ["-Wl,-whole-archive"],
                    expand_if_true = "libraries_to_link.is_whole_archive",
                ),
                flag_group(flags = ["%{libraries_to_link.name}"]),
                flag_group(
                    flags = ["-Wl,-no-whole-archive"],
                    expand_if_true = "libraries_to_link.is_whole_archive",
                ),
            ],
        ), enabled = True),
        _feature("between", _LINK, flag_group(flags = ["-Wl,-z,relro"]), enabled = True),
        _feature("user_link", _LINK, _each("user_link_flags", ["%{user_link_flags}"]), enabled = True),
        _feature("system", _LINK, flag_group(flags = ["-lstdc++", "-lm"]), enabled = True),
    ]
    return cc_common.create_cc_toolchain_config_info(
        ctx = ctx,
        features = features,
        action_configs = action_configs,
        toolchain_identifier = "explicit",
        host_system_name = "local",
        target_system_name = "local",
        target_cpu = "k8",
        target_libc = "unknown",
        compiler = "explicit",
        abi_version = "unknown",
        abi_libc_version = "unknown",
        builtin_sysroot = "/",
    )

explicit_config = rule(implementation = _config_impl, provides = [CcToolchainConfigInfo])
