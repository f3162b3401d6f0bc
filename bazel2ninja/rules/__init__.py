"""The rule kinds, and the only place that knows them."""
