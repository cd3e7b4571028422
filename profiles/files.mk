profile_sources :=
