"""Looking for Microsoft's compiler: an error when reached."""

def find_vc_path(repository_ctx):
    """Where Visual C++ is."""
    fail("find_vc_path is not supported: no compiler of Windows is used")

def find_msvc_tool(repository_ctx, vc_path, tool, target_arch = "x64"):
    """Where a tool of Visual C++ is."""
    fail("find_msvc_tool is not supported: no compiler of Windows is used")

def setup_vc_env_vars(repository_ctx, vc_path, envvars = [], allow_empty = False, escape = True):
    """The environment of Visual C++."""
    fail("setup_vc_env_vars is not supported: no compiler of Windows is used")
