"""diff_test(): passes when two files are the same."""

def _word(text):
    return "'" + text.replace("'", "'\\''") + "'"

def _diff_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + "-test.sh")
    message = ctx.attr.failure_message or "FAIL: files \"%s\" and \"%s\" differ" % (ctx.file.file1.short_path, ctx.file.file2.short_path)
    ctx.actions.write(
        output = script,
        content = """\
#!/bin/sh
if diff -r -- {first} {second}; then
    exit 0
fi
printf '%s\\n' {message} >&2
exit 1
""".format(
            first = _word(ctx.file.file1.short_path),
            second = _word(ctx.file.file2.short_path),
            message = _word(message),
        ),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = script,
        files = depset([script]),
        runfiles = ctx.runfiles(files = [script, ctx.file.file1, ctx.file.file2]),
    )]

_diff_test = rule(
    implementation = _diff_test_impl,
    attrs = {
        "failure_message": attr.string(),
        "file1": attr.label(allow_single_file = True, mandatory = True),
        "file2": attr.label(allow_single_file = True, mandatory = True),
    },
    test = True,
)

def diff_test(name, file1, file2, failure_message = None, **kwargs):
    """A test that compares two files."""
    _diff_test(name = name, file1 = file1, file2 = file2, failure_message = failure_message, **kwargs)
