"""Real models with the data to calibrate them on and the measure each is judged by.

A task prepares two disjoint sets of samples, one to calibrate on and one to judge on, and scores a model file.
Add one: a `Task` in the module of its kind, listed in that module's TASKS.
"""
from tasks import audio, classify, detect, packages, restore, text

TASKS = {task.name: task for module in (classify, detect, restore, text, audio, packages) for task in module.TASKS}
