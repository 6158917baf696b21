"""Who takes part in each suite: modules whose `lineup(case)` makes inputs and contenders."""
