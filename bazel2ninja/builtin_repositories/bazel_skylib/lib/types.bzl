"""types: the type of a value as a question."""

def _a_function():
    pass

def _is_list(v):
    return type(v) == type([])

def _is_string(v):
    return type(v) == type("")

def _is_bool(v):
    return type(v) == type(True)

def _is_none(v):
    return v == None

def _is_int(v):
    return type(v) == type(1)

def _is_tuple(v):
    return type(v) == type(())

def _is_dict(v):
    return type(v) == type({})

def _is_function(v):
    """Whether it is a function written in Starlark."""
    return type(v) == type(_a_function)

def _is_depset(v):
    return type(v) == "depset"

def _is_set(v):
    """Whether it was made by sets.make()."""
    return type(v) == "struct" and hasattr(v, "_values") and _is_dict(v._values)

types = struct(
    is_list = _is_list,
    is_string = _is_string,
    is_bool = _is_bool,
    is_none = _is_none,
    is_int = _is_int,
    is_tuple = _is_tuple,
    is_dict = _is_dict,
    is_function = _is_function,
    is_depset = _is_depset,
    is_set = _is_set,
)
