internal import Glibc

/// The kernel's information about this process.
package enum ProcessFacts {
    /// The user and system time of all threads of this process, in seconds.
    package static var processorSeconds: Double {
        var usage = rusage()
        guard unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        return [usage.ru_utime, usage.ru_stime].reduce(0) {
            $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
        }
    }

    /// The number of open descriptors; `nil` if they cannot be counted.
    package static var openFiles: Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while unsafe readdir(folder) != nil { count += 1 }
        // `.`, `..`, and the folder itself.
        return max(count - 3, 0)
    }
}
