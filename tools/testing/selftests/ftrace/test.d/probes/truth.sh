# SPDX-License-Identifier: GPL-2.0
#
# For the cases that hold what probes record against what was passed: a table of what is fetched
# and of the text that a record of it has. Each row becomes one event for each letter, whose name
# is the letter and the row's number, and whose only argument is v. Twenty rows are one group,
# truth0 and so on: the stack of a task's returns has room for those of some events at one function.

rows=$TMPDIR/rows
: > $rows

# Add rows to the table: what is fetched, tabulators, the text.
table() { # letters < rows
    awk -v letters=$1 -F '\t+' 'NF == 2 { print letters "\t" $1 "\t" $2 }' >> $rows
}

# Write $TMPDIR/define and $TMPDIR/want. $TMPDIR/places has a line a letter: the letter, what the
# definition begins with, and the words behind its name. $TMPDIR/names has words of rows and what
# they stand for; with a letter of $registers, in the order of arguments, $argN is a register.
make_table() { # registers letters-with-registers
    awk -F '\t' -v registers="$1" -v with="$2" -v define=$TMPDIR/define -v want=$TMPDIR/want '
    FILENAME ~ /names$/ { name[$1] = $2; next }
    FILENAME ~ /places$/ { begin[$1] = $2; place[$1] = $3; next }
    function named(text,	n) {
	for (n in name) {
	    while ((at = index(text, n)))
		text = substr(text, 1, at - 1) name[n] substr(text, at + length(n))
	}
	return text
    }
    function in_registers(text,		i, at) {
	for (i = nr; i > 0; i--) {
	    while ((at = index(text, "$arg" i)))
		text = substr(text, 1, at - 1) "%" reg[i] substr(text, at + 4 + length(i))
	}
	return text
    }
    BEGIN { nr = split(registers, reg, " ") }
    {
	for (l = 1; l <= length($1); l++) {
	    letter = substr($1, l, 1)
	    event = letter FNR
	    text = named($2)
	    if (index(with, letter))
		text = in_registers(text)
	    group = "truth" int(FNR / 20)
	    print begin[letter] ":" group "/" event " " place[letter] " v=" text > define
	    print event "\t" named($3) > want
	}
    }' $TMPDIR/names $TMPDIR/places $rows
}

# The events and values of a text of a trace. Symbols have no sizes and no modules in some texts,
# and event probes no place.
values() { # file
    sed -n 's/^.* \(truth[0-9]*:\)\?\([A-Za-z][0-9]*\): *\(([^)]*)\)\? *v=\(.*\)$/\2\t\4/p' $1 |
	sed 's, \[probe_truth\],,; s,\(+0x0\)/0x[0-9a-f]*,\1,' | sort
}

# Leave out the events that libtraceevent prints its own way: it has no characters, takes numbers
# of less than 32 bits for such without a sign, and knows neither (fault) nor arrays of strings.
plain() { # file
    awk -F '\t' '
    FILENAME ~ /define$/ {
	split($0, part, /[\/ ]/)
	odd[part[2]] = / v=.*(:s(8|16)|->small)$/
	next
    }
    FILENAME ~ /want$/ { if ($2 ~ /^\{?['"'"'"(]/ && $2 !~ /^"/) odd[$1] = 1; next }
    !odd[$1]' $TMPDIR/define $TMPDIR/want $1
}

# Each event of the table, or of a group, is there once, with its text. The program that has read
# it is a client, or the kernel.
hold() { # what file [client [group]]
    values $2 > $TMPDIR/got
    sed -n "s,.*:${4:-truth[0-9]*}/\([^ ]*\) .*,\1,p" $TMPDIR/define > $TMPDIR/events
    awk -F '\t' 'FILENAME ~ /events$/ { is[$1] = 1; next } is[$1]' $TMPDIR/events $TMPDIR/want |
	sort > $TMPDIR/sorted
    if [ "$3" ]; then
	for file in got sorted; do
	    plain $TMPDIR/$file > $TMPDIR/plain
	    mv $TMPDIR/plain $TMPDIR/$file
	done
	[ -s $TMPDIR/sorted ] || fail "$1: no row is left"
    fi
    cmp -s $TMPDIR/sorted $TMPDIR/got && return
    diff $TMPDIR/sorted $TMPDIR/got > $TMPDIR/differs || :
    head -40 $TMPDIR/differs
    for event in `sed -n 's/^[<>] \([A-Za-z0-9]*\).*/\1/p' $TMPDIR/differs | sort -u | head -20`; do
	grep ":truth[0-9]*/$event " $TMPDIR/define || echo "no $event in the table"
    done
    fail "$1: not what was passed"
}
