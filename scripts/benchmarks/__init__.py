"""Benchmarks for ccindex. Each module measures one aspect; `scripts/bench` runs them."""
