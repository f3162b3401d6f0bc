"""collections: functions over lists."""

def _after_each(separator, iterable):
    """[a, separator, b, separator]"""
    result = []
    for item in iterable:
        result += [item, separator]
    return result

def _before_each(separator, iterable):
    """[separator, a, separator, b]"""
    result = []
    for item in iterable:
        result += [separator, item]
    return result

def _uniq(iterable):
    """The different elements, in the order of their first occurrence; they must be hashable."""
    return {item: None for item in iterable}.keys()

collections = struct(
    after_each = _after_each,
    before_each = _before_each,
    uniq = _uniq,
)
