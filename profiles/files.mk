profile_sources := profiles/preset.c
