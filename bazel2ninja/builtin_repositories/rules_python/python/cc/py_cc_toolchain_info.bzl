"""PyCcToolchainInfo: headers and libraries of a Python."""

PyCcToolchainInfo = provider(
    doc = "What extension modules and programs that embed Python are compiled and linked with.",
    fields = {
        "headers": "A struct with providers_map: name of a provider -> the headers' instance of it.",
        "libs": "The same of libpython.",
        "python_version": "Such as 3.11.",
    },
)
