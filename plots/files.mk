# SPDX-License-Identifier: BSD-2-Clause
plot_sources := plots/plot.c plots/plot_script.c plots/plot_gnuplot.c
plot_sources += plots/table.c plots/table_csv.c plots/table_json.c plots/table_markdown.c plots/table_text.c
