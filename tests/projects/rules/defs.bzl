"""Rules that show what analysis gives them."""

LevelInfo = provider(fields = ["level"])

def _level(ctx):
    return [LevelInfo(level = ctx.build_setting_value)]

level_flag = rule(_level, build_setting = config.int(flag = True))

def _raised(settings, attr):
    copts = settings["//command_line_option:copt"] + ["-DRAISED"]
    return {"//:level": settings["//:level"] + attr.by, "//command_line_option:copt": copts}

raised = transition(
    implementation = _raised,
    inputs = ["//:level", "//command_line_option:copt"],
    outputs = ["//:level", "//command_line_option:copt"],
)

def _report(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".txt")
    lines = ["level %d" % ctx.attr._level[LevelInfo].level]
    for target in ctx.attr.deps:
        info = target[DefaultInfo]
        lines.append("%s files %s default %s data %s groups %s" % (
            target,
            [file.short_path for file in info.files.to_list()],
            [file.short_path for file in info.default_runfiles.files.to_list()],
            [file.short_path for file in info.data_runfiles.files.to_list()],
            OutputGroupInfo in target,
        ))
    ctx.actions.write(output, "\n".join(lines) + "\n")
    return [DefaultInfo(files = depset([output]))]

_ATTRIBUTES = {
    "deps": attr.label_list(allow_files = True),
    "_level": attr.label(default = "//:level"),
}

report = rule(_report, attrs = _ATTRIBUTES)
report_raised = rule(_report, cfg = raised, attrs = dict(
    _ATTRIBUTES,
    by = attr.int(default = 1),
    _allowlist_function_transition = attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
))

def _words(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".txt")
    listing = ctx.actions.args()
    listing.add_all(["it's", "a=b", "two words", "plain"])
    listing.use_param_file("--list=%s", use_always = True)
    ctx.actions.run(
        executable = ctx.executable._tool,
        arguments = [output.path, "x y", listing],
        env = {"VALUE": "a b"},
        outputs = [output],
    )
    return [DefaultInfo(files = depset([output]))]

words = rule(_words, attrs = {"_tool": attr.label(default = "//:words_tool", executable = True, cfg = "exec")})

def _greeter(ctx):
    return [platform_common.ToolchainInfo(text = ctx.attr.text)]

greeter = rule(_greeter, attrs = {"text": attr.string()})

def _greeting(ctx):
    output = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(output, ctx.toolchains["//:greeter_type"].text + "\n")
    return [DefaultInfo(files = depset([output]))]

greeting = rule(_greeting, toolchains = ["//:greeter_type"])

def existing(name):
    tags = native.existing_rule("sources")["tags"]
    native.genrule(name = name, outs = [name + ".txt"], cmd = "echo '%s %s' > $@" % (type(tags), "testonly" in native.existing_rule("sources")))
