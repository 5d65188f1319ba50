internal import Glibc

/// How many descriptors a process may have (EMFILE, ENFILE).
package enum OpenFileLimit {
    /// What an operator can do when none is left.
    package static let advice = "raise LimitNOFILE= of the service, or ulimit -n"

    /// nil: it cannot be read.
    package static var now: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
