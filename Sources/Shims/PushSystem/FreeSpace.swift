internal import Glibc

/// The free space of a file system.
package struct FreeSpace: Sendable {
    /// The folder that was examined.
    package let folder: String
    /// The device number of the file system. Two folders on the same file system have the same number.
    package let fileSystem: UInt64
    /// The number of bytes available to a user without privileges.
    package let bytes: Int
    package let totalBytes: Int

    /// Examines the file system that contains, or will contain, this file. Returns `nil` if the file system
    /// cannot be examined, for example because the folder does not exist.
    package init?(nextTo path: String) {
        let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        folder = parent.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : parent
        var space = statvfs()
        var facts = stat()
        guard unsafe statvfs(folder, &space) == 0, unsafe stat(folder, &facts) == 0 else { return nil }
        fileSystem = UInt64(facts.st_dev)
        bytes = Self.bytes(space.f_bavail, of: space)
        totalBytes = Self.bytes(space.f_blocks, of: space)
    }

    private static func bytes(_ blocks: fsblkcnt_t, of space: statvfs) -> Int {
        let (bytes, isTooLarge) = UInt64(blocks).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return isTooLarge ? .max : Int(clamping: bytes)
    }
}
