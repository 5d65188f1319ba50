# Installing, and what is given to others: make install, uninstall, deb, release. Programs for others have Swift's
# runtime in them, so that no machine needs it, and a build folder of their own, because all modules differ by that.

RELEASE := .build-release
RELEASE_PROGRAMS := $(RELEASE)/release
# -s: symbols are left out, which is half of the size; a crash is looked into with the same commit built anew.
RELEASE_BUILD := swift build -c release --scratch-path $(RELEASE) --static-swift-stdlib --disable-local-rpath \
	-Xlinker -s -Xlinker -z -Xlinker now
PACKAGE_FOLDER := $(RELEASE)/packages

# The folder of the programs that are installed. For programs that are already built: make install BUILT=…
BUILT := $(RELEASE_PROGRAMS)
# pushsink, the synthetic gateway, lets operators rehearse without Apple or Google.
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
# When this was committed, so that the same commit gives the same package; from an archive, when CHANGELOG.md was.
ifndef SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH := $(shell (test -e .git && git log -1 --format=%ct) 2>/dev/null || stat --format=%Y CHANGELOG.md)
endif
export SOURCE_DATE_EPOCH

ARCHITECTURE = $(shell dpkg --print-architecture)
MAINTAINER := PushMTA authors <pushmta@example.com>
# Of the package: higher than the program's where the same version is packaged once more, for instance 0.7.0+1.
PACKAGE_VERSION := $(VERSION)
PACKAGE = $(PACKAGE_FOLDER)/pushmta_$(PACKAGE_VERSION)_$(ARCHITECTURE).deb

.PHONY: release-programs install uninstall deb test-deb release

release-programs: packages
	@for program in $(INSTALLED) pushpages; do $(RELEASE_BUILD) --product $$program; done

# Installs programs that `make release-programs` built, so that root does not need a toolchain.
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
		# Shells read the completions of bash and do not run them: the first line is dropped.
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

# Configuration and store stay.
uninstall:
	@for program in $(INSTALLED); do
		rm --force $(DESTDIR)$(BINDIR)/$$program $(DESTDIR)$(MANDIR)/$$program.1.gz \
			$(DESTDIR)$(MANDIR)/$$program-*.1.gz $(DESTDIR)$(BASHDIR)/$$program \
			$(DESTDIR)$(ZSHDIR)/_$$program $(DESTDIR)$(FISHDIR)/$$program.fish
	done
	rm --force $(DESTDIR)$(UNITDIR)/pushmta.service $(DESTDIR)$(SYSUSERSDIR)/pushmta.conf
	rm --force --recursive $(DESTDIR)$(DOCDIR)

# The package is a tree, made by make install, with Debian's control files; nothing but dpkg and gzip is needed.
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

# A fresh Debian, in which the package is installed, sends, is upgraded in mid-delivery, removed and purged. For root.
# What it is upgraded to is another build, made first so that the programs stay those of this commit.
UPGRADE := $(RELEASE)/upgrade
test-deb: programs
	@$(MAKE) --no-print-directory deb PACKAGE_FOLDER=$(UPGRADE) PACKAGE_VERSION=$(VERSION)+upgrade COMMIT=0
	$(MAKE) --no-print-directory deb
	Packaging/test-deb $(PACKAGE) $(UPGRADE)/pushmta_$(VERSION)+upgrade_$(ARCHITECTURE).deb $(PROGRAMS)

release: test-deb
	@cd $(PACKAGE_FOLDER)
	sha256sum $(notdir $(PACKAGE)) >SHA256SUMS
	cat SHA256SUMS
