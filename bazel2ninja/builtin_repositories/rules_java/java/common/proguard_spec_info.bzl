"""ProguardSpecInfo, which no target has: Java targets are not built."""

ProguardSpecInfo = provider(
    doc = "What Proguard is told.",
    fields = {"specs": "A depset of files."},
)
