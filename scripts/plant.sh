#!/usr/bin/env bash
# Plants bugs and shows that the tests catch them: each patch of bench/plants is
# applied to copies of the files it changes, which the compiler takes in place of
# the real ones (go test -overlay), and the one test its second line names must
# fail. With names, only those bugs; with --changed, those whose patch, files or
# package of the test changed the most (scripts/changed); with --all or nothing,
# all. Exit status 1 if one escaped, 2 if a patch does not fit the code.
set -euo pipefail
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export GIT_CEILING_DIRECTORIES=$dir NEARDUP_KILLS=24
most=16 # planted bugs with --changed

# changed prints the patches that a change may have made wrong: first those of changed files, then those whose test's
# package changed.
changed() {
  local patch package test
  for patch in bench/plants/*.patch; do
    read -r _ package test <<< "$(sed -n 2p "$patch")"
    echo "$patch $patch"
    sed -n "s#^+++ b/\(.*\)#\1 $patch#p" "$patch"
    echo "${package#./}/ $patch"
    if [[ $test == TestStore/* ]]; then echo "internal/test/storetest/ $patch"; fi
  done > "$dir/patches"
  ./scripts/changed | awk 'NR == FNR { of[$1] = of[$1] " " $2; next }
    { print 1 of[$2]; sub("(testdata/.*|[^/]*)$", "", $2); print 2 of[$2] }' "$dir/patches" - |
    sort -s -k1,1n | awk '{ for (i = 2; i <= NF; i++) if (!seen[$i]++) print $i }' | sed "${most}q"
}

case ${1:---all} in
  --all) set -- bench/plants/*.patch ;;
  --changed) set -- $(changed) ;;
esac

plant() { # NAME: applies the patch and writes the overlay
  local copy=$dir/$1 patch=$PWD/bench/plants/$1.patch file sep='{"Replace":{'
  mkdir "$copy"
  while read -r file; do
    mkdir -p "$copy/$(dirname "$file")"
    cp "$file" "$copy/$file"
    printf '%s"%s":"%s"' "$sep" "$PWD/$file" "$copy/$file"
    sep=,
  done < <(sed -n 's#^+++ b/##p' "$patch") > "$copy.json"
  echo '}}' >> "$copy.json"
  (cd "$copy" && git apply "$patch")
}

status=0
for name in "$@"; do
  name=$(basename "$name" .patch)
  read -r _ package test <<< "$(sed -n 2p "bench/plants/$name.patch")"
  plant "$name" || { echo "$name: the patch does not fit"; exit 2; }
  if go test -overlay "$dir/$name.json" -count=1 -short -timeout 5m -run "^${test//\//\$/^}\$" "$package" > "$dir/$name.log" 2>&1; then
    echo "$name ESCAPED $test"
    status=1
  elif grep -q -- '--- FAIL' "$dir/$name.log"; then
    echo "$name caught by $test"
  else # what does not compile is not caught
    cat "$dir/$name.log"
    exit 2
  fi
done
exit $status
