package import Foundation

/// The files of the checkout from which the tests were built.
package enum Repository {
    package static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter path: The path relative to the top of the repository.
    package static func file(_ path: String) -> URL { root.appending(path: path) }

    /// Returns the folder of a target in one of the layers below `Sources`.
    package static func target(_ name: String) -> URL {
        let sources = file("Sources")
        let layers = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
        return layers.map { sources.appending(path: "\($0)/\(name)") }
            .first { FileManager.default.fileExists(atPath: $0.path) } ?? sources.appending(path: name)
    }

    package static func swiftFiles(in folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (all?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
    }
}
