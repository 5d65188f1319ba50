import Foundation

/// The `pushmta` that was built together with these tests, in the same configuration: it lies beside the test bundle.
struct BuiltProgram {
    let path: String

    struct NotFound: Error, CustomStringConvertible {
        var directory: String
        var description: String { "there is no executable pushmta in \(directory): build the whole package" }
    }

    init() throws {
        // The tests are an executable of their own here, so this process lies where its siblings do.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directory = URL(filePath: own).deletingLastPathComponent()
        path = directory.appending(path: "pushmta").path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else { throw NotFound(directory: directory.path) }
    }
}
