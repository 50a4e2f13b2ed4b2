"""Values that the packages exchange; imports no other package."""
