from levels._levels import level, sum

__all__ = ["level", "sum"]
