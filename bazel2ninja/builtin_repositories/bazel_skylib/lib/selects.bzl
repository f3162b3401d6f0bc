"""selects: functions that make select() shorter."""

def _with_or(input_dict, no_match_error = ""):
    """select() whose keys may be tuples of conditions, any of which takes the branch."""
    return select(_with_or_dict(input_dict), no_match_error = no_match_error)

def _with_or_dict(input_dict):
    """The dictionary with each tuple spread into its conditions."""
    result = {}
    for key, value in input_dict.items():
        for condition in (key if type(key) == "tuple" else [key]):
            if condition in result:
                fail("key {} appears twice in a select".format(condition))
            result[condition] = value
    return result

def _config_setting_group(name, match_any = [], match_all = [], visibility = None, **kwargs):
    """A condition that holds when any, or all, of others hold.

    Each step is an alias that takes the next one, or the answer.
    """
    if bool(match_any) == bool(match_all):
        fail("config_setting_group %r needs either match_any or match_all, and not an empty one" % name)
    conditions = list(match_any or match_all)
    default = "//conditions:default"
    if default in conditions:
        if match_any:
            conditions = [default]  # always true
        else:
            conditions = [condition for condition in conditions if condition != default] or [default]
    if conditions == [default]:
        native.alias(
            name = name,
            actual = Label("//lib/private:always_true"),
            visibility = visibility,
            **kwargs
        )
        return
    for position, condition in enumerate(conditions[:-1]):
        this = name if position == 0 else "%s_%d" % (name, position)
        last = position + 1 == len(conditions) - 1
        rest = conditions[-1] if last else ":%s_%d" % (name, position + 1)
        native.alias(
            name = this,
            actual = select({condition: condition, default: rest} if match_any else {condition: rest, default: condition}),
            visibility = visibility,
            **kwargs
        )
    if len(conditions) == 1:
        native.alias(name = name, actual = conditions[0], visibility = visibility, **kwargs)

selects = struct(
    with_or = _with_or,
    with_or_dict = _with_or_dict,
    config_setting_group = _config_setting_group,
)
