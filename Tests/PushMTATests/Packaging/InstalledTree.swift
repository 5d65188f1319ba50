import Foundation
import Testing

/// The files that `make install` puts into a folder, with the programs that were built together with these
/// tests.
final class InstalledTree: Sendable {
    /// For tests that do not modify the tree.
    static let shared = Task { try await InstalledTree() }

    private let workspace: Workspace
    let root: URL

    init() async throws {
        workspace = try Workspace(configuration: nil)
        root = workspace.folder.appending(path: "root")
        try await make("install")
    }

    /// There is no staging folder: the installed files contain the paths at which they are.
    func make(_ goal: String) async throws {
        let root = root.path(percentEncoded: false)
        let finished = try await run(
            "/usr/bin/make",
            [
                "--no-print-directory", "--directory", PushMTATests.repository.path(percentEncoded: false),
                goal,
                "PREFIX=\(root)/usr", "SYSCONFDIR=\(root)/etc",
                "BUILT=\(URL(filePath: try BuiltProgram().path).deletingLastPathComponent().path)",
            ])
        #expect(finished.status == 0, "\(finished.errors)")
    }

    func run(_ program: String, _ arguments: [String]) async throws -> Finished {
        try await RunningCommand(
            program: program, arguments: arguments, folder: workspace.folder, input: "", output: nil
        ).finished()
    }

    func path(_ name: String) -> String { root.appending(path: name).path(percentEncoded: false) }

    /// Returns every file, as a path relative to the root.
    func files() throws -> Set<String> {
        let everything = try FileManager.default.subpathsOfDirectory(atPath: path(""))
        return Set(
            try everything.filter {
                try root.appending(path: $0).resourceValues(forKeys: [.isRegularFileKey]).isRegularFile
                    == true
            })
    }
}
