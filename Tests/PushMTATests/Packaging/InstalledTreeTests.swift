import Foundation
import TestSupport
import Testing

/// Tests the files that are installed in addition to the program. `make test-deb` tests the package.
struct InstalledTreeTests {
    @Test func `every file is installed in its place, and uninstall keeps the configuration`() async throws {
        let tree = try await InstalledTree()
        let commands = Set(PushMTATests.commands.map { $0[0] })
        let files = try tree.files()
        let pages = files.filter { $0.hasPrefix("usr/share/man/man1/") }
        #expect(pages.contains("usr/share/man/man1/pushmta.1.gz"))
        #expect(pages.isSuperset(of: commands.map { "usr/share/man/man1/pushmta-\($0).1.gz" }))
        let others = files.subtracting(pages).filter { !$0.hasPrefix("usr/share/doc/pushmta/") }
        #expect(
            others == [
                "usr/bin/pushmta", "usr/bin/pushsink", "etc/pushmta/serverConf.xml",
                "usr/lib/systemd/system/pushmta.service", "usr/lib/sysusers.d/pushmta.conf",
                "usr/share/bash-completion/completions/pushmta",
                "usr/share/bash-completion/completions/pushsink",
                "usr/share/zsh/site-functions/_pushmta", "usr/share/zsh/site-functions/_pushsink",
                "usr/share/fish/vendor_completions.d/pushmta.fish",
                "usr/share/fish/vendor_completions.d/pushsink.fish",
            ])
        #expect(pages.contains("usr/share/man/man1/pushsink.1.gz"))
        #expect(files.contains("usr/share/doc/pushmta/Docs/Operate/Reliability.md"))

        try Data("<mine/>".utf8).write(to: URL(filePath: tree.path("etc/pushmta/serverConf.xml")))
        try await tree.make("install")
        try await tree.make("uninstall")
        #expect(try tree.files() == ["etc/pushmta/serverConf.xml"])
        #expect(
            try String(contentsOfFile: tree.path("etc/pushmta/serverConf.xml"), encoding: .utf8) == "<mine/>")
    }

    @Test func `the installed configuration is valid and has the service's paths`() async throws {
        let tree = try await InstalledTree.shared.value
        let file = tree.path("etc/pushmta/serverConf.xml")
        let check = try await tree.run(tree.path("usr/bin/pushmta"), ["config", "check", "--config", file])
        #expect(check.status == 0 && check.output == "\(file): good, 0 warnings\n", "\(check.output)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(text.contains(#"server="/var/lib/pushmta/pushmta.db""#))
        #expect(text.contains(#"apiTokenFile="/var/lib/pushmta/api.token""#))
        #expect(!text.contains(#""var/"#))
    }

    @Test func `the installed program names the documentation's pages by their paths`() async throws {
        let tree = try await InstalledTree.shared.value
        let workspace = try Workspace(configuration: nil)
        let program = tree.path("usr/bin/pushmta")
        let created = try await tree.run(program, ["init", workspace.path("new")])
        #expect(created.status == 0, "\(created.errors)")
        let pages = try workspace.text(of: "new/serverConf.xml").matches(of: /\S+\.md/).map { "\($0.output)" }
        #expect(!pages.isEmpty)
        for page in pages { #expect(FileManager.default.fileExists(atPath: page), "\(page)") }

        let unreachable = try await Workspace.withUnreachableApp("neo")
        let test = try await RunningCommand(
            program: program, arguments: ["app", "test", "neo"], folder: unreachable.folder, input: "",
            output: nil
        ).finished()
        let answers = tree.path("usr/share/doc/pushmta/Docs/Reference/GatewayAnswers.md")
        #expect(test.output.contains("See \(answers)#apns-connect-failed"), "\(test.output)\(test.errors)")
    }

    @Test func `manual pages have no formatting errors and cover every command`() async throws {
        guard InstalledProgram.isThere("/usr/bin/mandoc", debianPackage: "mandoc") else { return }
        let tree = try await InstalledTree.shared.value
        let packed = try tree.files().filter { $0.hasPrefix("usr/share/man/") }.map(tree.path).sorted()
        _ = try await tree.run("/usr/bin/gzip", ["--decompress", "--keep"] + packed)
        let pages = packed.map { $0.replacing(".gz", with: "") }
        let lint = try await tree.run("/usr/bin/mandoc", ["-T", "lint", "-W", "warning"] + pages)
        #expect(lint.status == 0)
        #expect(lint.output.isEmpty)
        // The output uses overstriking for bold and underlined letters.
        let text = try await tree.run("/usr/bin/mandoc", ["-T", "ascii"] + pages).output
            .replacing(/.\u{8}/, with: "")
        for command in PushMTATests.commands {
            #expect(text.contains("pushmta \(command.joined(separator: " "))"), "\(command)")
        }
    }

    @Test(arguments: [
        ("bash", "usr/share/bash-completion/completions/pushmta"),
        ("zsh", "usr/share/zsh/site-functions/_pushmta"),
        ("fish", "usr/share/fish/vendor_completions.d/pushmta.fish"),
    ])
    func `shells can parse their completion files`(shell: String, file: String) async throws {
        guard InstalledProgram.isThere("/usr/bin/\(shell)", debianPackage: shell) else { return }
        let tree = try await InstalledTree.shared.value
        let check = try await tree.run("/usr/bin/\(shell)", ["-n", tree.path(file)])
        #expect(check.status == 0, "\(check.errors)")
        #expect(try String(contentsOfFile: tree.path(file), encoding: .utf8).contains("retry-failed"))
    }

    @Test func `systemd finds no fault in the unit file, which grants few permissions`() async throws {
        let analyzer = "/usr/bin/systemd-analyze"
        guard InstalledProgram.isThere(analyzer, debianPackage: "systemd") else { return }
        let tree = try await InstalledTree.shared.value
        let unit = tree.path("usr/lib/systemd/system/pushmta.service")
        let verify = try await tree.run(analyzer, ["verify", "--man=no", unit])
        #expect(verify.status == 0)
        #expect(!verify.errors.contains("pushmta"), "\(verify.errors)")
        // The threshold is in tenths. The status is 1 above it.
        let security = try await tree.run(
            analyzer, ["security", "--offline=true", "--threshold=20", "--no-pager", unit])
        #expect(security.status == 0, "\(security.output)\(security.errors)")
    }
}
