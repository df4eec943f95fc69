#!/bin/sh
# All tests, in three rows of about equal length beside each other: browser tests mostly wait, and sweeps wait for the
# processes that they start, so two cores have room for the third. A folder that is named here is left out of the last
# row, so no test is lost or run twice. What the first two say is shown when all are done.
set -u
cd "$(dirname "$0")/.."
python=${1:?the Python to run the tests with}
browser="tests/browser" # in a process of its own: its event loop is no other test's
pages="tests/pages"
sweeps="tests/engine/demo tests/engine/study tests/engine/sweep tests/engine/triplets tests/prove"
left_out=""
for folder in $browser $pages $sweeps; do left_out="$left_out --ignore=$folder"; done

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'trap "" TERM; kill 0; exit 130' INT TERM # whoever was started goes too

run() { $python -m pytest -p no:cacheprovider "$@"; }
(run $browser; failed=$?; run $pages && exit $failed) >"$logs/pages" 2>&1 & paging=$!
run $sweeps >"$logs/sweeps" 2>&1 & sweeping=$!
run tests $left_out; failed=$?
wait $sweeping || failed=1
wait $paging || failed=1
cat "$logs/sweeps" "$logs/pages"
exit $failed
