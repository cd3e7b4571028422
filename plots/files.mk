plot_sources :=
