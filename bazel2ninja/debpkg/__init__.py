"""What a Debian package needs to know of the graph."""
