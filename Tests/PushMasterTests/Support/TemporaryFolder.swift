import Foundation

/// A folder that goes with the story.
enum TemporaryFolder {
    @discardableResult
    static func with<Value>(_ body: (String) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.path + "/pushmta-master-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    /// How often this process has the file open.
    static func openings(of path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
        }
    }
}
