"""Settings for property tests."""

import os
from collections.abc import Callable

from hypothesis import HealthCheck, settings

# CCINDEX_EXAMPLES=50 runs 50 times as many examples, with a different seed in every run
SCALE = int(os.environ.get("CCINDEX_EXAMPLES", "1"))


def examples(count: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that makes a property test run `count` times SCALE examples."""
    return settings(
        max_examples=count * SCALE,
        derandomize=SCALE == 1,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
        print_blob=False,
    )
