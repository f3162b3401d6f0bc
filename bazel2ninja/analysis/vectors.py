"""From the values of Args.add_all() and add_joined() to words, and from words to the text of a parameter file.

https://bazel.build/rules/lib/builtins/Args.  Imports little: what directories hold is only known when ninja runs, and
then every expansion pays for the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bazel2ninja.analysis.shell import escape


def vector_words(
    texts: Iterable[str],
    *,
    name: str | None = None,
    format_each: str | None = None,
    omit_if_empty: bool = True,
    uniquify: bool = False,
    before_each: str | None = None,
    terminate_with: str | None = None,
    join_with: str | None = None,
    format_joined: str | None = None,
) -> list[str]:
    """The words of one add_all() or, when `join_with` is given, add_joined()."""
    values = list(dict.fromkeys(texts)) if uniquify else list(texts)
    if not values and omit_if_empty:
        return []
    if format_each is not None:
        values = [formatted(format_each, text) for text in values]
    words = [] if name is None else [name]
    if join_with is not None:
        joined = join_with.join(values)
        words.append(joined if format_joined is None else formatted(format_joined, joined))
        return words
    for text in values:
        if before_each is not None:
            words.append(before_each)
        words.append(text)
    if terminate_with is not None:
        words.append(terminate_with)
    return words


def formatted(form: str, text: str) -> str:
    """A format string with its one "%s" replaced."""
    return form.replace("%s", text).replace("%%", "%")


def written_text(words: Sequence[str], form: str) -> str:
    """What ctx.actions.write() makes of an Args; `form` as of set_param_file_format."""
    if form == "shell":
        return "".join(escape(word) + "\n" for word in words)
    if form == "multiline":
        return "".join(word + "\n" for word in words)
    lines: list[str] = []
    for word in words:
        if lines and not word.startswith("--"):
            lines[-1] += " " + word
        else:
            lines.append(word)
    return "".join(line + "\n" for line in lines)


def parameter_text(words: Sequence[str], form: str) -> tuple[str, list[str]]:
    """Content of a parameter file, and the words that stay on the command line."""
    if form == "shell":
        return "".join(escape(word) + "\n" for word in words), []
    if form == "multiline":
        return "".join(word + "\n" for word in words), []
    lines: list[str] = []
    rest: list[str] = []
    open_flag = False
    for word in words:
        if word.startswith("--"):
            lines.append(word)
            open_flag = "=" not in word
        elif open_flag:
            lines[-1] += "=" + word
            open_flag = False
        else:
            rest.append(word)
    return "".join(line + "\n" for line in lines), rest
