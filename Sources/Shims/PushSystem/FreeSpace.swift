internal import Glibc

/// What is left on a disk.
package enum FreeSpace {
    /// On the disk that this file, or what will be it, lies on; for a user without privileges. nil where it
    /// cannot be told.
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
