"""What a run could be offered: metadata only, nothing opened that is not authorized."""
