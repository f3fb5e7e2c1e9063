"""What one run said: what it weighs, whether it still fits, and where it may be cut.

In: the frames of a run, and what each counts. Out: a ladder of sizes, a verdict, and a rewrite.
Never here: files, a model, a tokenizer, and a cut between a call and its result.
"""
