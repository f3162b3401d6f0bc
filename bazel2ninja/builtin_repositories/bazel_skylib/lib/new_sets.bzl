"""sets: sets of hashable values, in the order of insertion."""

def _of(keys):
    return struct(_values = {key: None for key in keys})

def _make(elements = None):
    """A set of the elements of a list."""
    return _of(elements or [])

def _copy(s):
    return _of(s._values)

def _to_list(s):
    return s._values.keys()

def _insert(s, e):
    """Puts `e` into the set, which is returned."""
    s._values[e] = None
    return s

def _remove(s, e):
    """Takes `e`, which must be in it, out of the set, which is returned."""
    s._values.pop(e)
    return s

def _contains(a, e):
    return e in a._values

def _get_shorter_longer(a, b):
    return (a, b) if len(a._values) <= len(b._values) else (b, a)

def _is_equal(a, b):
    return len(a._values) == len(b._values) and _is_subset(a, b)

def _is_subset(a, b):
    """Whether each element of `a` is in `b`."""
    for e in a._values:
        if e not in b._values:
            return False
    return True

def _disjoint(a, b):
    shorter, longer = _get_shorter_longer(a, b)
    for e in shorter._values:
        if e in longer._values:
            return False
    return True

def _intersection(a, b):
    return _of([e for e in a._values if e in b._values])

def _union(*args):
    result = {}
    for s in args:
        result.update(s._values)
    return _of(result)

def _difference(a, b):
    return _of([e for e in a._values if e not in b._values])

def _length(s):
    return len(s._values)

def _repr(s):
    return repr(s._values.keys())

sets = struct(
    make = _make,
    copy = _copy,
    to_list = _to_list,
    insert = _insert,
    contains = _contains,
    is_equal = _is_equal,
    is_subset = _is_subset,
    disjoint = _disjoint,
    intersection = _intersection,
    union = _union,
    difference = _difference,
    length = _length,
    remove = _remove,
    repr = _repr,
    str = _repr,
)
