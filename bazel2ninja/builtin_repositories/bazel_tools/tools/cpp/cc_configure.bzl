"""The C++ toolchain of the machine is known to the rules; nothing needs to be configured as a repository."""

def _local_config_cc_impl(ctx):
    ctx.file("BUILD", """\
package(default_visibility = ["//visibility:public"])

alias(
    name = "toolchain",
    actual = "@bazel_tools//tools/cpp:current_cc_toolchain",
)
""")

local_config_cc = repository_rule(
    implementation = _local_config_cc_impl,
    doc = "A repository that refers to the C++ toolchain in use.",
)

cc_autoconf = local_config_cc

cc_autoconf_toolchains = local_config_cc

def cc_autoconf_impl(repository_ctx, overriden_tools = {}):
    """The rule's implementation, for rules that extend it."""
    fail("cc_autoconf_impl is not supported: the compiler comes from the command line, not from a repository rule")

def cc_configure():
    """Declares @local_config_cc."""
    if not native.existing_rule("local_config_cc"):
        local_config_cc(name = "local_config_cc")

def _extension_impl(ctx):
    local_config_cc(name = "local_config_cc")
    local_config_cc(name = "local_config_cc_toolchains")

cc_configure_extension = module_extension(implementation = _extension_impl)
