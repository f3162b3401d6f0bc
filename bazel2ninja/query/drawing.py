"""Pictures of a dependency graph: Graphviz's dot, SVG and HTML without anything to fetch.

Targets stand in columns: a target is left of all that it needs, so every arrow points to the right.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from xml.sax.saxutils import escape, quoteattr

from bazel2ninja.records import dataclass

_ROW, _GAP, _CHARACTER, _MARGIN = 26, 90, 7.2, 20  # pixels


@dataclass(frozen=True, slots=True)
class Network:
    """kinds: label -> kind; edges: label -> labels it needs.  Both sorted, so that equal graphs give equal pictures."""

    kinds: Mapping[str, str]
    edges: Mapping[str, tuple[str, ...]]


Format = Callable[[Network, str], str]


def dot(network: Network, title: str) -> str:
    """Graphviz's language, https://graphviz.org/doc/info/lang.html."""
    lines = [f"digraph {_quoted(title)} {{", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f"  {_quoted(label)} [tooltip={_quoted(kind)}];" for label, kind in network.kinds.items()]
    lines += [f"  {_quoted(start)} -> {_quoted(end)};" for start, ends in network.edges.items() for end in ends]
    return "\n".join([*lines, "}"]) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def columns(network: Network) -> dict[str, int]:
    """Column of each label: the length of the longest chain of targets that leads to it."""
    incoming = dict.fromkeys(network.kinds, 0)
    for ends in network.edges.values():
        for end in ends:
            incoming[end] += 1
    column = dict.fromkeys(network.kinds, 0)
    ready = [label for label, count in incoming.items() if not count]
    for label in ready:  # grows while it is read
        for end in network.edges.get(label, ()):
            column[end] = max(column[end], column[label] + 1)
            incoming[end] -= 1
            if not incoming[end]:
                ready.append(end)
    return column


def svg(network: Network, title: str) -> str:
    """A drawing that any browser shows; a box has its kind as tooltip and colour."""
    column = columns(network)
    members: dict[int, list[str]] = {}
    for label in network.kinds:
        members.setdefault(column[label], []).append(label)
    place: dict[str, tuple[float, float, float]] = {}
    x = float(_MARGIN)
    for number in sorted(members):
        width = max(len(label) for label in members[number]) * _CHARACTER + 12
        for row, label in enumerate(_ordered(members[number], network, place)):
            place[label] = (x, _MARGIN + row * _ROW, width)
        x += width + _GAP
    height = max((top for _, top, _ in place.values()), default=0) + _ROW + _MARGIN
    body = [_edge(place[start], place[end]) for start, ends in network.edges.items() for end in ends]
    body += [_box(label, network.kinds[label], place[label]) for label in network.kinds]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{x:.0f}" height="{height:.0f}" '
        f'font-family="monospace" font-size="12"><title>{escape(title)}</title>\n' + "\n".join(body) + "\n</svg>\n"
    )


def _ordered(labels: list[str], network: Network, place: Mapping[str, tuple[float, float, float]]) -> list[str]:
    """Near what needs them, so that arrows are short."""
    rows: dict[str, list[float]] = {}
    for start, ends in network.edges.items():
        if start in place:
            for end in ends:
                rows.setdefault(end, []).append(place[start][1])
    return sorted(labels, key=lambda label: (sum(rows.get(label, [0.0])) / len(rows.get(label, [0.0])), label))


def _box(label: str, kind: str, place: tuple[float, float, float]) -> str:
    x, y, width = place
    return (
        f'<g class="node" data-label={quoteattr(label)}><title>{escape(kind)} {escape(label)}</title>'
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="20" rx="3" fill="{_colour(kind)}" stroke="#555"/>'
        f'<text x="{x + 6:.0f}" y="{y + 14:.0f}">{escape(label)}</text></g>'
    )


def _edge(start: tuple[float, float, float], end: tuple[float, float, float]) -> str:
    x, y = start[0] + start[2], start[1] + 10
    return (
        f'<path d="M{x:.0f},{y:.0f} C{x + 40:.0f},{y:.0f} {end[0] - 40:.0f},{end[1] + 10:.0f} '
        f'{end[0]:.0f},{end[1] + 10:.0f}" fill="none" stroke="#999"/>'
    )


def _colour(kind: str) -> str:
    for word, colour in (
        ("test", "#fde2c8"),
        ("binary", "#cfe8cf"),
        ("library", "#d5e3f5"),
        ("file", "#eeeeee"),
        ("genrule", "#f3d9ef"),
    ):
        if word in kind:
            return colour
    return "#fff8d0"


def html(network: Network, title: str) -> str:
    """A page with the drawing, a search field, and for a target that is clicked what it needs and what needs it."""
    data = json.dumps({"kinds": network.kinds, "edges": network.edges}, ensure_ascii=False).replace("<", "\\u003c")
    return _PAGE.replace("TITLE", escape(title)).replace("DRAWING", svg(network, title)).replace("DATA", data)


_PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>TITLE</title><style>
body { font: 14px sans-serif; margin: 0; display: flex; flex-direction: column; height: 100vh }
header { padding: 8px; border-bottom: 1px solid #ccc } main { display: flex; flex: 1; min-height: 0 }
#picture { overflow: auto; flex: 1 } #side { width: 26em; overflow: auto; padding: 8px; border-left: 1px solid #ccc }
.node { cursor: pointer } .faint { opacity: 0.2 } li { font-family: monospace; cursor: pointer }
</style></head><body>
<header><label>Find <input id="find" size="50" autofocus></label> <span id="count"></span></header>
<main><div id="picture">DRAWING</div><div id="side">Choose a target.</div></main>
<script>
const data = DATA;
const users = {};
for (const [start, ends] of Object.entries(data.edges)) for (const end of ends) (users[end] ||= []).push(start);
const nodes = [...document.querySelectorAll(".node")];
const side = document.getElementById("side");
function list(title, labels) {
  const heading = document.createElement("h4"); heading.textContent = `${title} (${labels.length})`;
  const items = document.createElement("ul");
  for (const label of labels) {
    const item = document.createElement("li"); item.textContent = label; item.tabIndex = 0;
    item.onclick = () => show(label);
    item.onkeydown = event => { if (event.key === "Enter") show(label); };
    items.append(item);
  }
  side.append(heading, items);
}
function show(label) {
  side.replaceChildren();
  const heading = document.createElement("h3"); heading.textContent = label;
  const kind = document.createElement("p"); kind.textContent = data.kinds[label];
  side.append(heading, kind);
  list("needs", data.edges[label] || []);
  list("needed by", users[label] || []);
  const near = new Set([label, ...(data.edges[label] || []), ...(users[label] || [])]);
  for (const node of nodes) node.classList.toggle("faint", !near.has(node.dataset.label));
  nodes.find(node => node.dataset.label === label)?.scrollIntoView({block: "center", inline: "center"});
}
for (const node of nodes) {
  node.setAttribute("tabindex", "0");
  node.onclick = () => show(node.dataset.label);
  node.onkeydown = event => { if (event.key === "Enter") show(node.dataset.label); };
}
document.getElementById("find").oninput = event => {
  const text = event.target.value;
  let found = 0;
  for (const node of nodes) {
    const hit = node.dataset.label.includes(text);
    found += hit;
    node.classList.toggle("faint", !hit);
  }
  document.getElementById("count").textContent = text ? `${found} targets` : "";
};
</script></body></html>
"""
