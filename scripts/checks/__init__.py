"""Checks of the repository, one module per kind; scripts/check_repo.py runs them all. Each takes a Tree and yields findings."""
