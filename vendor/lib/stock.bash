# shellcheck shell=bash
# The unpatched tmux as Debian packages it, sourced by vendor/fetch.
#
# vendor/stock/VERSION/ holds
#	tmux		the launcher, a sh script; may be called from anywhere
#	bin/tmux	Debian's binary
#	lib/		its dynamic loader and the libraries that it needs, no more
#	packages	name, version and architecture of each package used
#
# The binary always runs through its own loader: it may need a newer C library
# than the machine has, and where it does not, it runs the same way.

# stock_bring VERSION: 0 when vendor/stock/VERSION/tmux is there and runs, or
# when the version is gone from suites that move on.
stock_bring() {
	local version=$1 target=$VENDOR/stock/$1 suite why level=note

	if ! release_has "$version" stock; then
		say "Debian has no binary package of tmux $version" \
		    "(no stock key in vendor/releases.toml)"
		return 1
	fi
	if [ -x "$target/tmux" ]; then
		stock_check "$target" "$version" && return 0
		say "vendor/stock/$version does not run: $STOCK_WHY"
		say "remove that folder, and run vendor/fetch --stock $version again"
		return 1
	fi

	make_work
	tried=()
	if apt_init; then
		for suite in $(release_get "$version" stock); do
			if ! apt_open "$suite" deb || \
			    ! apt_binary tmux "$version"; then
				tried+=("Debian $suite: $APT_WHY")
			elif stock_make "$version"; then
				say "vendor/stock/$version/tmux is there" \
				    "($APT_VERSION of $suite)"
				return 0
			else
				# Not gone, but broken: that is never normal.
				tried+=("Debian $suite: $STOCK_WHY")
				level=error
			fi
		done
	else
		tried+=("Debian's package: $APT_WHY")
	fi

	! release_has "$version" stock_required || level=error
	say "$level: stock tmux $version is not to be had. Tried:"
	for why in "${tried[@]}"; do
		say "  $why"
	done
	[ "$level" = note ]
}

# stock_check ROOT VERSION: does its launcher name the right version?
stock_check() {
	local said

	if ! said=$("$1/tmux" -V 2>&1); then
		STOCK_WHY="tmux -V failed: $said"
		return 1
	fi
	if [ "$said" != "tmux $2" ]; then
		STOCK_WHY="tmux -V says '$said'"
		return 1
	fi
}

# stock_make VERSION: the root from the packages in APT_FILES.
stock_make() {
	local version=$1 all=$WORK/stock-$1 root=$VENDOR/.fetch.$$ deb

	rm -rf "$all" "$root"
	mkdir -p "$all" "$root/bin" "$root/lib" "$VENDOR/stock"
	for deb in "${APT_FILES[@]}"; do
		dpkg-deb -x "$deb" "$all"
		# shellcheck disable=SC2016	# dpkg-deb's own fields
		dpkg-deb -W --showformat \
		    '${Package} ${Version} ${Architecture}\n' "$deb"
	done >"$root/packages"
	stock_closure "$all" "$root" || return 1
	stock_launcher >"$root/tmux"
	chmod 755 "$root/tmux"
	stock_check "$root" "$version" || return 1
	stock_serves "$root" || return 1
	rm -rf "$all"
	mv "$root" "$VENDOR/stock/$version"
}

# stock_closure ALL ROOT: copies the binary, its loader and the libraries that
# the loader finds for it from the unpacked packages.
stock_closure() {
	local all=$1 root=$2 loader file lib path=

	loader=$(find "$all" -name 'ld*.so.[0-9]' ! -type d ! -path '*/gconv/*' |
	    head -n 1)
	if [ -z "$loader" ]; then
		STOCK_WHY="no dynamic loader among its packages"
		return 1
	fi
	while IFS= read -r lib; do
		path+=${path:+:}$lib
	done < <(find "$all" -name '*.so*' -printf '%h\n' | sort -u)
	if ! "$loader" --library-path "$path" --list "$all/usr/bin/tmux" \
	    >"$WORK/closure" 2>&1; then
		STOCK_WHY="libraries missing: $(tail -n 1 "$WORK/closure")"
		return 1
	fi
	while read -r lib _ file _; do
		case $lib in
		linux-*|/*) continue ;;	# the kernel's own, and the loader
		esac
		if [[ $file != "$all"/* ]]; then
			STOCK_WHY="$lib is not among its packages"
			return 1
		fi
		cp -L "$file" "$root/lib/$lib"
	done <"$WORK/closure"
	cp -L "$loader" "$root/lib/loader"
	cp -L "$all/usr/bin/tmux" "$root/bin/tmux"
	chmod 755 "$root/lib/loader" "$root/bin/tmux"
}

# stock_launcher: prints the launcher. It starts no process of its own unless it
# is called through a symbolic link: tests start it thousands of times. Nothing
# goes into the environment, which the server would hand on to its panes.
stock_launcher() {
	cat <<'END'
#!/bin/sh
# Starts this folder's tmux through its own dynamic loader. By vendor/fetch.
self=$0
if [ -h "$self" ]; then
	self=$(readlink -f -- "$self")
fi
case $self in
/*) ;;
*) self=$PWD/$self ;;
esac
root=${self%/*}
exec "$root/lib/loader" --argv0 tmux --library-path "$root/lib" \
    "$root/bin/tmux" "$@"
END
}

# stock_serves ROOT: does a server of it run a command and show the output?
# On a socket of its own, with no configuration file.
stock_serves() {
	local tmux=$1/tmux socket=$WORK/socket shown='' deadline

	# shellcheck disable=SC2016	# the shell in the pane expands it
	if ! "$tmux" -S "$socket" -f /dev/null new-session -d -x 80 -y 24 \
	    'echo amux-$((6 * 7)); exec cat' >"$WORK/serves" 2>&1; then
		STOCK_WHY="no server: $(tail -n 1 "$WORK/serves")"
		return 1
	fi
	deadline=$((SECONDS + 20))
	while [ "$SECONDS" -lt "$deadline" ]; do
		shown=$("$tmux" -S "$socket" capture-pane -p 2>&1) || true
		[[ $shown != *amux-42* ]] || break
	done
	"$tmux" -S "$socket" kill-server 2>/dev/null || true
	if [[ $shown != *amux-42* ]]; then
		STOCK_WHY="its server ran no command: $shown"
		return 1
	fi
}
