internal import CPushShims
internal import Glibc
internal import PushStore
internal import PushSystem

/// The Unix socket beside the store, mode 0600, on which a service answers the programs of its machine. Any process
/// that can open it acts as the operator. What it answers is described in Docs/API.md.
package final class LocalSocket: Sendable {
    /// Listens already.
    package let descriptor: Int32
    package let path: String
    private let file: FileIdentity?

    package static func path(besideStore storePath: String) -> String { storePath + ".control" }

    package init(besideStore storePath: String) throws(MasterError) {
        // Assigned last: a class that throws with all its properties set is deinitialised, and would unlink.
        let path = Self.path(besideStore: storePath)
        let listener = unsafe push_unix_listen(path)
        guard listener >= 0 else { throw .system(what: "listen on", path: path, errorNumber: errno) }
        self.path = path
        file = FileIdentity.look(at: path).identity
        descriptor = listener
    }

    deinit {
        // By then another store may have come to this name, and its master's socket.
        if let file, FileIdentity.look(at: path).identity == file { unsafe unlink(path) }
        close(descriptor)
    }
}
