internal import Glibc

/// The maximum number of descriptors of a process (EMFILE, ENFILE).
package enum OpenFileLimit {
    /// Advice for an operator when no descriptor is left.
    package static let advice = "raise LimitNOFILE= of the service, or ulimit -n"

    /// The current limit; `nil` if it cannot be read.
    package static var now: Int? {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Int(clamping: limit.rlim_cur)
    }
}
