"""Runs tests while ninja runs; imports little, because every test pays for the start."""
