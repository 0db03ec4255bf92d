# shellcheck shell=bash
# vendor/releases.toml as shell variables, sourced by vendor/fetch.
#
# It reads the part of TOML that the file's head promises: [[release]] tables,
# one `key = value` a line, arrays on one line. Anything else is an error.

RELEASES=()		# the versions, in the file's order
declare -A release	# "version key" to value; arrays as words

releases_read() {
	local file=$1 line number=0 key value version=

	while IFS= read -r line || [ -n "$line" ]; do
		number=$((number + 1))
		if [[ $line =~ ^[[:space:]]*(#.*)?$ ]]; then
			continue
		elif [[ $line =~ ^\[\[release\]\][[:space:]]*$ ]]; then
			version=
			continue
		elif ! [[ $line =~ ^([a-z0-9_]+)\ *=\ *(.+)$ ]]; then
			say "$file:$number: cannot read this line"
			exit 1
		fi
		key=${BASH_REMATCH[1]} value=${BASH_REMATCH[2]}
		if [[ $value =~ ^\"([^\"]*)\"$ ]]; then
			value=${BASH_REMATCH[1]}
		elif [[ $value =~ ^\[([^]]*)\]$ ]]; then
			value=${BASH_REMATCH[1]//[\",]/ }
		elif [ "$value" != true ] && [ "$value" != false ]; then
			say "$file:$number: cannot read the value of $key"
			exit 1
		fi
		if [ "$key" = version ]; then
			version=$value
			RELEASES+=("$version")
		elif [ -z "$version" ]; then
			say "$file:$number: a release starts with its version"
			exit 1
		fi
		release["$version $key"]=$value
	done <"$file"
}

# release_known VERSION: is it in the file?
release_known() {
	[ -n "${release["$1 version"]:-}" ]
}

# release_has VERSION KEY: is the key there, and not false?
release_has() {
	case ${release["$1 $2"]:-false} in
	false) return 1 ;;
	esac
}

# release_get VERSION KEY: prints the value, nothing where there is none.
release_get() {
	printf '%s' "${release["$1 $2"]:-}"
}
