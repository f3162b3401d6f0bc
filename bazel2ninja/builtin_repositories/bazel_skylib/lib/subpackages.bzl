"""subpackages: which packages lie below the current one."""

def _here(path):
    return "//{}/{}".format(native.package_name(), path) if native.package_name() else "//" + path

def _all(exclude = [], allow_empty = False, fully_qualified = True):
    """The nearest packages below.

    Args:
      exclude: patterns of directories to leave out
      allow_empty: whether there may be none
      fully_qualified: labels such as "//a/b" instead of directories below this one
    """
    found = native.subpackages(include = ["**"], exclude = exclude, allow_empty = allow_empty)
    return [_here(path) for path in found] if fully_qualified else found

def _exists(relative_path):
    """Whether the directory is one of them."""
    return relative_path in native.subpackages(include = [relative_path], allow_empty = True)

def _supported():
    """Whether the two others may be called."""
    return True

subpackages = struct(
    all = _all,
    exists = _exists,
    supported = _supported,
)
