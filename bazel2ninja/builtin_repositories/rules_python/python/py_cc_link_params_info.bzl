"""PyCcLinkParamsInfo: the C++ libraries of Python targets, for programs that embed them."""

PyCcLinkParamsInfo = provider(
    doc = "C++ libraries of a Python target.",
    fields = {"cc_info": "Their CcInfo."},
)
