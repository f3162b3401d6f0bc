"""paths: POSIX file names as text."""

def _basename(p):
    """What follows the last slash."""
    return p.rpartition("/")[-1]

def _dirname(p):
    """What comes before the last slash, without trailing slashes; "/" stays itself."""
    directory, slash, _ = p.rpartition("/")
    if not slash:
        return ""
    return directory.rstrip("/") or directory + slash

def _is_absolute(path):
    """Whether the path starts at a root, of POSIX or of Windows."""
    return path.startswith("/") or (len(path) > 2 and path[1] == ":")

def _join(path, *others):
    """The paths one after the other; an absolute one drops what came before it."""
    result = path
    for part in others:
        if _is_absolute(part):
            result = part
        elif not result or result.endswith("/"):
            result += part
        else:
            result += "/" + part
    return result

def _normalize(path):
    """The path without '.', doubled slashes and 'x/..'."""
    if not path:
        return "."
    if path.startswith("//") and not path.startswith("///"):
        root = "//"
    elif path.startswith("/"):
        root = "/"
    else:
        root = ""
    parts = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if parts and parts[-1] != "..":
                parts.pop()
                continue
            if root:
                continue
        parts.append(part)
    return (root + "/".join(parts)) or "."

def _split(path, normalize):
    text = _normalize(path) if normalize else path
    return [] if text in (".", "") else text.split("/")

def _relativize(path, start):
    """The path as seen from the directory `start`, which must be above it."""
    parts = _split(path, True)
    above = _split(start, True)
    if parts[:len(above)] != above:
        fail("path '%s' is not beneath '%s'" % (path, start))
    return "/".join(parts[len(above):]) or "."

def _replace_extension(p, new_extension):
    """The path with another extension; `new_extension` holds the dot."""
    return _split_extension(p)[0] + new_extension

def _split_extension(p):
    """(path without extension, extension with its dot); a leading dot of the name starts no extension."""
    name = _basename(p)
    dot = name.rfind(".")
    if dot <= 0:
        return (p, "")
    length = len(name) - dot
    return (p[:-length], p[-length:])

def _starts_with(path_a, path_b):
    """Whether the first path is the second one, or lies beneath it."""
    a = _split(path_a, True)
    b = _split(path_b, True)
    return a[:len(b)] == b

def _is_normalized(str, look_for_same_level_references = True):
    """Whether the path has no '..' (and no '.')."""
    for part in str.split("/"):
        if part == ".." or (part == "." and look_for_same_level_references):
            return False
    return True

paths = struct(
    basename = _basename,
    dirname = _dirname,
    is_absolute = _is_absolute,
    is_normalized = _is_normalized,
    join = _join,
    normalize = _normalize,
    relativize = _relativize,
    replace_extension = _replace_extension,
    split_extension = _split_extension,
    starts_with = _starts_with,
)
