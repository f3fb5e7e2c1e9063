"""Facts about authorized content: trust by source class, freshness by digest, normal form."""
