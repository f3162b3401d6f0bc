"""Values that describe a C++ toolchain: https://bazel.build/docs/cc-toolchain-config-reference.

Each function checks its arguments' presence and returns a struct that cc_common.create_cc_toolchain_config_info reads.
"""

EnvEntryInfo = provider(fields = ["key", "value", "expand_if_available", "type_name"])
VariableWithValueInfo = provider(fields = ["name", "value", "type_name"])
FlagGroupInfo = provider(fields = [
    "flags",
    "flag_groups",
    "iterate_over",
    "expand_if_available",
    "expand_if_not_available",
    "expand_if_true",
    "expand_if_false",
    "expand_if_equal",
    "type_name",
])
WithFeatureSetInfo = provider(fields = ["features", "not_features", "type_name"])
FlagSetInfo = provider(fields = ["actions", "with_features", "flag_groups", "type_name"])
EnvSetInfo = provider(fields = ["actions", "env_entries", "with_features", "type_name"])
FeatureSetInfo = provider(fields = ["features", "type_name"])
FeatureInfo = provider(fields = [
    "name",
    "enabled",
    "flag_sets",
    "env_sets",
    "requires",
    "implies",
    "provides",
    "type_name",
])
ToolPathInfo = provider(fields = ["name", "path", "type_name"])
ToolInfo = provider(fields = ["path", "tool", "with_features", "execution_requirements", "type_name"])
ActionConfigInfo = provider(fields = [
    "config_name",
    "action_name",
    "enabled",
    "tools",
    "flag_sets",
    "implies",
    "type_name",
])
ArtifactNamePatternInfo = provider(fields = ["category_name", "prefix", "extension", "type_name"])
MakeVariableInfo = provider(fields = ["name", "value", "type_name"])

def _required(function, **values):
    for name, value in values.items():
        if not value:
            fail("{} of {} must not be empty".format(name, function))

def env_entry(key, value, expand_if_available = None):
    """An environment variable of an action."""
    _required("env_entry", key = key, value = value)
    return EnvEntryInfo(key = key, value = value, expand_if_available = expand_if_available, type_name = "env_entry")

def variable_with_value(name, value):
    """A variable and the value to compare it with."""
    _required("variable_with_value", name = name, value = value)
    return VariableWithValueInfo(name = name, value = value, type_name = "variable_with_value")

def make_variable(name, value):
    """A make variable that the toolchain defines."""
    _required("make_variable", name = name, value = value)
    return MakeVariableInfo(name = name, value = value, type_name = "make_variable")

def flag_group(
        flags = [],
        flag_groups = [],
        iterate_over = None,
        expand_if_available = None,
        expand_if_not_available = None,
        expand_if_true = None,
        expand_if_false = None,
        expand_if_equal = None):
    """Flags, or further groups, that are expanded under a condition."""
    if bool(flags) == bool(flag_groups):
        fail("flag_group must have either flags or flag_groups")
    return FlagGroupInfo(
        flags = flags,
        flag_groups = flag_groups,
        iterate_over = iterate_over,
        expand_if_available = expand_if_available,
        expand_if_not_available = expand_if_not_available,
        expand_if_true = expand_if_true,
        expand_if_false = expand_if_false,
        expand_if_equal = expand_if_equal,
        type_name = "flag_group",
    )

def with_feature_set(features = [], not_features = []):
    """A condition on enabled and disabled features."""
    return WithFeatureSetInfo(features = features, not_features = not_features, type_name = "with_feature_set")

def flag_set(actions = [], with_features = [], flag_groups = []):
    """Flags for some actions."""
    return FlagSetInfo(
        actions = actions,
        with_features = with_features,
        flag_groups = flag_groups,
        type_name = "flag_set",
    )

def env_set(actions, env_entries = [], with_features = []):
    """Environment variables for some actions."""
    _required("env_set", actions = actions)
    return EnvSetInfo(
        actions = actions,
        env_entries = env_entries,
        with_features = with_features,
        type_name = "env_set",
    )

def feature_set(features = []):
    """Features that must be enabled together."""
    return FeatureSetInfo(features = features, type_name = "feature_set")

def feature(name, enabled = False, flag_sets = [], env_sets = [], requires = [], implies = [], provides = []):
    """A feature of the toolchain."""
    _required("feature", name = name)
    return FeatureInfo(
        name = name,
        enabled = enabled,
        flag_sets = flag_sets,
        env_sets = env_sets,
        requires = requires,
        implies = implies,
        provides = provides,
        type_name = "feature",
    )

def tool_path(name, path):
    """Where a tool is."""
    _required("tool_path", name = name, path = path)
    return ToolPathInfo(name = name, path = path, type_name = "tool_path")

def tool(path = None, with_features = [], execution_requirements = [], tool = None):
    """The tool of an action."""
    if bool(path) == bool(tool):
        fail("tool must have either path or tool")
    return ToolInfo(
        path = path,
        tool = tool,
        with_features = with_features,
        execution_requirements = execution_requirements,
        type_name = "tool",
    )

def action_config(action_name, enabled = False, tools = [], flag_sets = [], implies = []):
    """How an action is run."""
    _required("action_config", action_name = action_name)
    return ActionConfigInfo(
        config_name = action_name,
        action_name = action_name,
        enabled = enabled,
        tools = tools,
        flag_sets = flag_sets,
        implies = implies,
        type_name = "action_config",
    )

def artifact_name_pattern(category_name, prefix, extension):
    """How the files of a category are named."""
    _required("artifact_name_pattern", category_name = category_name)
    return ArtifactNamePatternInfo(
        category_name = category_name,
        prefix = prefix,
        extension = extension,
        type_name = "artifact_name_pattern",
    )
