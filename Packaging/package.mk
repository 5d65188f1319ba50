# Installing, and what is given to others: make install, uninstall, deb, release. Programs for others have Swift's
# runtime in them, so that no machine needs it, and a build folder of their own, because all modules differ by that.

RELEASE := .build-release
RELEASE_PROGRAMS := $(RELEASE)/release
# -s: symbols are left out, which is half of the size; a crash is looked into with the same commit built anew.
RELEASE_BUILD := swift build -c release --scratch-path $(RELEASE) --static-swift-stdlib --disable-local-rpath \
	-Xlinker -s -Xlinker -z -Xlinker now
PACKAGE_FOLDER := $(RELEASE)/packages

# The program that is installed. Another one, built already: make install PROGRAM=…
PROGRAM := $(RELEASE_PROGRAMS)/pushmta
PAGES := $(RELEASE_PROGRAMS)/pushpages

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
	@for program in pushmta pushpages; do $(RELEASE_BUILD) --product $$program; done

# What make release-programs built is installed as it is: root has no need of a toolchain.
$(RELEASE_PROGRAMS)/pushmta $(RELEASE_PROGRAMS)/pushpages:
	@$(MAKE) --no-print-directory release-programs

# A configuration that is there already stays. Everything is made anew from the program: its help is in it.
install: $(PROGRAM) $(PAGES)
	@install -D --mode=755 $(PROGRAM) $(DESTDIR)$(BINDIR)/pushmta
	install --directory $(DESTDIR)$(MANDIR) $(DESTDIR)$(DOCDIR)/Reference $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSUSERSDIR) \
		$(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR) $(DESTDIR)$(SYSCONFDIR)/pushmta
	$(PROGRAM) --experimental-dump-help | $(PAGES) --output $(DESTDIR)$(MANDIR) --program-version $(VERSION) \
		--date "$$(LC_ALL=C date --utc --date=@$(SOURCE_DATE_EPOCH) '+%B %-d, %Y')"
	gzip --force --no-name --best $(DESTDIR)$(MANDIR)/pushmta*.1
	# It is read, not run: without its first line.
	$(PROGRAM) --generate-completion-script bash | sed '1{/^#!/d}' >$(DESTDIR)$(BASHDIR)/pushmta
	$(PROGRAM) --generate-completion-script zsh >$(DESTDIR)$(ZSHDIR)/_pushmta
	$(PROGRAM) --generate-completion-script fish >$(DESTDIR)$(FISHDIR)/pushmta.fish
	install --mode=644 README.md CHANGELOG.md SECURITY.md Docs/*.md $(DESTDIR)$(DOCDIR)
	install --mode=644 Docs/Reference/*.md $(DESTDIR)$(DOCDIR)/Reference
	sed 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' Packaging/pushmta.service \
		>$(DESTDIR)$(UNITDIR)/pushmta.service
	install --mode=644 Packaging/pushmta.sysusers $(DESTDIR)$(SYSUSERSDIR)/pushmta.conf
	configuration=$(DESTDIR)$(SYSCONFDIR)/pushmta/serverConf.xml
	[[ -e $$configuration ]] || sed 's|"var/|"$(STATEDIR)/|g; s|Docs/Configuration.md|$(DOCDIR)/Configuration.md|' \
		serverConf.xml >$$configuration

# Configuration and store stay.
uninstall:
	@rm --force $(DESTDIR)$(BINDIR)/pushmta $(DESTDIR)$(MANDIR)/pushmta.1.gz $(DESTDIR)$(MANDIR)/pushmta-*.1.gz \
		$(DESTDIR)$(BASHDIR)/pushmta $(DESTDIR)$(ZSHDIR)/_pushmta $(DESTDIR)$(FISHDIR)/pushmta.fish \
		$(DESTDIR)$(UNITDIR)/pushmta.service $(DESTDIR)$(SYSUSERSDIR)/pushmta.conf
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
