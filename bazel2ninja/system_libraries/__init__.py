"""Libraries of the system that can stand for external repositories; the data are in overlays/."""
