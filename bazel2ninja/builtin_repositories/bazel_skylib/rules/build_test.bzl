"""build_test(): passes when its targets can be built."""

def _build_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "#!/bin/sh\nexit 0\n", is_executable = True)
    return [DefaultInfo(
        executable = script,
        files = depset([script]),
        runfiles = ctx.runfiles(transitive_files = depset(transitive = [t.files for t in ctx.attr.targets])),
    )]

_build_test = rule(
    implementation = _build_test_impl,
    attrs = {"targets": attr.label_list(allow_empty = False, allow_files = True)},
    test = True,
)

def build_test(name, targets, **kwargs):
    """A test that needs each of the targets.

    Args:
      name: name of the target
      targets: labels
      **kwargs: attributes of every test
    """
    if not targets:
        fail("targets must not be empty")
    _build_test(name = name, targets = targets, **kwargs)
