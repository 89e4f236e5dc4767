#!/bin/sh
# Builds each planted bug into the docId store and shows that its tests catch
# it: every run must fail. Prints one line a bug; exit status 1 if one escaped.
cd "$(dirname "$0")/.." || exit 2
escaped=0
for bug in nofsync ackbeforecommit checktheninsert lockperband seqreuse nochecksum idembycontent unkeyedseed; do
	if out=$(go test -count=1 -tags "plant_$bug" ./store/... 2>&1); then
		echo "$bug ESCAPED"
		escaped=1
	else
		echo "$bug caught by $(echo "$out" | sed -n 's/^ *--- FAIL: \([^ ]*\).*/\1/p' | tail -1)"
	fi
done
exit $escaped
