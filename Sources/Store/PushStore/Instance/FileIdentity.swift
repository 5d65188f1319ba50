internal import Glibc
internal import PushModel

/// Which file a name stands for: the device that it lies on and its number there.
///
/// A number is not given to another file while somebody has this one open, so who holds a file open can tell
/// by its name alone whether the name still stands for it. That holds on file systems of this machine, on
/// overlays once the file was opened for writing, and on network file systems whose server keeps its numbers.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ facts: stat) { self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) }

    /// What a look at a name found.
    package enum ProbeResult: Equatable, Sendable {
        /// - Parameter names: how many hard links the file has.
        case file(FileIdentity, names: Int)
        case absent
        /// The look failed, which says nothing about the file.
        case unknown(errorNumber: Int32)

        package var identity: FileIdentity? {
            if case .file(let identity, _) = self { identity } else { nil }
        }
    }

    /// By stat(2): the file is not opened. To open SQLite's file and close it would drop the locks that this
    /// process has on it.
    package static func look(at path: String) -> ProbeResult {
        var facts = stat()
        return sighting(unsafe stat(path, &facts), facts)
    }

    package static func look(at descriptor: Int32) -> ProbeResult {
        var facts = stat()
        return sighting(unsafe fstat(descriptor, &facts), facts)
    }

    private static func sighting(_ result: Int32, _ facts: stat) -> ProbeResult {
        guard result == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .absent : .unknown(errorNumber: errno)
        }
        let identity = FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
        return .file(identity, names: Int(clamping: facts.st_nlink))
    }
}

/// A file as it is now: every change of contents, owner or rights makes another version of it.
struct FileVersion: Equatable, Sendable {
    private let identity: FileIdentity
    private let size: Int64
    /// Of the last change of anything about it, in nanoseconds since 1970.
    private let changed: Int64

    /// nil where it cannot be looked at.
    init?(of path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        identity = FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
        size = Int64(facts.st_size)
        changed = Int64(facts.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_ctim.tv_nsec)
    }
}

/// A file that somebody holds open, and its name, which is to go on standing for it.
package struct WatchedFile: Equatable, Sendable {
    package enum Role: String, Sendable {
        case store = "the store"
        case log = "the store's log"
        case index = "the store's index"
        case lock = "the lock file"
        case claim = "the master's lock of the store"
        /// Of a server.
        case database = "the store's database"
    }

    package let role: Role
    package let path: String
    package let identity: FileIdentity

    package init(_ role: Role, path: String, identity: FileIdentity) {
        self.role = role
        self.path = path
        self.identity = identity
    }

    /// nil where the name stands for the file still, or where nobody can tell at present.
    package func change(seen: FileIdentity.ProbeResult) -> FileChange? {
        switch seen {
        case .file(identity, _), .unknown: nil
        case .file: FileChange(role: role, path: path, kind: .replaced)
        case .absent: FileChange(role: role, path: path, kind: .removed)
        }
    }

    /// The same by a look at the name.
    package func change() -> FileChange? { change(seen: FileIdentity.look(at: path)) }
}

/// A file, or a lock, was taken from under somebody who has it.
package struct FileChange: Equatable, Sendable, CustomStringConvertible {
    package enum Kind: String, Sendable { case removed, replaced, taken }

    package let role: WatchedFile.Role
    package let path: String
    package let kind: Kind

    package init(role: WatchedFile.Role, path: String, kind: Kind) {
        self.role = role
        self.path = path
        self.kind = kind
    }

    package var description: String {
        "\(role.rawValue) \(path.printable(atMost: 1_000)) was \(kind.rawValue)"
    }
}
