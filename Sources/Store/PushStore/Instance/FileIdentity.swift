internal import Glibc
internal import PushModel

/// The file to which a name refers: the device on which it is stored, and its number there.
///
/// While a process has a file open, the file's number is not assigned to another file. Therefore, a process
/// that holds a file open can determine from the file's name alone whether the name still refers to that
/// file. This is true on local file systems, on overlays after the file was opened for writing, and on
/// network file systems whose server does not change the numbers of files.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    init(_ facts: stat) { self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) }

    /// The result of looking at a name.
    package enum ProbeResult: Equatable, Sendable {
        /// - Parameter names: The number of hard links of the file.
        case file(FileIdentity, names: Int)
        case absent
        /// The check failed, so nothing is known about the file.
        case unknown(errorNumber: Int32)

        package var identity: FileIdentity? {
            if case .file(let identity, _) = self { identity } else { nil }
        }
    }

    /// Looks at a name with stat(2), without opening the file. Opening and closing SQLite's file would drop
    /// the locks that this process has on it.
    package static func look(at path: String) -> ProbeResult {
        var facts = stat()
        return probeResult(unsafe stat(path, &facts), facts)
    }

    package static func look(at descriptor: Int32) -> ProbeResult {
        var facts = stat()
        return probeResult(unsafe fstat(descriptor, &facts), facts)
    }

    private static func probeResult(_ result: Int32, _ facts: stat) -> ProbeResult {
        guard result == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .absent : .unknown(errorNumber: errno)
        }
        let identity = FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
        return .file(identity, names: Int(clamping: facts.st_nlink))
    }
}

/// Identifies the current version of a file. Every change to the file's contents, owner or permissions
/// results in a different version.
struct FileVersion: Equatable, Sendable {
    private let identity: FileIdentity
    private let size: Int64
    /// The time of the last change to any property of the file, in nanoseconds since 1970.
    private let changed: Int64

    /// Returns `nil` if the file cannot be looked at.
    init?(of path: String) {
        var facts = stat()
        guard unsafe stat(path, &facts) == 0 else { return nil }
        identity = FileIdentity(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino))
        size = Int64(facts.st_size)
        changed = Int64(facts.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(facts.st_ctim.tv_nsec)
    }
}

/// A file that a process holds open, and its name, which must continue to refer to it.
package struct WatchedFile: Equatable, Sendable {
    package enum Role: String, Sendable {
        case store = "the store"
        case log = "the store's log"
        case index = "the store's index"
        case lock = "the lock file"
        case claim = "the master's lock on the store"
        /// For a store on a server.
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

    /// Returns the change; `nil` if the name still refers to the file, or if this cannot be determined at
    /// present.
    package func change(seen: FileIdentity.ProbeResult) -> FileChange? {
        switch seen {
        case .file(identity, _), .unknown: nil
        case .file: FileChange(role: role, path: path, kind: .replaced)
        case .absent: FileChange(role: role, path: path, kind: .removed)
        }
    }

    /// Looks at the name and returns the change; `nil` if the name still refers to the file, or if this
    /// cannot be determined at present.
    package func change() -> FileChange? { change(seen: FileIdentity.look(at: path)) }
}

/// A change to a file or a lock that this process has: it was removed, replaced or taken away.
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
