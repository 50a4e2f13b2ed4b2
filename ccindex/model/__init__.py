"""Values passed between packages. This package imports no other ccindex package."""
