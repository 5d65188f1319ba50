internal import Glibc

/// What the kernel says of a process that still runs: CPU and memory, from /proc.
package struct ProcessFigures: Equatable, Sendable {
    /// User and system time of the process itself, seconds; the kernel counts in hundredths.
    package var ownSeconds = 0.0
    /// The same of its children that have ended and were waited for.
    package var endedChildrenSeconds = 0.0
    /// The most memory that it ever had resident (VmHWM), MiB.
    package var peakMegabytes = 0.0
    /// What it has resident now (VmRSS), MiB.
    package var residentMegabytes = 0.0

    /// Nil where there is no such process.
    package init?(of processID: Int32) {
        // utime, stime, cutime and cstime are the 14th to 17th of proc(5).
        let fields = ProcessTable.status(of: processID)
        guard fields.count > 14 else { return nil }
        let times = fields[11...14].map { (Double($0) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK))) }
        ownSeconds = times[0] + times[1]
        endedChildrenSeconds = times[2] + times[3]
        for line in Folder.text("/proc/\(processID)/status").split(separator: "\n") {
            let words = line.split(whereSeparator: \.isWhitespace)
            guard words.count > 1, let kilobytes = Double(words[1]) else { continue }
            switch words[0] {
            case "VmHWM:": peakMegabytes = kilobytes / 1024
            case "VmRSS:": residentMegabytes = kilobytes / 1024
            default: break
            }
        }
    }
}
