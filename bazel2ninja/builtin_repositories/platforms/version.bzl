"""Which release of the original these rules stand for."""

version = "1.1.0"
