internal import CPushShims
internal import Glibc
internal import PushStore
internal import PushSystem

/// The Unix socket next to the store, mode 0600, on which a service answers the programs of its machine. Any
/// process that can open it acts as the operator. Docs/Send/API.md describes the answers.
package final class LocalSocket: Sendable {
    /// The descriptor, which is already listening.
    package let descriptor: Int32
    package let path: String
    private let file: FileIdentity?

    package static func path(besideStore storePath: String) -> String { storePath + ".control" }

    package init(besideStore storePath: String) throws(MasterError) {
        // Assigned last: a class that throws after all its properties are set is deinitialised and would
        // unlink the file.
        let path = Self.path(besideStore: storePath)
        let listener = unsafe push_unix_listen(path)
        guard listener >= 0 else { throw .system(what: "listen on", path: path, errorNumber: errno) }
        self.path = path
        file = FileIdentity.look(at: path).identity
        descriptor = listener
    }

    deinit {
        // By then another store, with its master's socket, may have this name.
        if let file, FileIdentity.look(at: path).identity == file { unsafe unlink(path) }
        close(descriptor)
    }
}
