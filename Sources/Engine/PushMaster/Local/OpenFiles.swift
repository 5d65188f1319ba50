internal import Glibc

/// How many files this process and those that it starts may have open.
package enum OpenFiles {
    /// Nobody needs more, and some programs go through all that they may have.
    private static let enough: rlim_t = 1 << 20

    /// Raises the soft limit to the hard one: the soft one is 1024 nearly everywhere, for programs that use
    /// select().
    /// - Returns: the limit as it is then; nil where it cannot be read.
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
