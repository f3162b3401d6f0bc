"""dicts: functions over dictionaries."""

def _add(*dictionaries, **kwargs):
    """A new dictionary with all entries; the last one wins."""
    result = {}
    for dictionary in dictionaries:
        result.update(dictionary)
    result.update(kwargs)
    return result

def _omit(dictionary, keys):
    """A new dictionary without some keys."""
    unwanted = {key: None for key in keys}
    return {key: value for key, value in dictionary.items() if key not in unwanted}

def _pick(dictionary, keys, strict = True):
    """A new dictionary with some keys only; with `strict` each must be there."""
    result = {}
    for key in keys:
        if key in dictionary:
            result[key] = dictionary[key]
        elif strict:
            fail("no key {} in the dictionary".format(repr(key)))
    return result

dicts = struct(
    add = _add,
    omit = _omit,
    pick = _pick,
)
