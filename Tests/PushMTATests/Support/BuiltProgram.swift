import Foundation

/// A program that was built together with these tests, in the same configuration. It is located next to the
/// test bundle.
struct BuiltProgram {
    let path: String

    struct NotFound: Error, CustomStringConvertible {
        var name: String
        var directory: String
        var description: String { "there is no executable \(name) in \(directory): build the whole package" }
    }

    init(_ name: String = "pushmta") throws {
        // The tests are a separate executable here, so the directory of this process contains its siblings.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let directory = URL(filePath: own).deletingLastPathComponent()
        path = directory.appending(path: name).path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw NotFound(name: name, directory: directory.path)
        }
    }
}
