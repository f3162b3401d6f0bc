"""shell: text for POSIX shells."""

def _array_literal(iterable):
    """A bash array."""
    return "(" + " ".join([_quote(item) for item in iterable]) + ")"

def _quote(s):
    """One word of the shell, whatever it holds."""
    return "'" + str(s).replace("'", "'\\''") + "'"

shell = struct(
    array_literal = _array_literal,
    quote = _quote,
)
