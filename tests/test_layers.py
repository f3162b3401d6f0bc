"""The order of the layers: a module imports lower ones only, function-level and TYPE_CHECKING imports included."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "bazel2ninja"

# lowest first; packages on one line are peers, blind to each other
LAYERS = [
    ["__init__"],
    ["records"],
    ["diagnostics"],
    ["labels", "filesystem", "testing"],
    ["starlark"],
    ["loading"],
    ["repositories"],
    ["system_libraries"],
    ["configuration"],
    ["analysis"],
    ["rules"],
    ["graph"],
    ["ninja", "crosscheck", "licensing", "debpkg", "profile_check"],
    ["query", "profile"],
    ["pipeline"],
    ["commands"],
    ["cli"],
    ["__main__"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}

# third-party packages, and the only places that may import them
THIRD_PARTY = {
    "networkx": {"graph"},
    "pyparsing": {"crosscheck", "configuration", "ninja"},
    "debian": {"licensing", "debpkg"},
    "license_expression": {"licensing"},
    "boolean": {"licensing"},
}


def modules() -> list[Path]:
    return sorted(path for path in ROOT.rglob("*.py") if "builtin_repositories" not in path.parts)


def layer_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imports(path: Path) -> list[tuple[int, str]]:
    """(line, dotted name) of everything that the file imports, at any depth."""
    found = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                package = ["bazel2ninja", *path.relative_to(ROOT).parent.parts]
                base = package[: len(package) - node.level + 1]
                found.append((node.lineno, ".".join([*base, *(node.module or "").split(".")]).rstrip(".")))
            elif node.module == "bazel2ninja":
                found += [(node.lineno, f"bazel2ninja.{alias.name}") for alias in node.names]
            elif node.module != "__future__":
                found.append((node.lineno, node.module or ""))
    return found


def violations(path: Path, layer: str, found: list[tuple[int, str]]) -> list[str]:
    wrong = []
    for line, name in found:
        parts = name.split(".")
        if parts[0] == "bazel2ninja":
            target = parts[1] if len(parts) > 1 else "__init__"
            target = "__init__" if target == "__version__" else target
            if target != layer and LEVEL[target] >= LEVEL[layer]:
                wrong.append(f"{path.name}:{line}: {layer} imports {name}, which is not below it")
        elif parts[0] in THIRD_PARTY and layer not in THIRD_PARTY[parts[0]]:
            wrong.append(f"{path.name}:{line}: {layer} imports {name}")
    return wrong


def test_every_module_has_a_layer() -> None:
    assert {layer_of(path) for path in modules()} <= set(LEVEL)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    assert violations(path, layer_of(path), imports(path)) == []


def test_the_check_bites() -> None:
    upwards = [(1, "bazel2ninja.rules.native"), (2, "networkx"), (3, "bazel2ninja.diagnostics")]
    assert len(violations(Path("x.py"), "loading", upwards)) == 2
    assert len(violations(Path("x.py"), "ninja", [(1, "bazel2ninja.crosscheck.compare")])) == 1
