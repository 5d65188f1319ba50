import Foundation
import Glibc
import TestSupport
import Testing

/// Tests which files `subscribers import --rejects` overwrites and which it does not.
struct RejectsFileTests {
    private static let bad = "registrationToken,userKey\n\(String(repeating: "ab", count: 32)),good\nx,y\n"
    private static let header = "line,reason\n"

    private func importing(
        _ workplace: Workplace, _ options: String..., from file: String = "list.csv", input: String = ""
    ) async throws -> Finished {
        try await workplace.run(["subscribers", "import", "--app", "ios", file] + options, input: input)
    }

    private func workplace() async throws -> Workplace {
        let workplace = try await Workplace.withApp()
        try workplace.write(Self.bad, to: "list.csv")
        return workplace
    }

    /// Returns the files of the folder that do not belong to the product.
    private func leftovers(_ workplace: Workplace) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: workplace.folder.path)
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
    @Test func `key and configuration are never overwritten, even with --force`() async throws {
        let workplace = try await workplace()
        let key = try #require(
            FileManager.default.subpaths(atPath: workplace.folder.path)?.first {
                $0.hasSuffix("instance.key")
            })
        for own in [key, "serverConf.xml"] {
            let before = try Data(contentsOf: workplace.folder.appending(path: own))
            let finished = try await importing(workplace, "--rejects", own, "--force")
            #expect(finished.status == 3, "\(finished.errors)")
            #expect(try Data(contentsOf: workplace.folder.appending(path: own)) == before)
        }
    }

    @Test func `the imported file is never overwritten, under any of its names`() async throws {
        let workplace = try await workplace()
        #expect(unsafe link(workplace.path("list.csv"), workplace.path("hard.csv")) == 0)
        #expect(unsafe symlink("list.csv", workplace.path("soft.csv")) == 0)
        for (input, rejects) in [
            ("list.csv", "list.csv"), ("list.csv", "./list.csv"), ("list.csv", "hard.csv"),
            ("soft.csv", "list.csv"),
        ] {
            for force in [[], ["--force"]] {
                let finished = try await workplace.run(
                    ["subscribers", "import", "--app", "ios", input, "--rejects", rejects] + force)
                expectRefusal(finished, "is the imported file")
            }
        }
        #expect(try workplace.text(of: "list.csv") == Self.bad)
        #expect(try await workplace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }

    @Test func `the file behind standard input is never overwritten either`() async throws {
        let workplace = try await workplace()
        let running = try workplace.start(
            ["subscribers", "import", "--app", "ios", "-", "--rejects", "/proc/self/fd/0"], input: Self.bad)
        expectRefusal(try await running.finished(), "/proc/self/fd/0 is a symbolic link")
    }

    @Test func `the store is never overwritten`() async throws {
        let workplace = try await workplace()
        expectRefusal(
            try await importing(workplace, "--rejects", "var/pushmta.db", "--force"),
            "var/pushmta.db is the store")
        #expect(try await workplace.succeed("subscribers", "count", "--app", "ios").output == "0\n")
    }

    @Test func `a symbolic link is not followed`() async throws {
        let workplace = try await workplace()
        try workplace.write("precious\n", to: "precious.txt")
        #expect(unsafe symlink("precious.txt", workplace.path("rejects.csv")) == 0)
        for force in [[], ["--force"]] {
            let finished = try await workplace.run(
                ["subscribers", "import", "--app", "ios", "list.csv", "--rejects", "rejects.csv"] + force)
            expectRefusal(finished, "is a symbolic link")
        }
        #expect(try workplace.text(of: "precious.txt") == "precious\n")
        #expect(try leftovers(workplace).isEmpty)
    }

    @Test func `a file that is not a rejects file is replaced only on request`() async throws {
        let workplace = try await workplace()
        try workplace.write("line,reasons\n", to: "rejects.csv")
        expectRefusal(try await importing(workplace, "--rejects", "rejects.csv"), "--force")
        #expect(try workplace.text(of: "rejects.csv") == "line,reasons\n")
        #expect(try await workplace.succeed("subscribers", "count", "--app", "ios").output == "0\n")

        #expect(try await importing(workplace, "--rejects", "rejects.csv", "--force").status == 1)
        #expect(try workplace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        var facts = stat()
        #expect(unsafe stat(workplace.path("rejects.csv"), &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        #expect(try leftovers(workplace).isEmpty)
    }

    @Test func `an earlier rejects file is replaced, even by an import without rejects`() async throws {
        let workplace = try await workplace()
        #expect(try await importing(workplace, "--rejects", "rejects.csv").status == 1)
        #expect(try workplace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        try workplace.write(Workplace.subscribers(2), to: "list.csv")
        #expect(try await importing(workplace, "--rejects", "rejects.csv").status == 0)
        #expect(try workplace.text(of: "rejects.csv") == Self.header)
    }

    @Test func `a refused file leaves an earlier rejects file unchanged`() async throws {
        let workplace = try await workplace()
        #expect(try await importing(workplace, "--rejects", "rejects.csv").status == 1)
        let before = try workplace.text(of: "rejects.csv")
        try workplace.write("no header\n", to: "list.csv")
        #expect(try await importing(workplace, "--rejects", "rejects.csv").status == 3)
        #expect(try workplace.text(of: "rejects.csv") == before)
        #expect(try leftovers(workplace).isEmpty)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `an interrupted import reports its progress and keeps its rejects`(signal: Int32)
        async throws
    {
        let workplace = try await workplace()
        #expect(unsafe mkfifo(workplace.path("pipe"), 0o600) == 0)
        let pipe = unsafe open(workplace.path("pipe"), O_RDWR | O_CLOEXEC)
        try #require(pipe >= 0)
        defer { close(pipe) }
        let bytes = Array(Self.bad.utf8)
        try #require(unsafe write(pipe, bytes, bytes.count) == bytes.count)
        let running = try workplace.start(
            ["subscribers", "import", "--app", "ios", "pipe", "--rejects", "rejects.csv"])
        // When the pipe is empty, the program has read its content and waits for more.
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
        #expect(try workplace.text(of: "rejects.csv").hasPrefix(Self.header + "3,"))
        #expect(try leftovers(workplace).isEmpty)
    }
}
