"""structs: functions over structs."""

def _to_dict(s):
    """The fields as a dictionary."""
    return {name: getattr(s, name) for name in dir(s) if name not in ("to_json", "to_proto")}

structs = struct(to_dict = _to_dict)
