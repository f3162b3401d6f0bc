"""From the graph to a ninja manifest."""
