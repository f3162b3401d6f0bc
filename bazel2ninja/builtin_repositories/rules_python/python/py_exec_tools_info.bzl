"""PyExecToolsInfo: a Python for actions of the build.  No target has it."""

PyExecToolsInfo = provider(
    doc = "A Python for actions of the build.",
    fields = {
        "exec_interpreter": "The target of the interpreter.",
        "precompiler": "The target of the program that compiles Python files.",
    },
)
