"""fdo_profile, as the rules know it."""

fdo_profile = native.fdo_profile
