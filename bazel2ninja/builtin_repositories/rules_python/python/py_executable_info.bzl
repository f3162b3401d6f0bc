"""PyExecutableInfo: what packagers of Python programs ask.  No target has it."""

PyExecutableInfo = provider(
    doc = "A Python program.",
    fields = {
        "build_data_file": "A file with data of the build, or None.",
        "interpreter_path": "The interpreter's path.",
        "main": "The file that runs first.",
        "runfiles_without_exe": "The runfiles without the program itself.",
    },
)
