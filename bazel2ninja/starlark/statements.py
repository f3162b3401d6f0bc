"""Checking and rewriting of statements, and of a file as a whole."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from ..diagnostics import Diagnostic, Location
from .inference import infer
from .inlining import InlineOperators, _simple
from .semantics import Dialect

_LOAD = ast.Load()
_STORE = ast.Store()
_AUGMENTED = {
    ast.Add: "%iadd",
    ast.Sub: "%isub",
    ast.Mult: "%mul",
    ast.Div: "%div",
    ast.FloorDiv: "%floordiv",
    ast.Mod: "%mod",
    ast.LShift: "%shl",
    ast.RShift: "%shr",
    ast.BitOr: "%ior",
    ast.BitAnd: "%iand",
    ast.BitXor: "%ixor",
}
_AT_TOP = {
    ast.If: "if statements are not allowed at the top level. You may move it inside a function "
    "or use an if expression (x if condition else y).",
    ast.For: "for loops are not allowed at the top level. You may move it inside a function "
    "or use a comprehension, [f(x) for x in sequence]",
}
_IN_BUILD = {
    ast.FunctionDef: "functions may not be defined in BUILD files. "
    "You may move the function to a .bzl file and load it.",
    ast.If: "if statements are not allowed in BUILD files. You may move conditional logic to a function definition "
    "(in a .bzl file), or for simple cases, use an if expression.",
    ast.For: "for statements are not allowed in BUILD files. You may inline the loop, move it to a function definition "
    "(in a .bzl file), or as a last resort, use a list comprehension.",
}


class Statements(InlineOperators):
    """Rewrites a whole file."""

    # Of the class, as `expressions`.
    statements: ClassVar[Mapping[type, Callable[[Any, Any], list]]]

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.loads: list[tuple[str, tuple[tuple[str, str], ...], Location]] = []
        self.exported: list[str] = []
        self.flags = 0  # recursion flags handed out
        self.loops = 0

    def file(self, tree: ast.Module) -> ast.Module:
        """The rewritten module."""
        self.bind_globals(tree.body)
        body: list = []
        docstring = True
        loads_first = self.dialect is Dialect.BZL and not self.semantics.load_anywhere
        other: Any = None  # the first statement that is no load
        nodes: list[Any] = list(tree.body)
        for node in nodes:
            call = _load_call(node)
            if call is not None:
                if other is not None and loads_first:
                    self.error(
                        node,
                        "load statements must be called before any other statement",
                        f"the first other statement is at line {other.lineno}",
                    )
                body.append(self.load(node, call))
            else:
                self.top_level(node)
                if other is None and not _is_docstring(node):
                    other = node
                if docstring and _is_docstring(node):
                    self.constant(node.value)
                    node.value.value = None  # kept as Program.doc
                body.extend(self.statement(node))
            docstring = False
        for line in self.lifted:
            self.errors.append(Diagnostic("this only looks like a call", Location(self.path, line)))  # shown to nobody
        if self.flags:
            at: Any = ast.Pass()
            at.lineno, at.col_offset, at.end_lineno, at.end_col_offset = 1, 0, 1, 0
            names = [self.place(ast.Name(f"%active{n}", _STORE), at) for n in range(1, self.flags + 1)]
            body.insert(0, self.place(ast.Assign(names, self.place(ast.Constant(False), at)), at))
        tree.body = body
        return tree

    def top_level(self, node: Any) -> None:
        message = None
        if self.dialect in (Dialect.BUILD, Dialect.WORKSPACE):
            message = _IN_BUILD.get(node.__class__)
            if message and self.dialect is Dialect.WORKSPACE:
                message = message.replace("BUILD", "WORKSPACE")
        elif self.dialect is Dialect.BZL:
            message = _AT_TOP.get(node.__class__)
        if message:
            self.error(node, message)

    def bind_globals(self, body: list) -> None:
        """Finds the file's global names."""
        first: dict[str, Any] = {}
        strict = self.dialect is Dialect.BZL and not self.semantics.toplevel_rebinding
        loaded: set[str] = set()

        def bind(name: str, node: Any) -> None:
            if name in first and strict:
                line = first[name].lineno
                self.error(node, f"cannot reassign global '{name}'", f"'{name}' previously declared at line {line}")
            first.setdefault(name, node)
            self.globals[name] = name + "%" if name in self.universe or name in self.predeclared else name

        for node in body:
            call = _load_call(node)
            if call is not None:
                for local, _, where in self.load_bindings(call):
                    bind(local, where)
                    loaded.add(local)
                continue
            for name, where in _bindings([node]):
                if name in _NOT_GLOBAL:
                    self.error(where, f"cannot assign to '{name}'")
                bind(name, where)
                if name not in loaded and name not in self.exported:
                    self.exported.append(name)

    def load_bindings(self, call: Any) -> list[tuple[str, str, Any]]:
        """(local name, name in the module, node) of a load statement; reports malformed ones once, in `load`."""
        found = []
        for argument in call.args[1:]:
            if argument.__class__ is ast.Constant and argument.value.__class__ is str:
                found.append((argument.value, argument.value, argument))
        for keyword in call.keywords:
            if keyword.arg and keyword.value.__class__ is ast.Constant and keyword.value.value.__class__ is str:
                found.append((keyword.arg, keyword.value.value, keyword))
        return found

    def load(self, node: Any, call: Any) -> Any:
        """A load statement: an assignment of what the host's loader gives."""
        arguments = call.args
        if not arguments or arguments[0].__class__ is not ast.Constant or arguments[0].value.__class__ is not str:
            self.error(node, "first argument of load statement must be a string literal")
            return self.place(ast.Pass(), node)
        bindings = self.load_bindings(call)
        if len(bindings) != len(arguments) - 1 + len(call.keywords):
            self.error(node, "load symbols must be string literals")
        elif not bindings:
            self.error(node, "expected at least one symbol to load")
        seen = set()
        for local, name, where in bindings:
            if not name.isidentifier():
                self.error(where, f"'{name}' is not a valid name")
            if name.startswith("_"):
                self.error(where, f"symbol '{name}' is private and cannot be imported")
            if local in seen:
                self.error(where, f"load statement defines '{local}' more than once")
            seen.add(local)
            self.literals.check_string(where if where.__class__ is ast.Constant else where.value)
        index = len(self.loads)
        self.loads.append(
            (arguments[0].value, tuple((local, name) for local, name, _ in bindings), self.location(arguments[0]))
        )
        if not bindings:
            return self.place(ast.Pass(), node)
        target = ast.Tuple(
            [self.place(ast.Name(self.globals[local], _STORE), node) for local, _, _ in bindings], _STORE
        )
        value = self.helper("%load", [self.place(ast.Constant(index), node)], node)
        return self.place(ast.Assign([self.place(target, node)], value), node)

    def body(self, nodes: list) -> list:
        result: list = []
        for node in nodes:
            result.extend(self.statement(node))
        return result

    def statement(self, node: Any) -> list:
        method = self.statements.get(node.__class__)
        if method is None:
            word = _STATEMENT_WORDS.get(node.__class__, "")
            self.error(node, f"syntax error at '{word}'" if word else "syntax error")
            return []
        return method(self, node)

    def pass_(self, node: Any) -> list:
        return [node]

    def expression_statement(self, node: Any) -> list:
        if _load_call(node) is not None and self.functions:
            self.error(node, "load statement not at top level")
            return []
        node.value = self.expression(node.value)
        return [node]

    def assign(self, node: Any) -> list:
        if len(node.targets) != 1:
            self.error(node, "syntax error at '=': assignments cannot be chained")
            return []
        value = self.expression(node.value)
        return self.store(node.targets[0], value, node)

    def store(self, target: Any, value: Any, at: Any) -> list:
        """Statements that assign `value` to `target`."""
        kind = target.__class__
        if kind is ast.Name:
            self.bound_name(target)
            return [self.place(ast.Assign([target], value), at)]
        if kind is ast.Tuple or kind is ast.List:
            return self.unpack(target, value, at)
        if kind is ast.Subscript:
            return self.store_item(target, value, at)
        if kind is ast.Attribute:
            name = self.place(ast.Constant(target.attr), target)
            call = self.helper("%setfield", [self.expression(target.value), name, value], target)
            return [self.place(ast.Expr(call), at)]
        self.error(target, "cannot assign to this expression")
        return []

    def bound_name(self, target: Any) -> None:
        if target.id in _NOT_GLOBAL:
            self.error(target, f"cannot assign to '{target.id}'")
        if not any(target.id in scope for scope in self.scopes):
            target.id = self.globals.get(target.id, target.id)

    def unpack(self, target: Any, value: Any, at: Any) -> list:
        elements = target.elts
        if value.__class__ is not ast.Tuple or len(value.elts) != len(elements):
            natural = value
            value = self.helper("%unpack", [value, self.place(ast.Constant(len(elements)), target)], at)
            if natural.__class__ is ast.Name and self.functions:
                length = self.helper("%len", [natural], at)
                fits = self.place(ast.Compare(length, [ast.Eq()], [self.place(ast.Constant(len(elements)), at)]), at)
                test = self._all([self._has_type(natural, "%tuple", at), fits], at)
                value = self._choice(test, natural, value, at)
        if not elements:
            return [self.place(ast.Expr(value), at)]
        after: list = []
        for position, element in enumerate(elements):
            if element.__class__ is ast.Name:
                self.bound_name(element)
            elif element.__class__ is ast.Starred:
                self.error(element, "syntax error at '*'")
            else:
                store, load = self.temporary(element)
                elements[position] = store
                after.extend(self.store(element, load, at))
        return [self.place(ast.Assign([target], value), at), *after]

    def store_item(self, target: Any, value: Any, at: Any) -> list:
        index = target.slice
        if index.__class__ is ast.Slice:
            self.error(target, "cannot assign to a slice")
            return []
        container = self.expression(target.value)
        index = self.expression(index)
        before: list = []
        if index.__class__ is ast.Constant and index.value.__class__ is str:
            target.value, target.slice = container, index
            return [self.place(ast.Assign([target], value), at)]
        if not _simple(value):
            store, load = self.temporary(at)
            before.append(self.place(ast.Assign([store], value), at))
            value = load
        call = self.place(ast.Expr(self.helper("%setitem", [container, index, value], target)), at)
        if not (self.functions and container.__class__ is ast.Name and _simple(index)):
            return [*before, call]
        target.value, target.slice = container, index
        natural = self.place(ast.Assign([target], value), at)
        test = self._key_test(index, at)
        return [*before, natural if test is None else self.place(ast.If(test, [natural], [call]), at)]

    def augmented_assign(self, node: Any) -> list:
        target = node.target
        name = _AUGMENTED.get(node.op.__class__)
        if name is None:
            self.error(node, "syntax error: unknown operator")
            return []
        if target.__class__ is ast.Subscript:
            if target.slice.__class__ is ast.Slice:
                self.error(target, "cannot assign to a slice")
                return []
            container_store, container = self.temporary(target)
            index_store, index = self.temporary(target)
            value = self.expression(node.value)
            before = [
                self.place(ast.Assign([container_store], self.expression(target.value)), node),
                self.place(ast.Assign([index_store], self.expression(target.slice)), node),
            ]
            old = self.helper("%index", [container, index], target)
            call = self.helper("%setitem", [container, index, self.helper(name, [old, value], node)], target)
            return [*before, self.place(ast.Expr(call), node)]
        if target.__class__ is ast.Attribute:
            store, load = self.temporary(target)
            before = [self.place(ast.Assign([store], self.expression(target.value)), node)]
            old = self.attribute(self.place(ast.Attribute(load, target.attr, _LOAD), target))
            target.value = load
            return [*before, *self.store(target, self.helper(name, [old, self.expression(node.value)], node), node)]
        if target.__class__ is not ast.Name:
            self.error(target, "cannot perform augmented assignment on this expression")
            return []
        read = self.name(self.place(ast.Name(target.id, _LOAD), target))
        self.bound_name(target)
        value = self.expression(node.value)
        return self.augment_name(node, name, target, read, value)

    def augment_name(self, node: Any, name: str, target: Any, read: Any, value: Any) -> list:
        natural = node.op.__class__ in (ast.Add, ast.Sub)
        if not natural or not self.functions:
            if not natural and name in ("%mul", "%mod", "%floordiv"):
                result = self.binary_operation(self.place(ast.BinOp(read, node.op, value), node), read, value)
            else:
                result = self.helper(name, [read, value], node)
            return [self.place(ast.Assign([target], result), node)]
        before: list = []
        if not _simple(value):
            store, load = self.temporary(value)
            before.append(self.place(ast.Assign([store], value), node))
            bare = self.never_bool(value)
            value = load
        else:
            bare = self.never_bool(value)
        tests = [*self._not_bool(read, read, node), *([] if bare else self._not_bool(value, value, node))]
        plain = self.place(ast.AugAssign(target, node.op, value), node)
        refuse = self.place(ast.Expr(self.helper(name, [read, value], node)), node)
        return [*before, self.place(ast.If(self._all(tests, node), [plain], [refuse]), node)]

    def annotated_assign(self, node: Any) -> list:
        self.annotation(node.annotation)
        if node.value is None:
            self.error(node, "syntax error: a declaration without a value")
            return []
        return self.store(node.target, self.expression(node.value), node)

    def jump(self, node: Any) -> list:
        if not self.loops:
            word = "break" if node.__class__ is ast.Break else "continue"
            self.error(node, f"{word} statement must be inside a for loop")
            return []
        return [node]

    def return_(self, node: Any) -> list:
        if not self.functions:
            self.error(node, "return statements must be inside a function")
            return []
        if node.value is not None:
            node.value = self.expression(node.value)
        return [node]

    def if_(self, node: Any) -> list:
        node.test = self.expression(node.test)
        node.body = self.body(node.body) or [self.place(ast.Pass(), node)]
        node.orelse = self.body(node.orelse)
        return [node]

    def for_(self, node: Any) -> list:
        if node.orelse:
            self.error(node, "syntax error at 'else': a for statement has no else clause")
        iterable = self.expression(node.iter)
        node.iter = self.helper("%each", [iterable], node.iter)
        before: list = []
        if node.target.__class__ is ast.Name:
            self.bound_name(node.target)
        else:
            store, load = self.temporary(node.target)
            before = self.store(node.target, load, node.target)
            node.target = store
        self.loops += 1
        node.body = [*before, *self.body(node.body)]
        self.loops -= 1
        return [node]

    def function(self, node: Any) -> list:
        if node.decorator_list:
            self.error(node.decorator_list[0], "syntax error at '@': decorators are not supported")
            node.decorator_list = []
        if getattr(node, "type_params", None):
            self.error(node, "syntax error at '['")
        if self.functions and not self.semantics.nested_functions:
            self.error(node, "nested functions are not allowed. Move the function to the top level.")
        if node.returns is not None:
            self.annotation(node.returns)
            node.returns = None
        names = self.parameters(node.args, node)
        variables = {name for name, _ in _bindings(node.body)} - names
        names |= variables
        outer = self.calls, self.loops
        inferred = self.ints, self.plain
        scopes = [*self.scopes, names]
        self.ints, self.plain = infer(
            node.body,
            variables,
            lambda name: name not in self.globals and not any(name in scope for scope in scopes),
        )
        self.calls, self.loops = False, 0
        self.functions += 1
        self.scopes.append(names)
        docstring = node.body[:1] if _is_docstring(node.body[0]) else []
        if docstring:
            self.constant(docstring[0].value)
        body = self.body(node.body[len(docstring) :]) or [self.place(ast.Pass(), node)]
        self.scopes.pop()
        self.functions -= 1
        self.ints, self.plain = inferred
        body = self.prologue(node, body)
        node.body = [*docstring, *body]
        self.calls, self.loops = outer
        target = ast.Name(node.name, _STORE)
        self.bound_name(self.place(target, node))
        if target.id == node.name:
            return [node]
        # A global that hides a predeclared name has another name in the compiled code; the function keeps its own.
        hidden = node.name
        value = self.place(ast.Name(hidden, _LOAD), node)
        return [node, self.place(ast.Assign([self.place(target, node)], value), node)]

    def prologue(self, node: Any, body: list) -> list:
        """The body with what must happen before it: the recursion check, **kwargs as a Dict."""
        before: list = []
        kwarg = node.args.kwarg
        if kwarg is not None:
            read = self.place(ast.Name(kwarg.arg, _LOAD), kwarg)
            store = self.place(ast.Name(kwarg.arg, _STORE), kwarg)
            before.append(self.place(ast.Assign([store], self.helper("%dict", [read], kwarg)), kwarg))
        if not self.calls or self.semantics.recursion:
            return [*before, *body]
        self.flags += 1
        flag = f"%active{self.flags}"

        def name(identifier: str, context: Any) -> Any:
            return self.place(ast.Name(identifier, context), node)

        def assign(target: str, value: Any) -> Any:
            return self.place(ast.Assign([name(target, _STORE)], value), node)

        check = self.place(ast.Expr(self.helper("%enter", [], node)), node)
        guarded = ast.Try(
            [assign(flag, self.place(ast.Constant(True), node)), *body],
            [],
            [],
            [assign(flag, name("%was", _LOAD))],
        )
        return [
            self.place(ast.Global([flag]), node),
            *before,
            assign("%was", name(flag, _LOAD)),
            self.place(ast.If(name("%was", _LOAD), [check], []), node),
            self.place(guarded, node),
        ]


Statements.statements = {
    ast.Expr: Statements.expression_statement,
    ast.Assign: Statements.assign,
    ast.AugAssign: Statements.augmented_assign,
    ast.AnnAssign: Statements.annotated_assign,
    ast.FunctionDef: Statements.function,
    ast.If: Statements.if_,
    ast.For: Statements.for_,
    ast.Return: Statements.return_,
    ast.Pass: Statements.pass_,
    ast.Break: Statements.jump,
    ast.Continue: Statements.jump,
}


_NOT_GLOBAL = frozenset({"__builtins__", "__debug__"})
_STATEMENT_WORDS = {
    ast.While: "while",
    ast.Try: "try",
    ast.ClassDef: "class",
    ast.Import: "import",
    ast.ImportFrom: "from",
    ast.Global: "global",
    ast.Nonlocal: "nonlocal",
    ast.Delete: "del",
    ast.Assert: "assert",
    ast.Raise: "raise",
    ast.With: "with",
    ast.AsyncFunctionDef: "async",
    ast.AsyncFor: "async",
    ast.AsyncWith: "async",
    ast.Match: "match",
}


def _is_docstring(node: Any) -> bool:
    return node.__class__ is ast.Expr and node.value.__class__ is ast.Constant and node.value.value.__class__ is str


def _load_call(node: Any) -> Any:
    """The call of a load statement, or None."""
    if node.__class__ is ast.Expr:
        call = node.value
        if call.__class__ is ast.Call and call.func.__class__ is ast.Name and call.func.id == "load":
            return call
    return None


def _bindings(body: list) -> list[tuple[str, Any]]:
    """(name, node) for what the statements bind in their own scope."""
    found: list[tuple[str, Any]] = []
    for node in body:
        kind = node.__class__
        if kind is ast.Assign:
            for each in node.targets:
                _add_names(each, found)
        elif kind is ast.AugAssign or kind is ast.AnnAssign:
            _add_names(node.target, found)
        elif kind is ast.FunctionDef:
            found.append((node.name, node))
        elif kind is ast.For:
            _add_names(node.target, found)
            found.extend(_bindings(node.body))
        elif kind is ast.If:
            found.extend(_bindings(node.body))
            found.extend(_bindings(node.orelse))
    return found


def _add_names(target: Any, found: list[tuple[str, Any]]) -> None:
    """Adds (name, node) for each name of the target of an assignment."""
    kind = target.__class__
    if kind is ast.Name:
        found.append((target.id, target))
    elif kind is ast.Tuple or kind is ast.List:
        for element in target.elts:
            _add_names(element, found)
