#!/usr/bin/env bash
# Runs the browser tests with the Python packages that `make browser-packages` installs.
#
#   Tests/Browser/run.sh PROGRAMS [--short | NAME...]
#
# Runs the attacks too, unless stories are named. Without a browser, the tests fail in automated runs (CI in the
# environment) and are skipped otherwise.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
python=$folder/../../.build/browser/bin/python
for program in "$python" /usr/bin/chromium /usr/bin/chromedriver; do
	if [[ ! -x $program ]]; then
		echo "$program is not installed; run make browser-packages"
		[[ -z ${CI:-} ]]
		exit
	fi
done
status=0
"$python" -B "$folder/run.py" "$@" || status=1
if (( $# == 1 )) || [[ $2 == --short ]]; then
	"$python" -B "$folder/attack.py" "$1" || status=1
fi
exit $status
