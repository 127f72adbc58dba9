"""Every target by its name."""

from bench.fuzz.target import Target
from bench.fuzz.targets import answers, calls, files, folders, logs, names, nights, prompts, shell, stored, texts

_MODULES = (texts, files, folders, calls, answers, logs, prompts, nights, names, stored, shell)
TARGETS: dict[str, Target] = {target.name: target for module in _MODULES for target in module.TARGETS}
