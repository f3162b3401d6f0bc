"""partial: a function together with some of its arguments."""

def _make(func, *args, **kwargs):
    """The function with its first arguments."""
    return struct(function = func, args = args, kwargs = kwargs)

def _call(partial, *args, **kwargs):
    """Calls it with the remaining arguments; named ones given now win."""
    named = dict(partial.kwargs)
    named.update(kwargs)
    return partial.function(*(list(partial.args) + list(args)), **named)

def _is_instance(v):
    """Whether `v` was made by make()."""
    return type(v) == "struct" and hasattr(v, "function") and hasattr(v, "args") and hasattr(v, "kwargs")

partial = struct(
    make = _make,
    call = _call,
    is_instance = _is_instance,
)
