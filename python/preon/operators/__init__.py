"""Operators beside the standard's."""
