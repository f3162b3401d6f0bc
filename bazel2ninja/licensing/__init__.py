"""Which terms apply to a file, and to a binary."""
