#!/bin/sh
# All tests, in three processes: browser tests mostly wait, and sweeps wait for the processes that they start, so two
# cores have room for the third. A folder that is named here is left out of the last process, so no test is lost or run
# twice. What the first two say is shown when all are done.
set -u
cd "$(dirname "$0")/.."
python=${1:?the Python to run the tests with}
browser="tests/browser"
sweeps="tests/engine/demo tests/engine/study tests/engine/sweep tests/engine/triplets tests/prove"
left_out=""
for folder in $browser $sweeps; do left_out="$left_out --ignore=$folder"; done

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'kill $browsing $sweeping 2>/dev/null; exit 130' INT TERM

$python -m pytest -p no:cacheprovider $browser >"$logs/browser" 2>&1 & browsing=$!
$python -m pytest -p no:cacheprovider $sweeps >"$logs/sweeps" 2>&1 & sweeping=$!
$python -m pytest $left_out; failed=$?
wait $sweeping || failed=1
wait $browsing || failed=1
cat "$logs/sweeps" "$logs/browser"
exit $failed
