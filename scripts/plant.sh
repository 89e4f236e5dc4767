#!/bin/sh
# Builds each planted bug into the docId service and shows that its tests catch
# it: every run must fail. Prints one line a bug, with the tests that failed;
# exit status 1 if one escaped. With names, only those bugs. What the tests of
# the stores do not catch, the harness must, which kills the real service.
cd "$(dirname "$0")/.." || exit 2
bugs=${*:-nofsync ackbeforecommit checktheninsert lockperband seqreuse nochecksum idembycontent unkeyedseed noepoch}
escaped=0
for bug in $bugs; do
	go vet -tags "plant_$bug" ./store/... || exit 2 # what does not compile is not caught
	for tests in ./store/... ./internal/harness; do
		out=$(NEARDUP_KILLS=24 go test -count=1 -timeout 5m -tags "plant_$bug" $tests 2>&1) && continue
		names=$(echo "$out" | sed -n 's/^ *--- FAIL: \([^ ]*\).*/\1/p' | sort -u)
		# The name of a group of tests says nothing beside those of its tests.
		echo "$bug caught by $(echo "$names" | awk '{n[$0]} END {for (a in n) {for (b in n) if (index(b, a "/") == 1) next_a[a]; if (!(a in next_a)) print a}}' | sort | paste -sd' ')"
		continue 2
	done
	echo "$bug ESCAPED"
	escaped=1
done
exit $escaped
