internal import Glibc

/// What the kernel says of a process that still runs: CPU and memory, from /proc.
package struct ProcessFigures: Equatable, Sendable {
    /// User and system time of the process itself, seconds; the kernel counts in hundredths.
    package var ownSeconds = 0.0
    /// The same of its children that have ended and were waited for.
    package var endedChildrenSeconds = 0.0
    /// The most memory that it ever had resident (VmHWM), MiB.
    package var peakMegabytes = 0.0

    /// Nil where there is no such process.
    package init?(of processID: Int32) {
        // The name in parentheses may hold anything, so fields are counted from the last parenthesis: utime, stime,
        // cutime and cstime are the 14th to 17th of proc(5), which is the 12th to 15th after it.
        let text = Folder.text("/proc/\(processID)/stat")
        guard let name = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: name)...].split(separator: " ")
        guard fields.count > 14 else { return nil }
        let times = fields[11...14].map { (Double($0) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK))) }
        ownSeconds = times[0] + times[1]
        endedChildrenSeconds = times[2] + times[3]
        for line in Folder.text("/proc/\(processID)/status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
            let kilobytes = line.dropFirst(6).split(whereSeparator: \.isWhitespace).first.flatMap { Double($0) }
            peakMegabytes = (kilobytes ?? 0) / 1024
        }
    }
}

/// Which processes there are.
package enum ProcessTable {
    /// Those that hold a file open below the folder, other than this one: `pid name`.
    package static func holding(_ folder: String) -> [(processID: Int32, name: String)] {
        Folder.names(in: "/proc").compactMap { entry in
            guard let processID = Int32(entry), processID != getpid() else { return nil }
            let descriptors = "/proc/\(processID)/fd"
            let holds = Folder.names(in: descriptors).contains { target(of: "\(descriptors)/\($0)").hasPrefix(folder) }
            guard holds else { return nil }
            let words = Folder.text("/proc/\(processID)/cmdline").split(separator: "\0")
            let program = words.first?.split(separator: "/").last.map(String.init) ?? "?"
            return (processID, ([program] + words.dropFirst().map(String.init)).joined(separator: " "))
        }
    }

    /// Alive, which a process that only waits to be reaped is not.
    package static func isAlive(_ processID: Int32) -> Bool {
        let text = Folder.text("/proc/\(processID)/stat")
        guard let name = text.lastIndex(of: ")") else { return false }
        return text[text.index(after: name)...].split(separator: " ").first.map { $0 != "Z" && $0 != "X" } ?? false
    }

    private static func target(of link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}
