"""Values that the packages exchange. This package imports no other package."""
