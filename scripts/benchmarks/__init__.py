"""What ccindex costs: each module measures one thing; `scripts/bench` calls them."""
