"""Flags, platforms and conditions: which select() branch is taken."""
