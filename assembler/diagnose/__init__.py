"""What is wrong with an input, as claims that the rows of its run prove.

In: the ledger, the inventory and the budget of one run that holds. Out: claims and measures.
Never here: I/O, the text of an item, a guess.
"""
