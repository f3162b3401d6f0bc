"""memprof_profile, as the rules know it."""

memprof_profile = native.memprof_profile
