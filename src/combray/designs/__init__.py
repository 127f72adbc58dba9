"""The pipelines of five published designs, and the stages that only they use.

Each package holds one design: `preset.py` declares its pipelines, the other modules its stages. A stage that two
designs use is a module of this room. No design imports another. Each is registered by an entry point of the group
`combray.presets`, as a third party's preset is.
"""
