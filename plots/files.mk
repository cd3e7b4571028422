# SPDX-License-Identifier: BSD-2-Clause
plot_sources := plots/plot.c plots/plot_script.c plots/plot_gnuplot.c
