internal import CPushShims
internal import Glibc
internal import PushStore
internal import PushSystem

/// Where other processes of this machine reach a running master: a Unix socket beside the store, mode 0600.
/// What they may ask stands in `PushWire/Control`.
package final class ControlSocket: Sendable {
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

    /// The next who waits; nil: nobody.
    package func accept() throws(MasterError) -> Int32? {
        let client = push_unix_accept(descriptor)
        if client >= 0 { return client }
        guard SystemErrorText.isShortage(errno) else { return nil }
        throw .system(what: "accept a connection on", path: path, errorNumber: errno)
    }
}

/// A descriptor that is given up for the moment when no other is free: who asks then has an answer, and does
/// not wait in a queue that wakes its server for ever.
struct SpareDescriptor: ~Copyable {
    private var descriptor: Int32 = -1

    /// Whether there is one. Without it no client can be accepted, so there is no use in waiting for one.
    mutating func keep() -> Bool {
        if descriptor < 0 { descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        return descriptor >= 0
    }

    mutating func giveUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    deinit { if descriptor >= 0 { close(descriptor) } }
}
