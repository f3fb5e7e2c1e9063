"""The composition root: builds adapters, calls the pipeline, keeps the record.

What the commands call, and what `assembler.assemble` is.
"""
