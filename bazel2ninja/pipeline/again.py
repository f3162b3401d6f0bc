"""A manifest again after an edit of BUILD files: what the edit reaches is analysed and lowered, the rest stays.

The result is what a whole run would make, byte for byte.  Wherever the record of the last run cannot tell what an edit
means, or something is wrong with what is analysed, there is no result, and the whole run says what there is to say.
"""

from __future__ import annotations

import operator
import os
from collections.abc import Iterator, Mapping, Sequence

from bazel2ninja.analysis.action import FailAction, TestAction
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.target import Package, SourceFile
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.cpp import named_libraries
from bazel2ninja.ninja.manifest import Manifest, Names, Regeneration, compose
from bazel2ninja.ninja.parts import Part, side_files
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.ninja.regeneration import State
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.pipeline import build, changes, manifest, record
from bazel2ninja.pipeline.changes import Steps, UnusableRecordError
from bazel2ninja.pipeline.manifest import Wishes
from bazel2ninja.pipeline.packaging import Packaging
from bazel2ninja.pipeline.reassembly import Reassembly
from bazel2ninja.pipeline.record import Record, Root, repository_of
from bazel2ninja.pipeline.session import Session


class Again:
    """One such run, on a session of its own."""

    def __init__(self, session: Session, wishes: Wishes, packaging: Packaging, state: State, known: Record):
        self.session = session
        self.wishes = wishes
        self.state = state
        self.known = known
        self._affected: set[int] = set()  # steps that the edit may change
        self._packaging = packaging
        self._changed: tuple[str, ...] = ()
        self._packages: set[str] = set()  # those that were loaded because of the edit
        self._definitions: dict[str, dict[str, str]] = {}
        self._matches = build.Matches()
        self._expanded: list[Label] = []
        self._steps = Steps(known, set())
        self._roots: dict[str, Root] = {}
        self._skipped: set[str] = set()
        self._sources: list[str] = []  # labels of source files that were not known
        self._kept: list[Part] = []
        self._makers: dict[str, int] = {}  # key of a part -> step, of what was made in this run
        self._unbuilt: dict[str, int] = {}
        self._failing: dict[str, set[int]] = {}

    @property
    def skipped(self) -> int:
        """How many targets are incompatible with the target platform."""
        return len(self._skipped)

    def make(self, changed: Sequence[str]) -> Manifest:
        """The manifest; nothing is written yet.  changed: the paths of `State.changes`.

        Raises UnusableRecordError, or WorkspaceError for what a whole run would not pass either.
        """
        session, known = self.session, self.known
        self._changed = tuple(changed)
        self._packages, directories = changes.renewed_packages(known, self.state, changed)
        session.loader.recall = self._recall
        labels, unseen = changes.changed_labels(session, known, sorted(self._packages), self._definitions)
        configuration = session.configurations.target
        self._affected, alone = changes.affected_steps(known, labels, unseen, changed, configuration.mnemonic)
        fresh = self._analyse(directories)
        for label in alone:
            session.analyzer.configured_target(label, configuration)
        incomplete = session.loader.incomplete or record.leaves_out(session, self._matches)
        if session.analyzer.steps.failed or incomplete:
            raise UnusableRecordError
        if not session.analyzer.analysed_repositories() <= {repository_of(name[1]) for name in known.steps}:
            raise UnusableRecordError  # libraries of the system may not go with it, see Session.check_mixture
        self._take_steps()
        context, again = self._context()
        self._look_at_sources(context.mapper, directories)
        prefix = self._take_roots(context.mapper, fresh)
        reassembly = self._offer(context)
        names = self._names(prefix)
        requested = [*self._requested(names, context.mapper)]
        lost = [key for key, part in known.parts.items() if not reassembly.is_kept(part.outputs[0])]
        if self._asks_for_as_much() and not reassembly.replace(known.parts, lost):
            context, again = self._context()  # what has been lowered may be of no use
            reassembly = self._offer(context)
        reassembly.need(requested)
        body = reassembly.body(known.variables)
        made = {path for action in session.analyzer.actions for path in reassembly.paths_if_lowered(action)}
        self._unbuilt = {path: maker for path, maker in self._unbuilt.items() if path not in made}
        self._keep_side_files(
            context.side_files, [part for key, part in body.parts.items() if key not in reassembly.lowered]
        )
        return compose(context, body, names, again)

    def _recall(self, identifier: PackageIdentifier) -> Package | None:
        text = str(identifier)
        known = self.known.packages.get(text)
        return record.recalled(self.session, known) if known is not None and text not in self._packages else None

    def _context(self) -> tuple[Context, Regeneration]:
        session = self.session
        context, again = manifest.context_of(session, self.wishes, session.analyzer.generating_action)
        context.named = self.known.named
        if context.other_machines.suffixes:
            raise UnusableRecordError  # nobody has looked at all configurations
        return context, again

    def _analyse(self, directories: Sequence[str]) -> list[build.TopLevel]:
        """Analyses the roots that the edit reaches; fills the others in from the record."""
        session, known = self.session, self.known
        matches = self._matches = record.known_matches(known, self._packages)
        if directories:
            matches.packages.clear()  # there may be more of them, or fewer
        labels, named, failures = build.wanted_labels(session, session.targets, matches=matches)
        covered = {pattern: list(map(str, packages)) for pattern, packages in matches.packages.items()}
        if failures or covered != known.covered:
            raise UnusableRecordError
        self._expanded = build.with_suites_expanded(session, labels, failures, False, matches)
        configuration = session.configurations.target
        fresh = []
        for label in self._expanded:
            text = str(label)
            number = known.steps.get(("target", text, configuration.mnemonic, ""), -1)
            if number in self._affected or not (text in known.roots or text in known.skipped):
                target = session.analyzer.configured_target(label, configuration)
                if target.incompatibility is None:
                    fresh.append(build.top_level(label, target))
                elif label in named:
                    raise UnusableRecordError
                else:
                    self._skipped.add(text)
            else:
                self._keep_root(text)
        return fresh

    def _keep_root(self, text: str) -> None:
        if text in self.known.roots:
            self._roots[text] = self.known.roots[text]
        else:
            self._skipped.add(text)

    def _take_steps(self) -> None:
        """Puts what was analysed in the place of what the edit has reached."""
        taken = self.session.analyzer.steps
        steps = self._steps = Steps(self.known, self._affected)
        keys = dict.fromkeys(taken.requests)
        for asked in taken.requests.values():
            keys.update(dict.fromkeys(asked))
        names = {key: record.step_name(key) for key in keys}
        if len(set(names.values())) != len(names) or any(name[3] == "?" for name in names.values()):
            raise UnusableRecordError
        numbers = {key: steps.number(name) for key, name in names.items()}
        for key in taken.requests:
            number = numbers[key]
            if number in steps.affected:
                steps.asked[number] = [numbers[each] for each in taken.requests[key]]
                if key[0] == "target" and isinstance(taken.results[key].target, SourceFile):
                    self._sources.append(str(taken.results[key].actual))
        mnemonic = self.session.configurations.target.mnemonic
        steps.look([steps.number(("target", str(label), mnemonic, "")) for label in self._expanded])
        if not (steps.live & self._affected).issubset(numbers.values()):
            raise UnusableRecordError

    def _look_at_sources(self, mapper: PathMapper, directories: Sequence[str]) -> None:
        """A source file that is missing makes a warning, which is a whole run's affair."""
        root = self.session.request.output_root
        wanted = set(self._sources)
        if directories:
            live = {name[1] for name, number in self._steps.numbers.items() if number in self._steps.live}
            wanted |= live.intersection(self.known.sources)
        paths = [mapper.path(record.label_of(text).exec_path) for text in wanted]
        if not all(os.path.exists(os.path.join(root, path)) for path in paths):
            raise UnusableRecordError

    def _take_roots(self, mapper: PathMapper, fresh: Sequence[build.TopLevel]) -> str:
        """Adds what was analysed to the roots; returns the prefix of what is installed."""
        session = self.session
        installation = self._packaging.installation(session, fresh)
        if installation.by_target is None or installation.actions:
            raise UnusableRecordError
        tests = {
            action.owner
            for action in session.analyzer.actions
            if isinstance(action, TestAction) and manifest.test_wanted(action, session)
        }
        for top in fresh:
            installed = []
            for path in installation.by_target.get(top.label, ()):
                artifact, mode = installation.files[path]
                installed.append((mapper.node(artifact), mapper.path(artifact.exec_path), path, mode))
            actual = top.target.actual
            self._roots[str(top.label)] = Root(
                tuple(dict.fromkeys(mapper.nodes(top.made))),
                top.testonly,
                tuple(installed),
                str(actual) if actual in tests else "",
                str(actual),
            )
        return installation.prefix

    def _offer(self, context: Context) -> Reassembly:
        """The parts that stay, and the actions that were made again."""
        known, steps, analyzer = self.known, self._steps, self.session.analyzer
        self._kept, self._makers = [], {}
        gone = {number for number in known.steps.values() if number not in steps.live} | steps.affected
        for key, part in known.parts.items():
            if known.makers[key] not in gone:
                self._kept.append(part)
            elif not known.shared.isdisjoint(part.outputs):
                raise UnusableRecordError
        reassembly = Reassembly(context, self._kept, known.sets)
        others = {path: maker for path, maker in known.unbuilt.items() if maker not in gone}
        self._unbuilt = dict(others)
        self._failing = {path: makers - gone for path, makers in known.failing.items()}
        if not known.shared.issuperset(artifact.exec_path for artifact in analyzer.shared):
            raise UnusableRecordError
        for action, maker in zip(analyzer.actions, analyzer.makers, strict=True):
            number = -1 if maker is None else steps.numbers[record.step_name(maker)]
            nodes = context.mapper.nodes(action.outputs)
            paths = [output.exec_path for output in action.outputs]
            if number in steps.affected:
                if any(map(reassembly.is_kept, nodes)) or not known.shared.isdisjoint(paths):
                    raise UnusableRecordError
                if any(path in others for path in paths):
                    raise UnusableRecordError
                self._unbuilt.update(dict.fromkeys(paths, number))
                if isinstance(action, FailAction) and action.location:
                    self._failing.setdefault(action.location.path, set()).add(number)
            if not any(map(reassembly.is_kept, nodes)):
                self._makers[paths[0]] = number
                reassembly.offer(action)
        return reassembly

    def _asks_for_as_much(self) -> bool:
        """Whether everything that was asked for still is."""
        for text, old in self.known.roots.items():
            new = self._roots.get(text)
            if new is None:
                return False
            if new is not old and not (
                set(old.nodes) <= set(new.nodes)
                and set(old.installed) <= set(new.installed)
                and old.actual == new.actual
                and (old.test == new.test)
            ):
                return False
        return True

    def _names(self, prefix: str) -> Names:
        """What a person can ask ninja for; as in `manifest.make`."""
        plain = [label for label in map(record.label_of, self._roots) if not self._roots[str(label)].testonly]
        files: dict[str, tuple[str, str, str, str]] = {}
        for label in sorted(plain, key=operator.attrgetter("order")):
            for entry in self._roots[str(label)].installed:
                if files.setdefault(entry[2], entry) != entry:
                    raise UnusableRecordError
        return Names(
            labels={record.label_of(text): root.nodes for text, root in self._roots.items()},
            default=[] if self.session.options.run.get("build_tests_only") else plain,
            tests=[record.label_of(root.test) for root in self._roots.values() if root.test],
            install=list(files.values()),
            prefix=prefix,
            also=[entry[0] for entry in files.values()] if prefix else (),
        )

    def _requested(self, names: Names, mapper: PathMapper) -> Iterator[str]:
        """The nodes that the manifest is for."""
        for nodes in names.labels.values():
            yield from nodes
        yield from (entry[0] for entry in names.install)
        wanted = {root.actual for root in self._roots.values()}
        for part in self._kept:
            if part.test is not None and part.test.label in wanted:
                yield from part.outputs
        for action in self.session.analyzer.actions:
            if isinstance(action, TestAction) and str(action.owner) in wanted:
                yield from mapper.nodes(action.outputs)

    def _keep_side_files(self, files: SideFiles, kept: Sequence[Part]) -> None:
        root = self.session.request.output_root
        paths = side_files(kept)
        try:
            if any(os.stat(os.path.join(root, path)).st_size != self.known.sizes[path] for path in paths):
                raise UnusableRecordError
        except OSError:
            raise UnusableRecordError from None
        files.keep(paths)

    def record(self, made: Manifest, names: Mapping[str, str]) -> Record:
        """What the next run may know; names: path as the process opens it -> in the state."""
        session, known, matches = self.session, self.known, self._matches
        steps, asked, numbers = self._steps.compact()
        packages = dict(known.packages)
        for identifier, package in session.loader.packages.items():
            text = str(identifier)
            path = record.build_file(package)
            if path in names and (text in self._packages or text not in packages):
                packages[text] = record.known_package(session, package, names[path], self._definitions.get(text))
        body = made.body
        makers = {key: numbers[self._makers[key] if key in self._makers else known.makers[key]] for key in body.parts}
        return Record(
            packages=packages,
            steps=steps,
            asked=asked,
            nested={numbers[each] for each in known.nested if each in numbers}
            | {steps[name] for key in session.analyzer.steps.nested if (name := record.step_name(key)) in steps},
            consulted=known.consulted | record.consulted(session),
            parts=dict(body.parts),
            makers=makers,
            variables=body.variables,
            sets={name: tuple(nodes) for name, nodes in body.sets.items()},
            unbuilt={path: numbers[maker] for path, maker in self._unbuilt.items() if maker in numbers},
            shared=known.shared,
            failing={
                names.get(path, path): {numbers[each] for each in given if each in numbers}
                for path, given in self._failing.items()
            },
            roots=self._roots,
            skipped=self._skipped,
            covered={pattern: list(map(str, packages)) for pattern, packages in matches.packages.items()},
            matched={(pattern, str(package)): given for (pattern, package), given in matches.names.items()},
            expansions=record.expansions_of(matches),
            directories={
                **known.directories,
                **{names[path]: path for path, kind in session.filesystem.reads.items() if kind == "directory"},
            },
            sources=[*dict.fromkeys((*known.sources, *self._sources))],
            sizes={**known.sizes, **{path: len(content) for path, content in made.side_files.files.items()}},
            named=named_libraries(session.analyzer.actions, session.analyzer.generating_action, known.named),
        )
