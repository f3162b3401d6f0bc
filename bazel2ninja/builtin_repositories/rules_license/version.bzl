"""Which release of the original these rules stand for."""

version = "1.0.0"
