"""Source text to Python's syntax tree: decoding, tolerated oddities, and syntax errors in Starlark's words."""

from __future__ import annotations

import ast
import io
import re
import warnings

from ..diagnostics import Diagnostic, Location, WorkspaceError


def decode(source: bytes) -> str:
    """The text of a file: UTF-8, or Latin-1 where it is not valid UTF-8; line ends become LF, a BOM goes."""
    try:
        text = source.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = source.decode("latin-1")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def parse(text: str, path: str, legacy_octal: bool = False) -> ast.Module:
    """Python's tree of a Starlark file; raises WorkspaceError with a Location for what does not parse.

    `legacy_octal` takes 0755 for 0o755, as old Bazel releases do.
    """
    try:
        return _parse(text)
    except SyntaxError as problem:
        if legacy_octal and "leading zeros" in (problem.msg or ""):
            mended = _modern_octal(text, problem)
            if mended != text:
                return parse(mended, path, legacy_octal)
        if "positional argument follows keyword argument" in (problem.msg or ""):
            from tokenize import TokenError

            try:
                return _parse(_name_load_symbols(text))
            except (SyntaxError, TokenError):
                pass
        raise syntax_error(problem, text, path) from None
    except (RecursionError, MemoryError):
        raise WorkspaceError(Diagnostic("expression is nested too deeply", Location(path))) from None
    except ValueError as problem:  # null bytes (a SyntaxError in newer Pythons), surrogates
        if "\0" in text:
            raise syntax_error(SyntaxError(str(problem)), text, path) from None
        raise WorkspaceError(Diagnostic(f"syntax error: {problem}", Location(path))) from None


def _parse(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _modern_octal(text: str, problem: SyntaxError) -> str:
    """The text with the old octal literals of the reported line written in the new way."""
    lines = text.split("\n")
    line = lines[(problem.lineno or 1) - 1]
    lines[(problem.lineno or 1) - 1] = re.sub(r"(?<![\w.'\"])0([0-7]+)\b(?!['\"])", r"0o\1", line)
    return "\n".join(lines)


def _name_load_symbols(text: str) -> str:
    """Writes "z" as z = "z" in load("a", x = "y", "z"): Bazel takes it, Python's parser does not."""
    import tokenize

    insertions: list[tuple[int, int, str]] = []
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in (tokenize.NL, tokenize.COMMENT)
    ]
    for position, token in enumerate(tokens[:-2]):
        starts_line = position == 0 or tokens[position - 1].type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.string != "load" or not starts_line or tokens[position + 1].string != "(":
            continue
        keyword_seen = False
        for before, current, after in zip(
            tokens[position + 1 :], tokens[position + 2 :], tokens[position + 3 :], strict=False
        ):
            if current.string == ")":
                break
            if current.string == "=":
                keyword_seen = True
            elif current.type == tokenize.STRING and before.string in "(," and after.string in "),":
                symbol = current.string.strip("\"'")
                if keyword_seen and symbol.isidentifier():
                    insertions.append((current.start[0], current.start[1], f"{symbol} = "))
    lines = text.split("\n")
    for line, column, addition in reversed(insertions):
        lines[line - 1] = lines[line - 1][:column] + addition + lines[line - 1][column:]
    return "\n".join(lines)


_WORDS: tuple[tuple[str, str], ...] = (
    (
        r"too many nested parentheses|too many levels of indentation|nested too deeply",
        "expression is nested too deeply",
    ),
    (r"expected an indented block.*", "expected an indented block"),
    (r"unexpected indent", "indentation error: unexpected indent"),
    (
        r"unindent does not match any outer indentation level",
        "indentation error: unindent does not match any outer level",
    ),
    (r"inconsistent use of tabs.*", "indentation error: inconsistent use of tabs and spaces"),
    (r"unterminated string literal.*", "unclosed string literal"),
    (r"unterminated triple-quoted string literal.*", "unclosed string literal"),
    (r"'(.)' was never closed", r"syntax error at '\1': expected its closing counterpart"),
    (r"unmatched '(.)'", r"syntax error at '\1': unmatched"),
    (r"closing parenthesis '(.)' does not match.*", r"syntax error at '\1': does not match the opening one"),
    (r"keyword argument repeated: (.*)", r"duplicate keyword argument: \1"),
    (r"duplicate argument '(.*)' in function definition", r"duplicate parameter: \1"),
    (
        r"non-default argument follows default argument|parameter without a default follows parameter with a default",
        "a mandatory positional parameter must not follow an optional parameter",
    ),
    (r"positional argument follows keyword argument.*", "positional argument may not follow keyword argument"),
    (r"(iterable )?argument unpacking follows keyword.*", "*args argument may not follow **kwargs"),
    (
        r"cannot assign to .*|cannot delete.*|.*is an illegal expression for augmented assignment",
        "cannot assign to this expression",
    ),
    (r"leading zeros in decimal integer literals.*", "invalid octal literal (use the prefix '0o')"),
    (r"invalid (decimal|hexadecimal|octal|binary) literal.*", "syntax error: invalid number literal"),
    (r"Exceeds the limit .*", "integer literal is too long"),
    (r"(.*) is not allowed|named arguments must follow bare \*", "syntax error"),
    (r"invalid non-printable character (U\+[0-9A-F]+)", r"invalid character: \1"),
    (r"invalid character '(.*)' \((.*)\)", r"invalid character: '\1'"),
    (
        r"source code string cannot contain null bytes|source code cannot contain null bytes",
        "invalid character: U+0000",
    ),
)


def syntax_error(problem: SyntaxError, text: str, path: str) -> WorkspaceError:
    """Python's complaint about a text, in Starlark's words."""
    line = problem.lineno or 1
    column = max(problem.offset or 1, 1)
    message = problem.msg or "syntax error"
    if "\0" in text and "null bytes" in message:  # Python does not say where
        line = text.count("\n", 0, text.index("\0")) + 1
        column = text.index("\0") - text.rfind("\n", 0, text.index("\0"))
    for pattern, words in _WORDS:
        match = re.fullmatch(pattern, message)
        if match:
            return WorkspaceError(Diagnostic(match.expand(words), Location(path, line, column)))
    lines = text.split("\n")
    rest = lines[line - 1][column - 1 :] if line <= len(lines) else ""
    token = re.match(r"\w+|\S", rest)
    near = f" at '{token.group()}'" if token else " at end of line" if rest.strip() == "" else ""
    return WorkspaceError(Diagnostic(f"syntax error{near}", Location(path, line, column)))
