"""One file with the descriptors of .proto files and of all that they import."""

def _proto_descriptor_set_impl(ctx):
    descriptors = depset(transitive = [dep[ProtoInfo].transitive_descriptor_sets for dep in ctx.attr.deps])
    output = ctx.actions.declare_file(ctx.label.name + ".pb")
    args = ctx.actions.args()
    args.add_all(descriptors)
    ctx.actions.run_shell(
        inputs = descriptors,
        outputs = [output],
        command = "out=$1; shift; cat /dev/null \"$@\" > \"$out\"",
        arguments = [output.path, args],
        mnemonic = "ConcatFileDescriptorSet",
    )
    return [DefaultInfo(files = depset([output]), runfiles = ctx.runfiles([output]))]

proto_descriptor_set = rule(
    implementation = _proto_descriptor_set_impl,
    attrs = {"deps": attr.label_list(providers = [ProtoInfo])},
)
