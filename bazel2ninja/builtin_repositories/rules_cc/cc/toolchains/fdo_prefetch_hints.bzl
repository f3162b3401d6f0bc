"""fdo_prefetch_hints, as the rules know it."""

fdo_prefetch_hints = native.fdo_prefetch_hints
