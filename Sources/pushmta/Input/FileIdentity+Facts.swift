internal import Glibc
internal import PushStore

extension FileIdentity {
    init(_ facts: stat) { self.init(device: UInt64(facts.st_dev), inode: UInt64(facts.st_ino)) }

    /// nil where there is no such file.
    init?(path: String) {
        guard let identity = Self.look(at: path).identity else { return nil }
        self = identity
    }
}
