# Installation and packages: make install, uninstall, deb, test-deb and release. Installed programs link Swift's
# runtime statically, so that machines need no Swift. They have a separate build folder, because static
# linking changes all modules.

RELEASE := .build-release
RELEASE_PROGRAMS := $(RELEASE)/release
# -s omits symbols, which halves the size. To analyse a crash, build the same commit again with symbols.
RELEASE_BUILD := swift build -c release --scratch-path $(RELEASE) --static-swift-stdlib --disable-local-rpath \
	-Xlinker -s -Xlinker -z -Xlinker now
PACKAGE_FOLDER := $(RELEASE)/packages

# The folder of the programs to install. To install programs that are already built: make install BUILT=…
BUILT := $(RELEASE_PROGRAMS)
# With pushsink, the synthetic gateway, operators can rehearse without Apple and Google.
INSTALLED := pushmta pushsink

DESTDIR :=
PREFIX := /usr/local
SYSCONFDIR := /etc
STATEDIR := /var/lib/pushmta
BINDIR := $(PREFIX)/bin
MANDIR := $(PREFIX)/share/man/man1
DOCDIR := $(PREFIX)/share/doc/pushmta
UNITDIR := $(PREFIX)/lib/systemd/system
SYSUSERSDIR := $(PREFIX)/lib/sysusers.d
BASHDIR := $(PREFIX)/share/bash-completion/completions
ZSHDIR := $(PREFIX)/share/zsh/site-functions
FISHDIR := $(PREFIX)/share/fish/vendor_completions.d

VERSION := $(shell sed -n 's/.*static let text = "\(.*\)"$$/\1/p' Sources/Faces/pushmta/ProductVersion.swift)
# The time of the commit, so that the same commit produces the same package. A source archive has no commit, so the time
# is that of CHANGELOG.md.
ifndef SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH := $(shell (test -e .git && git log -1 --format=%ct) 2>/dev/null || stat --format=%Y CHANGELOG.md)
endif
export SOURCE_DATE_EPOCH

ARCHITECTURE = $(shell dpkg --print-architecture)
MAINTAINER := PushMTA authors <pushmta@example.com>
# The package's version. If the same program version is packaged again, increase it, for example to 0.7.0+1.
PACKAGE_VERSION := $(VERSION)
PACKAGE = $(PACKAGE_FOLDER)/pushmta_$(PACKAGE_VERSION)_$(ARCHITECTURE).deb

.PHONY: release-programs install uninstall deb test-deb release

release-programs: packages
	@for program in $(INSTALLED) pushpages; do $(RELEASE_BUILD) --product $$program; done

# Builds the programs only if they are missing. Root needs no toolchain to install programs that `make release-programs`
# built.
$(addprefix $(RELEASE_PROGRAMS)/,$(INSTALLED) pushpages):
	@$(MAKE) --no-print-directory release-programs

# An existing configuration is kept. Manual pages and completions are generated from the programs' help.
install: $(addprefix $(BUILT)/,$(INSTALLED) pushpages)
	@install -D --mode=755 --target-directory=$(DESTDIR)$(BINDIR) $(addprefix $(BUILT)/,$(INSTALLED))
	install --directory $(DESTDIR)$(MANDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSUSERSDIR) \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(SYSCONFDIR)/pushmta
	for program in $(INSTALLED); do
		$(BUILT)/$$program --experimental-dump-help | $(BUILT)/pushpages --output $(DESTDIR)$(MANDIR) \
			--program-version $(VERSION) --date "$$(LC_ALL=C date --utc --date=@$(SOURCE_DATE_EPOCH) '+%B %-d, %Y')"
		# bash sources its completions and does not execute them, so the #! line is removed.
		$(BUILT)/$$program --generate-completion-script bash | sed '1{/^#!/d}' >$(DESTDIR)$(BASHDIR)/$$program
		$(BUILT)/$$program --generate-completion-script zsh >$(DESTDIR)$(ZSHDIR)/_$$program
		$(BUILT)/$$program --generate-completion-script fish >$(DESTDIR)$(FISHDIR)/$$program.fish
		gzip --force --no-name --best $(DESTDIR)$(MANDIR)/$$program*.1
	done
	install -D --mode=644 --target-directory=$(DESTDIR)$(DOCDIR) README.md CHANGELOG.md SECURITY.md
	find Docs -type f -exec install -D --mode=644 {} $(DESTDIR)$(DOCDIR)/{} ';'
	sed 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' Packaging/pushmta.service \
		>$(DESTDIR)$(UNITDIR)/pushmta.service
	install --mode=644 Packaging/pushmta.sysusers $(DESTDIR)$(SYSUSERSDIR)/pushmta.conf
	configuration=$(DESTDIR)$(SYSCONFDIR)/pushmta/serverConf.xml
	[[ -e $$configuration ]] || sed 's|"var/|"$(STATEDIR)/|g; s|Docs/|$(DOCDIR)/Docs/|g' \
		serverConf.xml >$$configuration

# Keeps the configuration and the store.
uninstall:
	@for program in $(INSTALLED); do
		rm --force $(DESTDIR)$(BINDIR)/$$program $(DESTDIR)$(MANDIR)/$$program.1.gz \
			$(DESTDIR)$(MANDIR)/$$program-*.1.gz $(DESTDIR)$(BASHDIR)/$$program \
			$(DESTDIR)$(ZSHDIR)/_$$program $(DESTDIR)$(FISHDIR)/$$program.fish
	done
	rm --force $(DESTDIR)$(UNITDIR)/pushmta.service $(DESTDIR)$(SYSUSERSDIR)/pushmta.conf
	rm --force --recursive $(DESTDIR)$(DOCDIR)

# The package contains the tree that make install writes, and Debian's control files. Building it requires only dpkg and
# gzip.
deb: PACKAGES += dpkg-dev
deb: release-programs
	@tree=$$(mktemp --directory $(RELEASE)/deb.XXXXXX)
	trap 'rm --recursive --force "$$tree"' EXIT
	chmod 755 "$$tree"
	umask 022
	$(MAKE) --no-print-directory install DESTDIR="$$tree/root" PREFIX=/usr UNITDIR=/lib/systemd/system \
		ZSHDIR=/usr/share/zsh/vendor-completions
	Packaging/make-deb "$$tree" $(PACKAGE_VERSION) $(ARCHITECTURE) '$(MAINTAINER)' $(PACKAGE)
	echo $(PACKAGE)

# Tests the package in a fresh Debian: installation, sending, upgrade during a delivery, removal and purge. Requires
# root. The newer package is built first, so that the programs of this commit remain in the build folder.
UPGRADE := $(RELEASE)/upgrade
test-deb: programs
	@$(MAKE) --no-print-directory deb PACKAGE_FOLDER=$(UPGRADE) PACKAGE_VERSION=$(VERSION)+upgrade COMMIT=0
	$(MAKE) --no-print-directory deb
	Packaging/test-deb $(PACKAGE) $(UPGRADE)/pushmta_$(VERSION)+upgrade_$(ARCHITECTURE).deb $(PROGRAMS)

release: test-deb
	@cd $(PACKAGE_FOLDER)
	sha256sum $(notdir $(PACKAGE)) >SHA256SUMS
	cat SHA256SUMS
