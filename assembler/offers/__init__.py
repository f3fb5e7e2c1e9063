"""What each room offers to a run: found, authorized, read, assessed, in this order.

Facts only; whether something enters is decided in the room `select`.
"""
