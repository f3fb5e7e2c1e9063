"""What JavaScript takes for white space, and Python partly does not. Pure."""

from __future__ import annotations

from typing import Final

JS_WHITE_SPACE: Final = (
    "\t\n\x0b\x0c\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What `trim` takes off and `\\s` means (ECMA-262, WhiteSpace and LineTerminator)."""
