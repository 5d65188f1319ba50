internal import Glibc

/// The free space on a disk.
package enum FreeSpace {
    /// Returns the number of bytes available to a user without privileges on the disk that contains, or will
    /// contain, this file; `nil` if it cannot be determined.
    package static func bytes(besides path: String) -> Int? {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
            separator: "/")
        var facts = statvfs()
        guard unsafe statvfs(folder.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : folder, &facts) == 0 else {
            return nil
        }
        return Int(
            clamping: UInt64(facts.f_bavail).multipliedReportingOverflow(by: UInt64(facts.f_frsize))
                .partialValue)
    }
}
