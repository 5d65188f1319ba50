import Glibc
import Testing

/// Resource limits of another process, changed while it runs.
enum ResourceLimit {
    /// prlimit(2), which Glibc's module does not declare.
    private typealias Function =
        @convention(c) (pid_t, UInt32, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> Int32

    /// - Returns: The previous soft limit.
    @discardableResult
    static func set(_ resource: __rlimit_resource, _ value: rlim_t, for process: Int32) throws -> rlim_t {
        let symbol = unsafe try #require(dlsym(nil, "prlimit"))
        let prlimit = unsafe unsafeBitCast(symbol, to: Function.self)
        var limits = rlimit()
        try #require(unsafe prlimit(process, resource.rawValue, nil, &limits) == 0)
        let before = limits.rlim_cur
        limits.rlim_cur = value
        try #require(unsafe prlimit(process, resource.rawValue, &limits, nil) == 0)
        return before
    }
}
