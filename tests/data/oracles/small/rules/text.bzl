"""Rules whose actions are of every kind that a Starlark rule can declare, and an aspect that adds one more."""

def _header_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.expand_template(
        template = ctx.file._template,
        output = out,
        substitutions = {"%{greeting}": ctx.attr.greeting},
    )
    return [DefaultInfo(files = depset([out]))]

greeting_header = rule(
    implementation = _header_impl,
    attrs = {
        "greeting": attr.string(mandatory = True),
        "_template": attr.label(default = "//rules:templates", allow_single_file = True),
    },
)

def _joined_impl(ctx):
    listing = ctx.actions.declare_file(ctx.label.name + ".list")
    ctx.actions.write(listing, "\n".join([f.short_path for f in ctx.files.srcs]) + "\n")
    joined = ctx.actions.declare_file(ctx.label.name + ".txt")
    args = ctx.actions.args()
    args.add("-o", joined)
    args.add_all(ctx.files.srcs, before_each = "--part")
    ctx.actions.run(
        executable = ctx.executable._join,
        arguments = [args],
        inputs = ctx.files.srcs,
        outputs = [joined],
        mnemonic = "JoinText",
        progress_message = "Joining %s" % ctx.label,
        env = {"SEPARATOR": "a b\\\"c'"},
    )
    upper = ctx.actions.declare_file(ctx.label.name + ".upper.txt")
    ctx.actions.run_shell(
        command = "tr a-z A-Z < \"$1\" > \"$2\"",
        arguments = [joined.path, upper.path],
        inputs = [joined],
        outputs = [upper],
        mnemonic = "UpperText",
        execution_requirements = {"no-cache": "1"},
    )
    alias = ctx.actions.declare_file(ctx.label.name + ".alias.txt")
    ctx.actions.symlink(output = alias, target_file = upper)
    folder = ctx.actions.declare_directory(ctx.label.name + ".parts")
    ctx.actions.run_shell(
        command = "mkdir -p \"$1\" && split -l 1 \"$2\" \"$1/part\"",
        arguments = [folder.path, joined.path],
        inputs = [joined],
        outputs = [folder],
        mnemonic = "SplitText",
    )
    outputs = [listing, joined, upper, alias, folder]
    return [DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = [joined, upper]))]

joined_text = rule(
    implementation = _joined_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".txt"]),
        "_join": attr.label(default = "//tool:join", executable = True, cfg = "exec"),
    },
)

def _counted_impl(target, ctx):
    counted = ctx.actions.declare_file("%s.%s.count" % (target.label.name, ctx.attr.unit))
    sources = target[DefaultInfo].files
    ctx.actions.run_shell(
        command = "wc --%s \"$@\" > %s" % (ctx.attr.unit, counted.path),
        arguments = [f.path for f in sources.to_list() if not f.is_directory],
        inputs = sources,
        outputs = [counted],
        mnemonic = "CountText",
    )
    return [OutputGroupInfo(counts = depset([counted]))]

count_text = aspect(
    implementation = _counted_impl,
    attrs = {"unit": attr.string(values = ["words", "lines"])},
)

def _counts_impl(ctx):
    return [DefaultInfo(files = depset(transitive = [t[OutputGroupInfo].counts for t in ctx.attr.texts]))]

text_counts = rule(
    implementation = _counts_impl,
    attrs = {
        "texts": attr.label_list(aspects = [count_text]),
        "unit": attr.string(default = "words", values = ["words", "lines"]),
    },
)
