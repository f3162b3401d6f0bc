"""CcSharedLibraryHintInfo: what a target tells cc_shared_library() about its dependencies."""

CcSharedLibraryHintInfo = provider(
    doc = "Which attributes of a target cc_shared_library() follows, and as which owners.",
    fields = {
        "attributes": "Names of attributes whose targets are followed; all when this is missing.",
        "owners": "Labels of the targets whose libraries these are; the target itself when this is missing.",
    },
)
