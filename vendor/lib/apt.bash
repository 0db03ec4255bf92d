# shellcheck shell=bash disable=SC2034 # others read what is set here
# A private apt, sourced by vendor/fetch: indexes and packages of any Debian
# suite, without root and without touching the system's apt.
#
# Every suite gets a folder of its own below $WORK/apt with its own lists, cache
# and (empty) package status. The mirror is the machine's own, read from apt's
# sources. What it serves is checked against Debian's archive keyring alone,
# whatever the system's sources trust.
#
# Functions that fail leave the reason in APT_WHY.

APT_WHY=
apt_mirrors=()		# candidates, the one that last worked first
apt_ready=

# apt_init: finds the tools, the keyring and the mirrors, once.
apt_init() {
	local tool key

	[ "$apt_ready" = yes ] && return 0
	APT_WHY=
	for tool in apt-get apt-cache dpkg; do
		if ! command -v "$tool" >/dev/null; then
			APT_WHY="no $tool on this machine"
			return 1
		fi
	done
	apt_keyring=
	for key in /usr/share/keyrings/debian-archive-keyring.{gpg,pgp}; do
		[ -r "$key" ] && { apt_keyring=$key; break; }
	done
	if [ -z "$apt_keyring" ]; then
		APT_WHY="no Debian keyring (package debian-archive-keyring)"
		return 1
	fi
	apt_find_mirrors
	if [ "${#apt_mirrors[@]}" -eq 0 ]; then
		APT_WHY="no Debian mirror among apt's sources"
		return 1
	fi

	# As root, apt downloads as the user _apt, who has to get at the folder.
	# The rest of $WORK stays closed to writing.
	mkdir -p "$WORK/apt"
	[ "$(id -u)" -ne 0 ] || chmod 755 "$WORK" "$WORK/apt"
	apt_ready=yes
}

# apt_find_mirrors: fills apt_mirrors. apt reads its own sources, both forms of
# them, and says which index files it would get; nothing is downloaded.
apt_find_mirrors() {
	local lists=$WORK/no-lists line uri suite known

	mkdir -p "$lists/partial"
	while IFS= read -r line; do
		[[ $line =~ ^\'(.+[^/])/+dists/([^/]+)/InRelease\' ]] || continue
		uri=${BASH_REMATCH[1]} suite=${BASH_REMATCH[2]}
		case $suite in
		buster|bullseye|bookworm|trixie|forky|duke|sid) ;;
		oldoldstable|oldstable|stable|testing|unstable) ;;
		*) continue ;;		# security, updates, another vendor
		esac
		[[ $uri != cdrom:* ]] || continue
		for known in "${apt_mirrors[@]}"; do
			[ "$known" != "$uri" ] || continue 2
		done
		apt_mirrors+=("$uri")
	done < <(apt-get -o Dir::State::Lists="$lists" -o Debug::NoLocking=1 \
	    update --print-uris 2>/dev/null)
}

# apt_reason LOG: the first error in apt's output, else its last line.
apt_reason() {
	local line

	line=$(grep '^E: ' "$1" | head -n 1) || true
	[ -n "$line" ] || line=$(tail -n 1 "$1")
	printf '%s' "${line#E: }"
}

# apt_open SUITE src|deb: brings the suite's index, once a run, and sets
# APT_CONF, the configuration file for the other functions. For a backports
# suite the index of its base is there as well: its packages depend on it.
apt_open() {
	local suite=$1 kind=$2 dir=$WORK/apt/$1-$2 i mirror

	apt_init || return 1
	APT_CONF=$dir/apt.conf
	if [ -e "$dir/failed" ]; then
		APT_WHY=$(<"$dir/failed")
		return 1
	fi
	[ ! -e "$dir/open" ] || return 0

	mkdir -p "$dir"/{none,state,lists/partial,cache/archives/partial,out}
	: >"$dir/status"
	apt_write_conf "$dir" >"$APT_CONF"
	[ "$(id -u)" -ne 0 ] || chown _apt "$dir/out" 2>/dev/null || true
	say "reading the index of Debian $suite"
	for i in "${!apt_mirrors[@]}"; do
		mirror=${apt_mirrors[i]}
		apt_write_sources "$mirror" "$suite" "$kind" >"$dir/sources.list"
		if apt-get -c "$APT_CONF" update >"$dir/log" 2>&1; then
			apt_mirrors[i]=${apt_mirrors[0]}
			apt_mirrors[0]=$mirror
			: >"$dir/open"
			return 0
		fi
	done
	APT_WHY="no index: $(apt_reason "$dir/log")"
	printf '%s' "$APT_WHY" >"$dir/failed"
	return 1
}

# apt_write_conf DIR: the configuration of the private apt. It is read after the
# system's own (proxies stay), so the system's hooks and pins are taken out.
# Indexes past their date are taken: a mirror that stands still is signed all the
# same, and what is looked for has a fixed hash or a fixed version.
apt_write_conf() {
	cat <<-END
	#clear APT::Update::Pre-Invoke;
	#clear APT::Update::Post-Invoke;
	#clear APT::Update::Post-Invoke-Success;
		#clear DPkg::Pre-Install-Pkgs;
	#clear DPkg::Post-Invoke;
	APT::Default-Release "";
	APT::Update::Error-Mode "any";
	APT::Get::Assume-Yes "true";
	APT::Install-Recommends "false";
	APT::Install-Suggests "false";
	Acquire::Check-Valid-Until "false";
	Acquire::Retries "2";
	Acquire::Languages { "none"; };
	Acquire::http::Timeout "30";
	Acquire::https::Timeout "30";
	Dir::State "$1/state";
	Dir::State::status "$1/status";
	Dir::State::lists "$1/lists";
	Dir::State::extended_states "$1/state/extended_states";
	Dir::Cache "$1/cache";
	Dir::Cache::archives "$1/cache/archives";
	Dir::Etc::sourcelist "$1/sources.list";
	Dir::Etc::sourceparts "$1/none";
	Dir::Etc::preferences "$1/none/preferences";
	Dir::Etc::preferencesparts "$1/none";
	END
}

# apt_write_sources MIRROR SUITE src|deb: the sources.list. One target only:
# others (component metadata, translations) double the download.
apt_write_sources() {
	local options type=deb

	options="target=Packages arch=$(dpkg --print-architecture)"
	options+=" signed-by=$apt_keyring"
	if [ "$3" = src ]; then
		type=deb-src
		options="target=Sources signed-by=$apt_keyring"
	fi
	printf '%s [%s] %s %s main\n' "$type" "$options" "$1" "$2"
	if [ "$3" = deb ] && [[ $2 == *-backports ]]; then
		printf '%s [%s] %s %s main\n' "$type" "$options" "$1" \
		    "${2%-backports}"
	fi
}

# apt_source PACKAGE SHA256: brings the upstream tarball with that hash from the
# opened suite, of whatever Debian revision, and sets APT_FILE to its path.
apt_source() {
	local package=$1 sha=$2 dir=${APT_CONF%/*} found version file

	found=$(apt-cache -c "$APT_CONF" showsrc --only-source "$package" \
	    2>/dev/null | awk -v sha="$sha" '
		/^Version:/ { version = $2 }
		/^[^ ]/ { sums = /^Checksums-Sha256:/ }
		sums && $1 == sha && $3 ~ /\.orig\.tar\./ {
			print version, $3; exit
		}') || true
	if [ -z "$found" ]; then
		APT_WHY="no source package $package with that tarball"
		return 1
	fi
	version=${found% *} file=${found#* }
	say "downloading $file of $package $version"
	if ! (cd "$dir/out" && apt-get -c "$APT_CONF" source --only-source \
	    --download-only --tar-only "$package=$version") \
	    >"$dir/log" 2>&1 || [ ! -f "$dir/out/$file" ]; then
		APT_WHY="listed ($version), not to be had:"
		APT_WHY+=" $(apt_reason "$dir/log")"
		return 1
	fi
	APT_FILE=$dir/out/$file
}

# apt_binary PACKAGE VERSION: brings the binary package whose upstream version
# is VERSION from the opened suite, with all it depends on, and sets APT_FILES
# to their paths and APT_VERSION to Debian's version. With an empty package
# status apt takes nothing for installed, so the set is complete.
apt_binary() {
	local package=$1 upstream=$2 dir=${APT_CONF%/*} field value plain

	APT_VERSION=
	while read -r field value; do
		[ "$field" = Version: ] || continue
		plain=${value#*:}	# without the epoch
		[ "${plain%-*}" = "$upstream" ] || continue
		APT_VERSION=$value
		break
	done < <(apt-cache -c "$APT_CONF" show "$package" 2>/dev/null)
	if [ -z "$APT_VERSION" ]; then
		APT_WHY="no package $package of version $upstream"
		return 1
	fi
	say "downloading $package $APT_VERSION and its libraries"
	rm -f "$dir"/cache/archives/*.deb
	if ! apt-get -c "$APT_CONF" install --download-only \
	    "$package=$APT_VERSION" >"$dir/log" 2>&1; then
		APT_WHY="listed ($APT_VERSION), not to be had:"
		APT_WHY+=" $(apt_reason "$dir/log")"
		return 1
	fi
	APT_FILES=("$dir"/cache/archives/*.deb)
}
