"""By which rules the rows of an index are made; the next run makes those of other rules anew."""

# Raise it when an object is read into other rows than before: they are made anew from the archive.
DECODE_VERSION = 4
# Raise it when the same recorded rows come out as other derived ones: all of them are derived again.
DERIVE_VERSION = 4
