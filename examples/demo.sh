#!/usr/bin/env bash
# Runs a script in a persistent terminal, shows what comes back, and checks every
# byte of it. `make demo` builds amux and calls this with AMUX=/path/to/amux.
set -euo pipefail

amux=${AMUX:?AMUX=path/of/amux is needed}
unset AMUX_TENANT
folder=$(mktemp -d)
# The socket lies here too, and goes with the rest.
export TMUX_TMPDIR=$folder
trap '"$amux" stop; rm -rf -- "$folder"' EXIT
cd -- "$folder"

bold='' plain=''
[ ! -t 1 ] || bold=$'\e[1m' plain=$'\e[m'

fail() {
	printf 'demo: %s\n' "$*" >&2
	exit 1
}

# run STATUS ARGUMENT...: runs `amux run demo ARGUMENT...`, shows its output and
# how it ended, and compares both with what is expected.
run() {
	local wanted=$1 status=0 word id ended told milliseconds

	shift
	printf '%s$ amux run demo' "$bold"
	for word in "$@"; do
		[[ $word != *[[:space:]]* ]] || word="'$word'"
		printf ' %s' "$word"
	done
	printf '%s\n' "$plain"
	"$amux" run demo --timeout 60 "$@" >output || status=$?
	cat output
	read -r id ended told milliseconds < <("$amux" read demo --records | tail -n 1)
	[ "$milliseconds" != 0 ] || milliseconds='less than 1'
	printf '%scommand %s %s with status %s after %s ms%s\n\n' \
	    "$bold" "$id" "$ended" "$told" "$milliseconds" "$plain"
	cmp output expected || fail "the output is not what was expected"
	[ "$status" = "$wanted" ] || fail "amux exited with $status, not $wanted"
	[ "$told" = "$wanted" ] || fail "the record says $told, not $wanted"
}

cat >script <<'SCRIPT'
echo 'single quotes keep $HOME, `date` and "these"'
echo "double quotes know it's $((6 * 7))"
cat <<'EOF'
a heredoc: $x, a `backtick`, C:\\Users, 100%; # no comment
EOF
python3 - <<'PY'
import json
text = 'Double "quotes", single \'quotes\', a \\ and é ✓'
print(json.dumps({"text": text, "list": [1, 2.5, None]}, indent=2, ensure_ascii=False))
PY
cd /usr && export GREETING="it's still here"
(exit 3)
SCRIPT
cat >expected <<'EXPECTED'
single quotes keep $HOME, `date` and "these"
double quotes know it's 42
a heredoc: $x, a `backtick`, C:\\Users, 100%; # no comment
{
  "text": "Double \"quotes\", single 'quotes', a \\ and é ✓",
  "list": [
    1,
    2.5,
    null
  ]
}
EXPECTED
printf '%s$ cat script%s\n' "$bold" "$plain"
cat script
printf '\n'
run 3 -f script

# The same terminal: what the script changed has lasted.
printf "it's still here, in /usr\n" >expected
# shellcheck disable=SC2016
run 0 -- 'echo "$GREETING, in $PWD"'

printf 'Every byte and every status is as expected.\n'
