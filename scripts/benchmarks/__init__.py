"""Benchmarks of ccindex. Each module measures one aspect; `scripts/bench` runs them."""
