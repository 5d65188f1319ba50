import Foundation
import Testing

/// What `make install` puts into a folder, of the programs that were built with these tests.
final class InstalledTree: Sendable {
    /// For those that only look.
    static let shared = Task { try await InstalledTree() }

    private let workplace: Workplace
    let root: URL

    init() async throws {
        workplace = try Workplace(configuration: nil)
        root = workplace.folder.appending(path: "root")
        try await make("install")
    }

    /// No staging: what it installs names the places where it lies.
    func make(_ goal: String) async throws {
        let root = root.path(percentEncoded: false)
        let finished = try await run(
            "/usr/bin/make",
            [
                "--no-print-directory", "--directory", PushMTATests.repository.path(percentEncoded: false),
                goal,
                "PREFIX=\(root)/usr", "SYSCONFDIR=\(root)/etc", "PROGRAM=\(try BuiltProgram().path)",
                "PAGES=\(try BuiltProgram("pushpages").path)",
            ])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    func run(_ program: String, _ arguments: [String]) async throws -> Finished {
        try await RunningCommand(
            program: program, arguments: arguments, folder: workplace.folder, input: "", output: nil
        ).finished()
    }

    func path(_ name: String) -> String { root.appending(path: name).path(percentEncoded: false) }

    /// Every file, by its path below the root.
    func files() throws -> Set<String> {
        let everything = try FileManager.default.subpathsOfDirectory(atPath: path(""))
        return Set(
            try everything.filter {
                try root.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
                    == true
            })
    }

    static func isInstalled(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\(program)")
    }

    /// Where it is not installed a test says nothing; where tests are run for others (`CI` in the environment)
    /// that is a failure.
    static func requires(_ program: String) -> Bool {
        if isInstalled(program) { return true }
        if ProcessInfo.processInfo.environment["CI"] != nil { Issue.record("\(program) is not installed") }
        return false
    }
}
