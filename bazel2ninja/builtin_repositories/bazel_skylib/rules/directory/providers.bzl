"""DirectoryInfo: a directory whose entries are known when targets are analysed."""

DIRECTORY = "directory"
FILE = "file"

def _kind(entry):
    return FILE if type(entry) == "File" else DIRECTORY

def _entry(directory, path, wanted):
    """The entry at a relative path; it is an error when there is none, or one of another kind than `wanted`."""
    if path.startswith("/"):
        fail("a path within {} is relative, not {}".format(directory.human_readable, repr(path)))
    names = path.split("/")
    for position, name in enumerate(names):
        entry = directory.entries.get(name)
        if entry == None:
            fail("{} has no entry {}; it has {}".format(
                directory.human_readable,
                repr(name),
                ", ".join([repr(known) for known in directory.entries]),
            ))
        expected = DIRECTORY if position < len(names) - 1 else wanted
        if expected and _kind(entry) != expected:
            fail("{}/{} is a {}, not a {}".format(directory.human_readable, name, _kind(entry), expected))
        directory = entry
    return directory

def _below(directory):
    """A directory and all that is in it, in the order of first sight."""
    found = [directory]
    pending = [directory]
    for _ in range(1 << 30):
        if not pending:
            break
        for entry in pending.pop().entries.values():
            found.append(entry)
            if _kind(entry) == DIRECTORY:
                pending.append(entry)
    return found

def _fits(name, pattern):
    """Whether a name fits a pattern with stars."""
    parts = pattern.split("*")
    if len(parts) == 1:
        return name == pattern
    if not (name.startswith(parts[0]) and name.endswith(parts[-1])) or len(name) < len(parts[0]) + len(parts[-1]):
        return False
    rest = name[len(parts[0]):len(name) - len(parts[-1])]
    for part in parts[1:-1]:
        position = rest.find(part)
        if position < 0:
            return False
        rest = rest[position + len(part):]
    return True

def _matches(directory, pattern):
    """Files whose path within the directory fits the pattern."""
    directories = [directory]
    files = {}
    for step in pattern.split("/"):
        below = {}
        files = {}
        for place in directories:
            entries = _below(place) if step == "**" else [e for n, e in place.entries.items() if _fits(n, step)]
            for entry in entries:
                if _kind(entry) == FILE:
                    files[entry] = None
                else:
                    below[entry.human_readable] = entry
        directories = below.values()
    return list(files)

def _glob(directory, include, exclude, allow_empty):
    found = {}
    for patterns, wanted in ((include, True), (exclude, False)):
        for pattern in patterns:
            files = _matches(directory, pattern)
            if not files and not allow_empty:
                fail("{} fits no file in {}".format(repr(pattern), directory.human_readable))
            for file in files:
                if wanted:
                    found[file] = None
                else:
                    found.pop(file, None)
    return depset(list(found))

DirectoryInfo = provider(
    doc = "A directory and what is in it.",
    fields = {
        "entries": "Name -> File or DirectoryInfo, in the order of the names.",
        "transitive_files": "A depset of all files below.",
        "path": "The directory's path in the execution root.",
        "human_readable": "Its name in messages.",
        "get_path": "f(path): the entry there.",
        "get_file": "f(path): the File there.",
        "get_subdirectory": "f(path): the DirectoryInfo there.",
        "glob": "f(include, exclude = [], allow_empty = False): a depset of files, as of native.glob().",
    },
)

def create_directory_info(**kwargs):
    """A DirectoryInfo with its functions; the arguments are its other fields."""
    directory = struct(**kwargs)
    return DirectoryInfo(
        get_path = lambda path: _entry(directory, path, None),
        get_file = lambda path: _entry(directory, path, FILE),
        get_subdirectory = lambda path: _entry(directory, path, DIRECTORY),
        glob = lambda include, exclude = [], allow_empty = False: _glob(directory, include, exclude, allow_empty),
        **kwargs
    )
