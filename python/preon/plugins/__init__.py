"""preon inside other tools: a pass of Olive, and what quantizes a folder that Optimum exported. (docs/plugins.md)"""
