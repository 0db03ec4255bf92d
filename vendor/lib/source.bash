# shellcheck shell=bash
# The source of a release, sourced by vendor/fetch.

tried=()		# what was tried for this release, and why it failed

# sha256_of FILE: prints its hash.
sha256_of() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1" | cut -d ' ' -f 1
	else
		shasum -a 256 <"$1" | cut -d ' ' -f 1
	fi
}

# source_bring VERSION: 0 when vendor/tmux-VERSION.tar.gz is there and right.
source_bring() {
	local version=$1 target=$VENDOR/tmux-$1.tar.gz want have

	want=$(release_get "$version" sha256)
	if [ -e "$target" ] || [ -L "$target" ]; then
		have=$(sha256_of "$target") || return 1
		[ "$have" != "$want" ] || return 0
		say "vendor/tmux-$version.tar.gz is there with a wrong SHA-256;" \
		    "it is left as it is"
		say "  it has $have"
		say "  wanted $want"
		say "remove it, and run vendor/fetch $version again"
		return 1
	fi

	make_work
	tried=()
	if source_debian "$version" "$want" || \
	    source_page "$version" "$want"; then
		say "vendor/tmux-$version.tar.gz is there, its SHA-256 is right"
		return 0
	fi
	say "tmux $version is not to be had. Tried:"
	for have in "${tried[@]}"; do
		say "  $have"
	done
	say "bring tmux-$version.tar.gz from $(release_get "$version" url)" \
	    "some other way, put it at $target and run this again"
	return 1
}

# source_accept VERSION SHA256 FILE: puts FILE in place when its hash is right.
# The last step is a rename in one folder: a reader sees all of it or none.
source_accept() {
	local have part=$VENDOR/.fetch.$$

	have=$(sha256_of "$3")
	if [ "$have" != "$2" ]; then
		SOURCE_WHY="wrong SHA-256: $have"
		return 1
	fi
	if ! cat "$3" >"$part" || ! mv -f "$part" "$VENDOR/tmux-$1.tar.gz"; then
		say "cannot write to $VENDOR"
		exit 1
	fi
}

source_debian() {
	local version=$1 want=$2 package suite

	package=$(release_get "$version" source)
	if ! apt_init; then
		tried+=("Debian's source package: $APT_WHY")
		return 1
	fi
	for suite in $(release_get "$version" suites); do
		if ! apt_open "$suite" src || ! apt_source "$package" "$want"; then
			tried+=("Debian $suite: $APT_WHY")
		elif source_accept "$version" "$want" "$APT_FILE"; then
			return 0
		else
			tried+=("Debian $suite: $SOURCE_WHY")
		fi
	done
	return 1
}

source_page() {
	local version=$1 want=$2 url file=$WORK/tmux-$1.tar.gz log=$WORK/page.log

	url=$(release_get "$version" url)
	say "downloading $url"
	if command -v curl >/dev/null; then
		curl -fsSL --connect-timeout 20 --retry 2 -o "$file" "$url" \
		    </dev/null >"$log" 2>&1 || rm -f "$file"
	elif command -v wget >/dev/null; then
		wget -q --timeout=30 --tries=2 -O "$file" "$url" \
		    </dev/null >"$log" 2>&1 || rm -f "$file"
		[ -s "$log" ] || echo "wget could not get it" >"$log"
	else
		echo "neither curl nor wget on this machine" >"$log"
	fi
	if [ ! -f "$file" ]; then
		tried+=("$url: $(tail -n 1 "$log")")
		return 1
	fi
	source_accept "$version" "$want" "$file" && return 0
	tried+=("$url: $SOURCE_WHY")
	return 1
}
