"""@local_config_platform: the machine that builds, as constraint values."""

_CPUS = {
    "aarch64": "aarch64",
    "amd64": "x86_64",
    "arm": "aarch32",
    "i386": "x86_32",
    "i486": "x86_32",
    "i586": "x86_32",
    "i686": "x86_32",
    "mips64": "mips64",
    "ppc64le": "ppc64le",
    "ppc64": "ppc",
    "riscv64": "riscv64",
    "s390x": "s390x",
    "x86": "x86_32",
    "x86_64": "x86_64",
}

def _local_config_platform_impl(ctx):
    arch = ctx.os.arch
    if arch.startswith("armv") or arch.startswith("arm"):
        arch = "arm" if arch != "arm64" else "aarch64"
    elif arch.startswith("loongarch64"):
        arch = "loongarch64"
    constraints = ["@platforms//os:" + ctx.os.name.split(" ")[0]]
    cpu = _CPUS.get(arch, arch if arch == "loongarch64" else None)
    if cpu:
        constraints.insert(0, "@platforms//cpu:" + cpu)
    ctx.file("constraints.bzl", '"""The machine that builds."""\n\nHOST_CONSTRAINTS = %s\n' % repr(constraints))
    ctx.file("BUILD.bazel", """\
load(":constraints.bzl", "HOST_CONSTRAINTS")

package(default_visibility = ["//visibility:public"])

exports_files(["constraints.bzl"])

platform(
    name = "host",
    constraint_values = HOST_CONSTRAINTS,
)
""")

local_config_platform = repository_rule(
    implementation = _local_config_platform_impl,
    local = True,
    doc = "The machine that builds.",
)
