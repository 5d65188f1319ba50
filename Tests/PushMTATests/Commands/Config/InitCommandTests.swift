import Foundation
import Testing

/// Tests of `init`: a new user gets a working instance from it.
struct InitCommandTests {
    private static let file = "serverConf.xml"

    @Test func `init writes the sample configuration, which has no findings`() async throws {
        let workspace = try Workspace(configuration: nil)
        let first = try await workspace.run("init")
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.hasPrefix("serverConf.xml was written. Next:\n  pushmta config check\n"))
        let sample = PushMTATests.repository.appending(path: Self.file)
        #expect(try workspace.text(of: Self.file) == String(contentsOf: sample, encoding: .utf8))
        let check = try await workspace.run("config", "check")
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }

    @Test func `init accepts a folder, which it creates, and a port`() async throws {
        let workspace = try Workspace(configuration: nil)
        let first = try await workspace.run("init", "push", "--port", "0")
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("cd push && pushmta config check"))
        #expect(try workspace.text(of: "push/serverConf.xml").contains(#"httpPort="0""#))
        #expect(try !workspace.text(of: "push/serverConf.xml").contains("8080"))
    }

    @Test func `the next commands that init prints work exactly as printed`() async throws {
        let workspace = try Workspace(configuration: nil)
        let lines = try await workspace.run("init", "--port", "0").output.split(separator: "\n").dropFirst()
        #expect(lines.count == 3)
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            #expect(words.first == "pushmta")
            let ran = try await workspace.run(Array(words.dropFirst()))
            #expect(ran.status == 0, "\(line): \(ran.errors)")
        }
        #expect(try await workspace.run("stop").status == 0)
    }

    @Test func `init does not change an existing file`() async throws {
        let workspace = try Workspace(configuration: "<serverConf/>")
        let refused = try await workspace.run("init")
        #expect(refused.status == 3)
        #expect(
            refused.errors
                == "pushmta: serverConf.xml already exists and was not changed: edit it, or name another folder\n"
        )
        #expect(try workspace.text(of: Self.file) == "<serverConf/>")
    }

    @Test func `init reports a folder that cannot be created, and an invalid port`() async throws {
        let workspace = try Workspace(configuration: "<serverConf/>")
        let failed = try await workspace.run("init", "serverConf.xml/push")
        #expect(failed.status == 1)
        #expect(failed.errors.contains("cannot create the folder serverConf.xml/push: Not a directory"))
        #expect(try await workspace.run("init", "other", "--port", "70000").status == 2)
        #expect(!workspace.exists("other"))
    }
}
