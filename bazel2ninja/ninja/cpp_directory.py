"""Compiles of all the sources in a directory that an action makes, by one edge.

What stands for the directory of objects is a response file that names them, for archives and links.
"""

from __future__ import annotations

from bazel2ninja.analysis.action import CppCompileAction
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.statements import Edge, Rule
from bazel2ninja.rules.cc_sources import HEADERS, LANGUAGES

_FUNCTIONS = {"c": "cc", "c++": "cxx", "assembler": "as", "assembler-with-cpp": "asm"}
SCRIPT = r"""# Compiles every source below $source to an object below $objects, by functions cc, cxx, as and asm:
# they read $i and write $o and $d.  Writes the names of the objects to $stamp and what was read to $stamp.d.
set -e
rm -rf "$objects" "$stamp"
mkdir -p "$objects" "$(dirname "$stamp")"
: >"$stamp.d"
: >"$stamp.new"
find -L "$source" -type f | LC_ALL=C sort >"$stamp.sources"
while IFS= read -r i; do
	case $i in
@CASES@
	*)
		printf "'%s', a file of the directory '%s', is neither a header nor a source\n" "$i" "$source" >&2
		exit 1
		;;
	esac
	o=${i#"$source/"}
	o=$objects/${o%.*}.pic.o
	d=$o.d
	if [ -e "$o" ]; then
		printf "two sources of the directory '%s' make '%s'\n" "$source" "$o" >&2
		exit 1
	fi
	mkdir -p "$(dirname "$o")"
	: >"$d"
	$compile </dev/null
	cat "$d" >>"$stamp.d"
	rm "$d"
	printf '%s\n' "$o" | sed 's/[\\'\''"[:space:]]/\\&/g' >>"$stamp.new"
done <"$stamp.sources"
rm "$stamp.sources"
mv "$stamp.new" "$stamp"
"""


def _script() -> str:
    cases = [f"\t*{'|*'.join(HEADERS)}) continue ;;"]
    for spoken, function in _FUNCTIONS.items():
        endings = "|*".join(ending for ending, language in LANGUAGES.items() if language == spoken)
        cases.append(f"\t*{endings}) compile={function} ;;")
    return SCRIPT.replace("@CASES@", "\n".join(cases))


def _function(name: str, compiler: str, flags: str, *, preprocessed: bool = True) -> str:
    dependencies = '-MD -MF "$$d" -MT $out ' if preprocessed else ""
    return (
        f"{name}() {{ $environment{compiler} $options $includes {dependencies}"
        f'-frandom-seed="$$o" $prefix_maps {flags} -o "$$o" -c "$$i"; }}'
    )


RULE = Rule(
    "compile_directory",
    "; ".join(
        (
            _function("cc", "$cc", "$cppflags $cflags"),
            _function("cxx", "$cxx", "$cppflags $cxxflags"),
            _function("as", "$cc", "$asflags", preprocessed=False),
            _function("asm", "$cc", "$cppflags $asflags"),
            "source=$source; objects=$objects; stamp=$out; . ./$script",
        )
    ),
    "compile the sources in $source",
    {"depfile": "$out.d", "deps": "gcc"},
)


def compile_directory(context: Context, action: CppCompileAction, edge: Edge) -> Edge:
    """The edge for a directory; `edge` is that of one source."""
    script = context.side_files.add("", "compile-directory.sh", _script())
    edge.rule = RULE.name
    edge.implicit.append(syntax.path(script))
    edge.variables["source"] = syntax.value(syntax.shell_word(context.mapper.path(action.source.exec_path)))
    edge.variables["objects"] = syntax.value(syntax.shell_word(context.mapper.path(action.object.exec_path)))
    edge.variables["script"] = syntax.value(syntax.shell_word(script))
    return edge
