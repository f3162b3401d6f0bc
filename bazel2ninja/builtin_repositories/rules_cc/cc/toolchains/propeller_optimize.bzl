"""propeller_optimize, as the rules know it."""

propeller_optimize = native.propeller_optimize
