"""The canonical identity of a download: https://bazel.build/rules/lib/repo/cache."""

CANONICAL_ID_ENV = "BAZEL_HTTP_RULES_URLS_AS_DEFAULT_CANONICAL_ID"
DEFAULT_CANONICAL_ID_ENV = CANONICAL_ID_ENV

def get_default_canonical_id(repository_ctx, urls):
    """The identity that the URLs give; it has no effect, because nothing is downloaded."""
    return " ".join(urls)
