"""Which candidates enter: checks, order, arithmetic. Every reason is given here."""
