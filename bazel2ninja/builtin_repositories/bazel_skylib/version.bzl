"""The version of the interface that this repository follows."""

version = "1.7.1"
