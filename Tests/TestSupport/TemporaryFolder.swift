package import Foundation
import Testing

/// A folder that is removed after the test.
package enum TemporaryFolder {
    /// Creates a folder below `TMPDIR` or /tmp. The caller must remove it.
    package static func make() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "pushmta-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @discardableResult
    package static func with<Value>(_ body: (String) throws -> Value) throws -> Value {
        let folder = try make()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path(percentEncoded: false))
    }

    /// The same for a test that lets others run meanwhile.
    package static func with<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let folder = try make()
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder.path(percentEncoded: false))
    }

    // MARK: What lies in it

    /// Returns the permissions of a file; `nil` if the file does not exist.
    package static func mode(of path: String) -> UInt32? {
        var facts = stat()
        return unsafe stat(path, &facts) == 0 ? facts.st_mode & 0o777 : nil
    }

    package static func setMode(_ mode: UInt32, of path: String) {
        #expect(unsafe chmod(path, mode) == 0)
    }

    /// Returns how often this process has the file open.
    package static func openings(of path: String) -> Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
        }
    }
}
