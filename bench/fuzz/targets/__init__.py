"""Every target by its name."""

from bench.fuzz.target import Target
from bench.fuzz.targets import answers, calls, files, folders, texts

TARGETS: dict[str, Target] = {
    target.name: target for module in (texts, files, folders, calls, answers) for target in module.TARGETS
}
