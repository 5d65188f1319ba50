import Foundation
import Glibc
import TestSupport
import Testing

/// Tests which files `subscribers import --rejects` overwrites and which files it does not overwrite.
struct RejectsFileTests {
    private static let bad = "registrationToken,userKey\n\(String(repeating: "ab", count: 32)),good\nx,y\n"
    private static let header = "line,reason\n"

    private func importing(
        _ workspace: Workspace, _ options: String..., from file: String = "list.csv", input: String = ""
    ) async throws -> Finished {
        try await workspace.run(["subscribers", "import", "--app", "ios", file] + options, input: input)
    }

    private func workspace() async throws -> Workspace {
        let workspace = try await Workspace.withApp()
        try workspace.write(Self.bad, to: "list.csv")
        return workspace
    }

    /// Returns the files in the folder that do not belong to the product.
    private func leftovers(_ workspace: Workspace) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path)
            .filter { $0.hasPrefix("rejects") && $0 != "rejects.csv" }
    }

    private func expectRefusal(
        _ finished: Finished, _ hint: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(finished.status == 3, sourceLocation: sourceLocation)
        #expect(finished.errorLines.count == 1, sourceLocation: sourceLocation)
        #expect(finished.errors.contains(hint), "\(finished.errors)", sourceLocation: sourceLocation)
    }

    /// The key is the most important file: without it every credential is lost.
    @Test func `a rejects file never overwrites the key or the configuration, even with --force`()
        async throws
    {
        let workspace = try await workspace()
        let key = try #require(
            FileManager.default.subpaths(atPath: workspace.folder.path)?.first {
                $0.hasSuffix("instance.key")
            })
        for own in [key, "serverConf.xml"] {
            let before = try Data(contentsOf: workspace.folder.appending(path: own))
            let finished = try await importing(workspace, "--rejects", own, "--force")
            #expect(finished.status == 3, "\(finished.errors)")
            #expect(try Data(contentsOf: workspace.folder.appending(path: own)) == before)
        }
    }

    @Test func `a rejects file never overwrites the imported file, under any name of this file`() async throws
    {
        let workspace = try await workspace()
        #expect(unsafe link(workspace.path("list.csv"), workspace.path("hard.csv")) == 0)
        #expect(unsafe symlink("list.csv", workspace.path("soft.csv")) == 0)
        for (input, rejects) in [
            ("list.csv", "list.csv"), ("list.csv", "./list.csv"), ("list.csv", "hard.csv"),
            ("soft.csv", "list.csv"),
        ] {
            for force in [[], ["--force"]] {
                let finished = try await workspace.run(
                    ["subscribers", "import", "--app", "ios", input, "--rejects", rejects] + force)
                expectRefusal(finished, "is the imported file")
            }
        }
        #expect(try workspace.text(of: "list.csv") == Self.bad)
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }

    @Test func `a rejects file never overwrites the file behind standard input`() async throws {
        let workspace = try await workspace()
        let running = try workspace.start(
            ["subscribers", "import", "--app", "ios", "-", "--rejects", "/proc/self/fd/0"], input: Self.bad)
        expectRefusal(try await running.finished(), "/proc/self/fd/0 is a symbolic link")
    }

    @Test func `a rejects file never overwrites the store`() async throws {
        let workspace = try await workspace()
        expectRefusal(
            try await importing(workspace, "--rejects", "var/pushmta.db", "--force"),
            "var/pushmta.db is the store")
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }

    @Test func `the path of a rejects file is refused if it is a symbolic link`() async throws {
        let workspace = try await workspace()
        try workspace.write("precious\n", to: "precious.txt")
        #expect(unsafe symlink("precious.txt", workspace.path("rejects.csv")) == 0)
        for force in [[], ["--force"]] {
            let finished = try await workspace.run(
                ["subscribers", "import", "--app", "ios", "list.csv", "--rejects", "rejects.csv"] + force)
            expectRefusal(finished, "is a symbolic link")
        }
        #expect(try workspace.text(of: "precious.txt") == "precious\n")
        #expect(try leftovers(workspace).isEmpty)
    }

    @Test func `a file that is not a rejects file is replaced only if requested`() async throws {
        let workspace = try await workspace()
        try workspace.write("line,reasons\n", to: "rejects.csv")
        expectRefusal(try await importing(workspace, "--rejects", "rejects.csv"), "--force")
        #expect(try workspace.text(of: "rejects.csv") == "line,reasons\n")
        #expect(try await workspace.succeed("subscribers", "count", "--app", "ios").output == "0\n")

        #expect(try await importing(workspace, "--rejects", "rejects.csv", "--force").status == 1)
        #expect(try workspace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        var facts = stat()
        #expect(unsafe stat(workspace.path("rejects.csv"), &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(try leftovers(workspace).isEmpty)
    }

    @Test func `an earlier rejects file is replaced, even by an import without rejects`() async throws {
        let workspace = try await workspace()
        #expect(try await importing(workspace, "--rejects", "rejects.csv").status == 1)
        #expect(try workspace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        try workspace.write(Workspace.subscribers(2), to: "list.csv")
        #expect(try await importing(workspace, "--rejects", "rejects.csv").status == 0)
        #expect(try workspace.text(of: "rejects.csv") == Self.header)
    }

    @Test func `an import that is refused leaves an earlier rejects file unchanged`() async throws {
        let workspace = try await workspace()
        #expect(try await importing(workspace, "--rejects", "rejects.csv").status == 1)
        let before = try workspace.text(of: "rejects.csv")
        try workspace.write("no header\n", to: "list.csv")
        #expect(try await importing(workspace, "--rejects", "rejects.csv").status == 3)
        #expect(try workspace.text(of: "rejects.csv") == before)
        #expect(try leftovers(workspace).isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted import reports its progress and keeps its rejects file`(signal: Int32)
        async throws
    {
        let workspace = try await workspace()
        #expect(unsafe mkfifo(workspace.path("pipe"), 0o600) == 0)
        let pipe = unsafe open(workspace.path("pipe"), O_RDWR | O_CLOEXEC)
        try #require(pipe >= 0)
        defer { close(pipe) }
        let bytes = Array(Self.bad.utf8)
        try #require(unsafe write(pipe, bytes, bytes.count) == bytes.count)
        let running = try workspace.start(
            ["subscribers", "import", "--app", "ios", "pipe", "--rejects", "rejects.csv"])
        // When the pipe is empty, the program has read its content and waits for more data.
        var left: Int32 = 1
        let end = ContinuousClock.now + Patience.limit
        while left > 0, ContinuousClock.now < end {
            try #require(unsafe ioctl(pipe, UInt(FIONREAD), &left) == 0)
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(left == 0)
        running.signal(signal)
        let finished = try await running.finished()
        #expect(finished.status == -signal)
        #expect(finished.errors.contains("interrupted: ") && finished.errors.contains("1 were rejected"))
        #expect(try workspace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        #expect(try leftovers(workspace).isEmpty)
    }
}
