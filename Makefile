# Each target does all that it needs: missing Debian packages, the tmux releases,
# the build. `make help` names them.

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
CARGOFLAGS ?=
TESTFLAGS ?=
FUZZ_SECONDS ?= 60

# cargo and the build of tmux-custom take neither our flags nor our variables: a
# DESTDIR meant for us would otherwise reach tmux's own Makefile.
MAKEOVERRIDES =
unexport MAKEFLAGS MFLAGS MAKELEVEL PREFIX DESTDIR CARGO CARGOFLAGS TESTFLAGS FUZZ_SECONDS

# Both base versions, the first once more with sanitizers; what is not there to
# be tested is a failure.
TEST_ENV = AMUX_BUILD_VERSIONS='3.5a 3.3a' AMUX_BUILD_SANITIZE=1 AMUX_TEST_STRICT=1

BINARY = $${CARGO_TARGET_DIR:-target}/release/amux

.PHONY: help demo test lint fuzz build install clean
.NOTPARALLEL:

help:
	@echo 'make demo      build tmux-custom and run a script in a persistent terminal'
	@echo 'make test      run every test (TESTFLAGS= goes to cargo test)'
	@echo 'make lint      check the form of Rust, C and shell'
	@echo 'make fuzz      fuzz the stream engine (FUZZ_SECONDS=60)'
	@echo 'make build     build amux and tmux-custom, optimised'
	@echo 'make install   install amux, tmux-custom, their manuals and completions'
	@echo '               (PREFIX=/usr/local, DESTDIR= for packagers)'
	@echo 'make clean     remove what was built; vendor/ stays'

demo:
	@scripts/setup demo
	@vendor/fetch
	$(CARGO) build --release $(CARGOFLAGS)
	@AMUX="$$(realpath "$(BINARY)")" examples/demo.sh

test:
	@scripts/setup test
	@vendor/fetch
	@vendor/fetch --stock
	$(TEST_ENV) $(CARGO) test --workspace --no-fail-fast $(CARGOFLAGS) $(TESTFLAGS)

lint:
	@scripts/setup lint
	@vendor/fetch
	@scripts/lint

fuzz:
	@scripts/fuzz '$(FUZZ_SECONDS)'

build:
	@scripts/setup install
	@vendor/fetch
	$(CARGO) build --release $(CARGOFLAGS)

# Under sudo there is often no cargo: then what `make build` left is installed.
install:
	@if command -v $(CARGO) >/dev/null || [ ! -x "$(BINARY)" ]; then \
		$(MAKE) --no-print-directory build CARGO='$(CARGO)' CARGOFLAGS='$(CARGOFLAGS)'; \
	fi
	"$(BINARY)" install --prefix '$(PREFIX)' $(if $(DESTDIR),--destdir '$(DESTDIR)')

clean:
	$(CARGO) clean
