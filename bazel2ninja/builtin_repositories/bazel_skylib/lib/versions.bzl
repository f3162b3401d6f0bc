"""versions: Bazel's versions as numbers."""

def _get_bazel_version():
    """The version of Bazel whose behaviour is followed."""
    return native.bazel_version

def _parse(bazel_version):
    """(1, 2, 3) for "1.2.3rc4 ..."; a development version without a number is ()."""
    parts = []
    for part in bazel_version.split(" ", 1)[0].split("-", 1)[0].split("."):
        digits = ""
        for character in part.elems():
            if not character.isdigit():
                break
            digits += character
        if not digits:
            break
        parts.append(int(digits))
        if digits != part:
            break
    return tuple(parts)

def _is_at_most(threshold, version):
    return _parse(version) <= _parse(threshold)

def _is_at_least(threshold, version):
    return _parse(version) >= _parse(threshold)

def _check(minimum_bazel_version, maximum_bazel_version = None, bazel_version = None):
    """Fails unless the version lies in the range."""
    version = bazel_version or _get_bazel_version() or ""
    if not version:
        return
    if not _is_at_least(threshold = minimum_bazel_version, version = version):
        fail("Bazel {} is followed, and at least {} is expected".format(version, minimum_bazel_version))
    if maximum_bazel_version and not _is_at_most(threshold = maximum_bazel_version, version = version):
        fail("Bazel {} is followed, and at most {} is expected".format(version, maximum_bazel_version))

versions = struct(
    get = _get_bazel_version,
    parse = _parse,
    check = _check,
    is_at_most = _is_at_most,
    is_at_least = _is_at_least,
)
