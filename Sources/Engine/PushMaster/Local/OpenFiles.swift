internal import Glibc

/// The number of files that this process and its child processes may have open.
package enum OpenFiles {
    /// The highest limit that is requested. No process needs more, and some programs iterate over all
    /// descriptors that they may have.
    private static let enough: rlim_t = 1 << 20

    /// Raises the soft limit to the hard limit. The soft limit is 1024 on nearly every system, for programs
    /// that use select().
    /// - Returns: The resulting limit; `nil` if it cannot be read.
    @discardableResult
    package static func raiseLimit() -> UInt64? {
        var limit = rlimit()
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard unsafe getrlimit(files, &limit) == 0 else { return nil }
        let wanted = max(limit.rlim_cur, min(limit.rlim_max, enough))
        guard wanted > limit.rlim_cur else { return UInt64(limit.rlim_cur) }
        limit.rlim_cur = wanted
        guard unsafe setrlimit(files, &limit) == 0 else { return nil }
        return UInt64(wanted)
    }
}
