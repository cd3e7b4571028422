# SPDX-License-Identifier: BSD-2-Clause
# Puts the output of "PROGRAM NAME --help" as a literal block where the page says "@help NAME@".
/^@help [a-z-]+@$/ {
	name = $2
	sub(/@/, "", name)
	command = program " " name " --help"
	print "```"
	while ((command | getline line) > 0)
		print line
	if (close(command) != 0) {
		print "help.awk: " command " failed" > "/dev/stderr"
		exit 1
	}
	print "```"
	next
}
{ print }
