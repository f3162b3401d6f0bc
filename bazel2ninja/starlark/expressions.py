"""Checking and rewriting of expressions: Python's tree of a Starlark text becomes the tree of a Python program that
computes what Starlark says.

The names of helpers begin with "%", which no identifier of a Starlark file can.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import ast
import math
from collections.abc import Callable, Collection, Mapping
from typing import Any, ClassVar, NoReturn

from ..diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from .literal_calls import Arguments
from .literals import Literals
from .semantics import Dialect, Semantics
from .strings import METHOD_NAMES
from .universe import universe_names

_BINARY = {
    ast.Add: "%add",
    ast.Sub: "%sub",
    ast.Mult: "%mul",
    ast.Div: "%div",
    ast.FloorDiv: "%floordiv",
    ast.Mod: "%mod",
    ast.LShift: "%shl",
    ast.RShift: "%shr",
    ast.BitOr: "%or",
    ast.BitAnd: "%and",
    ast.BitXor: "%xor",
}
_UNARY = {ast.USub: "%neg", ast.UAdd: "%pos", ast.Invert: "%inv"}
_COMPARE: dict[type, str] = {
    ast.Eq: "%eq",
    ast.NotEq: "%ne",
    ast.Lt: "%lt",
    ast.LtE: "%le",
    ast.Gt: "%gt",
    ast.GtE: "%ge",
    ast.In: "%in",
    ast.NotIn: "%notin",
}
# predeclared functions that are called where their name stands: what the name means depends on the package that is
# being loaded, not on the file that has it
_VARIABLE_CALLS = ("PACKAGE_NAME", "REPOSITORY_NAME")
_LOAD = ast.Load()
_LONG_CHAIN = 50  # additions in a row that are done by one helper: Python's compiler would recurse as deep
_RESERVED = frozenset({"__builtins__", "__debug__"})


# The method for each kind of node.
_METHODS: Mapping[type, str] = {
    ast.Name: "name",
    ast.Constant: "constant",
    ast.Call: "call",
    ast.Attribute: "attribute",
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.BinOp: "binary",
    ast.UnaryOp: "unary",
    ast.BoolOp: "boolean",
    ast.Compare: "comparison",
    ast.IfExp: "conditional",
    ast.Subscript: "subscript",
    ast.ListComp: "list_comprehension",
    ast.DictComp: "dict_comprehension",
    ast.Lambda: "lambda_",
}


class Expressions:
    """Rewrites expressions; collects errors instead of stopping at the first."""

    # Of the class: bound methods in an instance would be a cycle, and the collector of cycles is off.
    expressions: ClassVar[Mapping[type, Callable[[Any, Any], Any]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.expressions = {kind: getattr(cls, name) for kind, name in _METHODS.items()}

    def __init__(
        self,
        path: str,
        literals: Literals,
        dialect: Dialect,
        semantics: Semantics,
        predeclared: Collection[str],
    ):
        self.path = path
        self.literals = literals
        self.dialect = dialect
        self.semantics = semantics
        self.predeclared = predeclared
        self.universe = universe_names(semantics)
        self.helpers: dict[str, ast.Name] = {}
        self.globals: dict[str, str] = {}  # file-level name -> name in the compiled code
        self.scopes: list[set[str]] = []
        self.functions = 0  # how many function bodies enclose the current expression
        self.calls = False  # the current function calls something that might call it back
        self.errors: list[Diagnostic] = []
        self.lifted: dict[int, Arguments] = {}  # of calls that begin a line; the tree has them without
        self.literal_arguments: list[Arguments] = []  # the same, in the order of the compiled code

    def location(self, node: Any) -> Location:
        return Location(self.path, node.lineno, self.literals.column(node.lineno, node.col_offset))

    def error(self, node: Any, message: str, help: str | None = None) -> None:
        self.errors.append(Diagnostic(message, self.location(node), help=help))

    def fail(self, node: Any, message: str) -> NoReturn:
        raise WorkspaceError(Diagnostic(message, self.location(node)))

    def expression(self, node: Any) -> Any:
        """The rewritten form of any expression."""
        method = self.expressions.get(node.__class__)
        if method is None:
            self.error(node, _refusal(node))
            return node
        return method(self, node)

    def helper_name(self, name: str, at: Any) -> Any:
        """The name of a helper function: one node for all its calls, as only a call's own place is ever shown."""
        found = self.helpers.get(name)
        if found is None:
            found = self.helpers[name] = self.place(ast.Name(name, _LOAD), at)
        return found

    def helper(self, name: str, arguments: list, at: Any) -> Any:
        """A call of a helper function, at the place of `at`."""
        function = self.helper_name(name, at)
        call = ast.Call(function, arguments, [])
        call.lineno = at.lineno
        call.col_offset = at.col_offset
        call.end_lineno = at.end_lineno
        call.end_col_offset = at.end_col_offset
        return call

    def place(self, made: Any, at: Any) -> Any:
        """Gives a new node the place of another; returns it."""
        made.lineno = at.lineno
        made.col_offset = at.col_offset
        made.end_lineno = at.end_lineno
        made.end_col_offset = at.end_col_offset
        return made

    def name(self, node: Any) -> Any:
        name = node.id
        if name[0] == "%":
            return node  # a hidden variable of ours
        for scope in self.scopes:
            if name in scope:
                return node
        renamed = self.globals.get(name)
        if renamed is not None:
            node.id = renamed
        elif name in _VARIABLE_CALLS and name in self.predeclared and self.semantics.package_name_variables:
            return self.place(ast.Call(node, [], []), node)
        elif (name not in self.universe and name not in self.predeclared) or name in _VARIABLE_CALLS:
            candidates = [
                *self.globals,
                *self.universe,
                *self.predeclared,
                *(n for scope in self.scopes for n in scope),
            ]
            self.error(node, f"name '{name}' is not defined", suggestion(name, candidates))
        return node

    def constant(self, node: Any) -> Any:
        value = node.value
        kind = value.__class__
        if kind is str:
            if (
                node.end_col_offset - node.col_offset == len(value) + 2
                and self.literals.ascii
                and node.lineno == node.end_lineno
                and "\\" not in value
            ):
                return node  # a literal as long as its value has no escapes, and is one literal
            problem = self.literals.check_string(node)
            if problem:
                self.error(node, problem)
        elif kind is int:
            problem = self.literals.check_number(node)
            if problem:
                self.error(node, problem)
        elif kind is float:
            if not self.semantics.floats:
                self.error(node, "floating-point numbers are not supported by this Bazel release")
            elif value == math.inf:
                self.error(node, "floating-point literal too large")
        elif kind is bytes:
            self.error(node, "bytes literals are not supported")
        elif kind is complex or value is ...:
            self.error(node, "syntax error: invalid literal")
        return node

    def call(self, node: Any) -> Any:
        function = node.func
        expression = self.expression
        methods = self.expressions
        arguments = node.args
        starred = False
        for position, argument in enumerate(arguments):
            if argument.__class__ is ast.Starred:
                if starred:
                    self.error(argument, "*arg argument is misplaced")
                starred = True
                self.build_arguments(argument, "*args")
                argument.value = self.helper("%star", [expression(argument.value)], argument.value)
            else:
                if starred:
                    self.error(argument, "positional argument is misplaced (positional arguments come first)")
                arguments[position] = expression(argument)
        last: Any = None
        for keyword in node.keywords:
            if last is not None:
                self.error(keyword, "unexpected tokens after **kwargs argument")
            if keyword.arg is None:
                last = keyword
                self.build_arguments(keyword, "**kwargs")
                keyword.value = self.helper("%kwargs", [expression(keyword.value)], keyword.value)
            else:
                value = keyword.value
                method = methods.get(value.__class__)
                if method is None:
                    self.error(value, _refusal(value))
                else:
                    keyword.value = method(self, value)
        self.calls = True
        if self.lifted and not node.col_offset and not arguments:
            self.put_literals(node)
        if starred and node.keywords and _star_follows_keyword(node):
            return self.call_in_order(node)
        if function.__class__ is ast.Attribute:
            if function.attr in METHOD_NAMES:
                receiver = expression(function.value)
                arguments.insert(0, receiver)
                node.func = ast.Name(
                    "%m_" + function.attr,
                    _LOAD,
                    lineno=function.lineno,
                    col_offset=function.col_offset,
                    end_lineno=function.end_lineno,
                    end_col_offset=function.end_col_offset,
                )
                return node
            function.value = expression(function.value)
            function.attr = "s_" + function.attr
            return node
        node.func = expression(function)
        return node

    def put_literals(self, node: Any) -> None:
        """Gives a call the arguments that were lifted out of it, if there are any."""
        literals = self.lifted.get(node.lineno)
        if literals is None or node.func.__class__ is not ast.Name:
            return
        if any(given.arg in literals[::2] for given in node.keywords):
            return  # an error: what is not put back is
        del self.lifted[node.lineno]
        number = self.place(_constant(len(self.literal_arguments)), node)
        self.literal_arguments.append(literals)
        given = self.helper("%literals", [number], node)
        node.keywords.insert(0, self.place(ast.keyword(None, given), node))

    def call_in_order(self, node: Any) -> Any:
        """A call whose *args stands after keyword arguments, with its arguments evaluated as they stand."""
        positional = [argument for argument in node.args if argument.__class__ is not ast.Starred]
        star = next(argument.value for argument in node.args if argument.__class__ is ast.Starred)
        named = [keyword for keyword in node.keywords if keyword.arg is not None]
        rest = [keyword.value for keyword in node.keywords if keyword.arg is None]
        names = [self.place(ast.Constant(keyword.arg), keyword) for keyword in named]
        values = self.place(ast.Dict(list(names), [keyword.value for keyword in named]), node)
        star_star = rest[0] if rest else self.place(ast.Dict([], []), node)
        function = self.expression(node.func)
        first = self.place(ast.Tuple(positional, _LOAD), node)
        return self.helper("%call", [function, first, values, star, star_star], node)

    def build_arguments(self, node: Any, what: str) -> None:
        if self.dialect is Dialect.BUILD and not self.semantics.build_star_arguments:
            self.error(node, f"{what} arguments are not allowed in BUILD files. Pass the arguments in explicitly.")

    def attribute(self, node: Any) -> Any:
        value = self.expression(node.value)
        if node.attr in METHOD_NAMES:
            return self.helper("%attr", [value, self.place(ast.Constant(node.attr), node)], node)
        node.value = value
        node.attr = "s_" + node.attr
        return node

    def elements(self, node: Any) -> list:
        elements = node.elts
        methods = self.expressions
        for position, element in enumerate(elements):
            method = methods.get(element.__class__)
            if method is None:
                self.error(element, _refusal(element))
            else:
                elements[position] = method(self, element)
        return elements

    def list(self, node: Any) -> Any:
        if not node.elts:
            return self.helper("%list", [], node)
        values: Any = []
        plain_text = self.literals.ascii
        for element in node.elts:
            if element.__class__ is not ast.Constant:
                values = None
                break
            value = element.value
            if not (
                plain_text
                and value.__class__ is str
                and (element.end_col_offset or 0) - element.col_offset == len(value) + 2
                and element.lineno == element.end_lineno
                and "\\" not in value
            ):  # as in `constant`, which this spares the long lists of a BUILD file
                value = self.constant(element).value
            values.append(value)
        if values is None:
            self.elements(node)
            node.__class__ = ast.Tuple  # the List constructor copies it
            return self.helper("%list", [node], node)
        # A new node costs as much as the rest of this: the list's own becomes the call, its first element the argument.
        first = node.elts[0]
        first.value = tuple(values)
        node.__class__ = ast.Call
        node.func = self.helper_name("%list", node)
        node.args = [first]
        node.keywords = []
        return node

    def tuple(self, node: Any) -> Any:
        self.elements(node)
        return node

    def dict(self, node: Any) -> Any:
        seen = set()
        simple = True
        expression = self.expression
        for position, key in enumerate(node.keys):
            if key is None:
                self.error(node, "syntax error: ** in a dict display")
                return node
            if key.__class__ is ast.Constant and key.value.__class__ is str:
                if key.value in seen:
                    simple = False
                seen.add(key.value)
            else:
                simple = False
            node.keys[position] = expression(key)
            node.values[position] = expression(node.values[position])
        if simple:
            return self.helper("%dict", [node] if node.keys else [], node)
        pairs = [part for pair in zip(node.keys, node.values, strict=True) for part in pair]
        return self.helper("%display", pairs, node)

    def binary(self, node: Any) -> Any:
        # A long chain a + b + c is a left-leaning tree as deep as it is long: walk down it in a loop.
        chain = [node]
        while chain[-1].left.__class__ is ast.BinOp:
            chain.append(chain[-1].left)
        left = self.expression(chain[-1].left)
        if len(chain) > _LONG_CHAIN and all(link.op.__class__ is ast.Add for link in chain):
            return self.helper("%sum", [left, *(self.expression(link.right) for link in reversed(chain))], node)
        for link in reversed(chain):
            right = self.expression(link.right)
            left = self.binary_operation(link, left, right)
        return left

    def binary_operation(self, node: Any, left: Any, right: Any) -> Any:
        name = _BINARY.get(node.op.__class__)
        if name is None:
            self.error(node, "syntax error: unknown operator")
            return node
        return self.helper(name, [left, right], node)

    def unary(self, node: Any) -> Any:
        operand = self.expression(node.operand)
        if node.op.__class__ is ast.Not:
            node.operand = operand
            return node
        if (
            node.op.__class__ is ast.USub
            and operand.__class__ is ast.Constant
            and operand.value.__class__ in (int, float)
        ):
            node.operand = operand
            return node
        return self.helper(_UNARY[node.op.__class__], [operand], node)

    def boolean(self, node: Any) -> Any:
        node.values = [self.expression(value) for value in node.values]
        return node

    def comparison(self, node: Any) -> Any:
        if len(node.ops) > 1:
            self.error(node, "comparison operators are not associative: use parentheses")
            return node
        name = _COMPARE.get(node.ops[0].__class__)
        if name is None:
            self.error(node, "syntax error at 'is': no such operator")
            return node
        return self.helper(name, [self.expression(node.left), self.expression(node.comparators[0])], node)

    def compare_helper(self, node: Any, operator: type, left: Any, right: Any) -> Any:
        """A comparison of rewritten operands by the helper function."""
        name = _COMPARE.get(operator)
        if name is None:
            self.error(node, "syntax error at 'is': no such operator")
            return node
        return self.helper(name, [left, right], node)

    def conditional(self, node: Any) -> Any:
        node.test = self.expression(node.test)
        node.body = self.expression(node.body)
        node.orelse = self.expression(node.orelse)
        return node

    def subscript(self, node: Any) -> Any:
        value = self.expression(node.value)
        index = node.slice
        if index.__class__ is ast.Slice:
            none = self.place(ast.Constant(None), node)
            parts = [none if part is None else self.expression(part) for part in (index.lower, index.upper, index.step)]
            return self.helper("%slice", [value, *parts], node)
        return self.helper("%index", [value, self.expression(index)], node)

    def target_names(self, target: Any, names: set[str]) -> None:
        """Adds the variables that an assignment target binds; reports what cannot be assigned to."""
        kind = target.__class__
        if kind is ast.Name:
            if target.id in _RESERVED:
                self.error(target, f"cannot assign to '{target.id}'")
            names.add(target.id)
        elif kind is ast.Tuple or kind is ast.List:
            for element in target.elts:
                self.target_names(element, names)
        elif kind is not ast.Subscript:
            self.error(target, "cannot assign to this expression")

    def comprehension(self, node: Any, parts: Callable[[], None]) -> None:
        """Rewrites the clauses; `parts` rewrites the element where all variables are known."""
        first = True
        names: set[str] = set()
        for clause in node.generators:
            if clause.is_async:
                self.error(node, "syntax error at 'async'")
            iterable = self.expression(clause.iter)
            clause.iter = self.helper("%each", [iterable], clause.iter)
            if first:
                # A later clause may name a variable that a still later one binds.
                for each in node.generators:
                    self.target_names(each.target, names)
                self.scopes.append(names)
                first = False
            clause.target = self.comprehension_target(clause)
            clause.ifs = [self.expression(condition) for condition in clause.ifs]
        parts()
        self.scopes.pop()

    def comprehension_target(self, clause: Any) -> Any:
        target = clause.target
        if target.__class__ is ast.Subscript:
            self.error(target, "cannot assign to an element in a comprehension")
        elif target.__class__ is not ast.Name:
            count = self.place(ast.Constant(len(target.elts)), target)
            clause.iter = self.helper("%eachof", [clause.iter, count], clause.iter)
        return target

    def list_comprehension(self, node: Any) -> Any:
        def parts() -> None:
            node.elt = self.expression(node.elt)

        self.comprehension(node, parts)
        return self.helper("%list", [node], node)

    def dict_comprehension(self, node: Any) -> Any:
        pair = self.place(ast.Tuple([], _LOAD), node)

        def parts() -> None:
            pair.elts = [self.expression(node.key), self.expression(node.value)]

        self.comprehension(node, parts)
        return self.helper("%dictcomp", [self.place(ast.ListComp(pair, node.generators), node)], node)

    def parameters(self, arguments: Any, node: Any) -> set[str]:
        """Checks a parameter list and rewrites its defaults, in the enclosing scope; gives the names."""
        names: set[str] = set()
        if arguments.posonlyargs:
            self.error(node, "syntax error at '/': positional-only parameters do not exist")
        for argument in (*arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg):
            if argument is None:
                continue
            if argument.arg in _RESERVED:
                self.error(argument, f"cannot assign to '{argument.arg}'")
            if argument.arg in names:
                self.error(argument, f"duplicate parameter: {argument.arg}")
            names.add(argument.arg)
            if argument.annotation is not None:
                self.annotation(argument.annotation)
                argument.annotation = None
        arguments.defaults = [self.expression(default) for default in arguments.defaults]
        arguments.kw_defaults = [None if d is None else self.expression(d) for d in arguments.kw_defaults]
        return names

    def annotation(self, node: Any) -> None:
        if not self.semantics.type_annotations:
            self.error(node, "syntax error at ':': type annotations are disallowed")

    def lambda_(self, node: Any) -> Any:
        if self.dialect is Dialect.BUILD:
            self.error(
                node,
                "functions may not be defined in BUILD files. You may move the function to a .bzl file and load it.",
            )
        elif not self.semantics.nested_functions:
            self.error(node, "lambda is not supported by this Bazel release")
        names = self.parameters(node.args, node)
        outer, self.calls = self.calls, False
        self.functions += 1
        self.scopes.append(names)
        body = self.expression(node.body)
        self.scopes.pop()
        self.functions -= 1
        if self.calls and not self.semantics.recursion:
            body = self.place(ast.BoolOp(ast.Or(), [self.helper("%enter", [], node.body), body]), node.body)
        kwarg = node.args.kwarg
        if kwarg is not None:  # (kwargs := Dict(kwargs), body)[1]
            self.calls = True
            read = self.place(ast.Name(kwarg.arg, _LOAD), kwarg)
            store = self.place(ast.Name(kwarg.arg, ast.Store()), kwarg)
            bound = self.place(ast.NamedExpr(store, self.helper("%dict", [read], kwarg)), kwarg)
            both = self.place(ast.Tuple([bound, body], _LOAD), body)
            body = self.place(ast.Subscript(both, self.place(ast.Constant(1), body), _LOAD), body)
        node.body = body
        self.calls = outer or self.calls
        return node


_REFUSALS = {
    ast.JoinedStr: "f-strings are not supported",
    ast.NamedExpr: "syntax error at ':=': assignment is a statement",
    ast.Set: "syntax error: set displays are not supported; use set([...])",
    ast.SetComp: "syntax error: set comprehensions are not supported; use set([...])",
    ast.GeneratorExp: "syntax error at 'for': generator expressions are not supported",
    ast.Await: "syntax error at 'await'",
    ast.Yield: "syntax error at 'yield'",
    ast.YieldFrom: "syntax error at 'yield'",
    ast.Starred: "syntax error at '*'",
    ast.Slice: "syntax error at ':'",
}


def _star_follows_keyword(node: Any) -> bool:
    star = next(argument for argument in node.args if argument.__class__ is ast.Starred)
    first = next((keyword for keyword in node.keywords if keyword.arg is not None), star)
    return (first.lineno, first.col_offset) < (star.lineno, star.col_offset)


def _constant(value: Any) -> ast.Constant:
    return ast.Constant(value)


def _refusal(node: Any) -> str:
    return _REFUSALS.get(node.__class__, "syntax error")
