"""Every distinct notice classified once, with the answers kept by content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from bazel2ninja.licensing import references
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.matching import Classification, classify
from bazel2ninja.licensing.notices import Notice


def classify_all(
    notices: Iterable[tuple[Notice, bool]],
    cache: Cache,
    directory: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Classification]:
    """digest -> Classification of each distinct notice; the flag says that it stands in a licence file.

    The references are only loaded when the cache lacks an answer: that takes longer than everything else then.
    """
    texts: dict[str, tuple[str, bool]] = {}
    for notice, whole in notices:
        key = notice.digest + ("w" if whole else "")
        texts.setdefault(key, (notice.text, whole))
    return classify_texts(texts, cache, directory, progress)


def classify_texts(
    texts: Mapping[str, tuple[str, bool]],
    cache: Cache,
    directory: Path,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Classification]:
    """The same for normalised words by key; the flag says that they are a licence file's."""
    state = references.fingerprint(directory)
    known = cache.notices(f"{state}:{key}" for key in texts)
    found: dict[str, Classification] = {}
    missing = []
    for key in texts:
        packed = known.get(f"{state}:{key}")
        if packed is None:
            missing.append(key)
        else:
            found[key] = Classification(**{**packed, "alone": tuple(packed["alone"]), "flags": tuple(packed["flags"])})
    if missing:
        loaded = references.load(directory)
        fresh: dict[str, object] = {}
        for done, key in enumerate(missing, 1):
            text, whole = texts[key]
            found[key] = classify(text, loaded, whole=whole)
            fresh[f"{state}:{key}"] = asdict(found[key])
            if done % 100 == 0:
                cache.keep_notices(fresh)
                fresh = {}
                progress(done, len(missing))
        cache.keep_notices(fresh)
    return found
