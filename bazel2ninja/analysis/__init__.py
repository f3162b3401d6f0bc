"""From targets in a configuration to providers and actions; knows no rule kinds."""
