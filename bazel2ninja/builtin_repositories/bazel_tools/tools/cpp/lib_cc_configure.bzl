"""What rules that look for a C++ compiler share."""

def escape_string(arg):
    """`arg` with each '%' doubled, for crosstool text."""
    return arg.replace("%", "%%") if arg != None else None

def auto_configure_fail(msg):
    """Ends the rule with an error."""
    fail("\nC++ configuration error: %s\n" % msg)

def auto_configure_warning(msg):
    """Prints a warning."""
    print("\nC++ configuration warning: %s\n" % msg)

def get_env_var(repository_ctx, name, default = None, enable_warning = True):
    """The value of an environment variable, or `default`; without either it is an error."""
    value = repository_ctx.os.environ.get(name)
    if value != None:
        return value
    if default != None:
        if enable_warning:
            auto_configure_warning("'%s' is not set, '%s' is taken" % (name, default))
        return default
    return auto_configure_fail("'%s' is not set" % name)

def which(repository_ctx, cmd, default = None):
    """The path of a program, or `default`."""
    found = repository_ctx.which(cmd)
    return default if found == None else str(found)

def which_cmd(repository_ctx, cmd, default = None):
    """The path of a program, or `default`; without either it is an error."""
    found = which(repository_ctx, cmd, default)
    if found == None:
        auto_configure_fail("no program '%s' in PATH" % cmd)
    return found

def execute(repository_ctx, command, environment = None, expect_failure = False):
    """What a command prints, without blanks at its ends."""
    result = repository_ctx.execute(command, environment = environment or {})
    if expect_failure != (result.return_code != 0):
        auto_configure_fail("%s ended with status %d: %s" % (command, result.return_code, result.stderr))
    return result.stdout.strip()

def get_cpu_value(repository_ctx):
    """The CPU in the terms of --cpu."""
    arch = repository_ctx.os.arch
    if arch in ("amd64", "x86_64", "x64"):
        return "k8"
    if arch in ("aarch64", "arm", "ppc", "s390x", "riscv64"):
        return arch
    if arch in ("powerpc64le", "ppc64le"):
        return "ppc"
    return "piii" if arch in ("i386", "i686") else "unknown"

def is_cc_configure_debug(repository_ctx):
    """Whether CC_CONFIGURE_DEBUG is set."""
    return repository_ctx.os.environ.get("CC_CONFIGURE_DEBUG", "") == "1"
