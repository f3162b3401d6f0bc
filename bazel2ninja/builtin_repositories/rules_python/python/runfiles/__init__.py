"""Finding runfiles at run time."""

from .runfiles import Create, Runfiles

__all__ = ["Create", "Runfiles"]
