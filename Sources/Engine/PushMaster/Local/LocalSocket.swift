internal import CPushShims
internal import Glibc
internal import PushStore
internal import PushSystem

/// The Unix socket next to the store, mode 0600, on which a service answers other programs on the machine.
/// Any process that can open it acts as the operator. Docs/Send/API.md describes the answers.
package final class LocalSocket: Sendable {
    /// The descriptor, which is already listening.
    package let descriptor: Int32
    package let path: String
    private let file: FileIdentity?

    package static func path(forStore storePath: String) -> String { storePath + ".control" }

    package init(forStore storePath: String) throws(MasterError) {
        // The properties are assigned last: if the initialiser of a class throws after all properties are
        // set, the object is deinitialised, which would unlink the file.
        let path = Self.path(forStore: storePath)
        let listener = unsafe push_unix_listen(path)
        guard listener >= 0 else { throw .system(what: "listen on", path: path, errorNumber: errno) }
        self.path = path
        file = FileIdentity.look(at: path).identity
        descriptor = listener
    }

    deinit {
        // By now, the file with this name may be the socket of another store's master.
        if let file, FileIdentity.look(at: path).identity == file { unsafe unlink(path) }
        close(descriptor)
    }
}
