internal import Glibc

/// The processes of this machine.
package enum ProcessTable {
    /// Returns the processes, other than this one, that have an open file below the folder, with the
    /// processes' names.
    package static func holding(_ folder: String) -> [(processID: Int32, name: String)] {
        Folder.names(in: "/proc").compactMap { entry in
            guard let processID = Int32(entry), processID != getpid() else { return nil }
            let descriptors = "/proc/\(processID)/fd"
            let holds = Folder.names(in: descriptors).contains {
                Folder.target(of: "\(descriptors)/\($0)").hasPrefix(folder)
            }
            guard holds else { return nil }
            let words = Folder.text("/proc/\(processID)/cmdline").split(separator: "\0").map(String.init)
            return (processID, ([words.first?.fileName ?? "?"] + words.dropFirst()).joined(separator: " "))
        }
    }

    /// The ID of this process.
    static var ownID: Int32 { getpid() }

    /// Reports whether a process is alive. A process that only waits to be reaped is not alive.
    package static func isAlive(_ processID: Int32) -> Bool {
        state(of: processID).map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// Reports whether a process is stopped by SIGSTOP.
    package static func isStopped(_ processID: Int32) -> Bool { state(of: processID) == "T" }

    private static func state(of processID: Int32) -> Substring? { status(of: processID).first }

    /// Returns the children of a process.
    package static func children(of parent: Int32) -> [Int32] {
        Folder.names(in: "/proc").compactMap(Int32.init).filter {
            status(of: $0).dropFirst().first.map { Int32($0) } == parent
        }
    }

    /// Returns the fields of proc(5), beginning with the third field, which is the state. The name in
    /// parentheses before it may contain any character, so the fields are counted from the last parenthesis.
    /// The result is empty if there is no such process.
    static func status(of processID: Int32) -> [Substring] {
        let text = Folder.text("/proc/\(processID)/stat")
        guard let name = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: name)...].split(separator: " ")
    }
}

/// The CPU time and memory of a running process, from /proc.
package struct ProcessFigures: Equatable, Sendable {
    /// The user and system time of the process itself, in seconds. The kernel counts in hundredths.
    package var ownSeconds = 0.0
    /// The user and system time, in seconds, of those children of the process that have ended and been
    /// reaped.
    package var endedChildrenSeconds = 0.0
    /// The maximum resident memory of the process so far (VmHWM), in MiB.
    package var peakMegabytes = 0.0
    /// The current resident memory (VmRSS), in MiB.
    package var residentMegabytes = 0.0

    /// Returns `nil` if there is no such process.
    package init?(of processID: Int32) {
        // utime, stime, cutime and cstime are fields 14 to 17 of proc(5).
        let fields = ProcessTable.status(of: processID)
        guard fields.count > 14 else { return nil }
        let times = fields[11...14].map { (Double($0) ?? 0) / Double(sysconf(Int32(_SC_CLK_TCK))) }
        ownSeconds = times[0] + times[1]
        endedChildrenSeconds = times[2] + times[3]
        for line in Folder.lines(of: "/proc/\(processID)/status") {
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

/// The machine on which a figure was measured.
package enum Machine {
    package static var cores: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    package static var processor: String {
        let line = Folder.lines(of: "/proc/cpuinfo").first { $0.hasPrefix("model name") }
        return line?.split(separator: ":").last.map { String($0.drop { $0 == " " }) } ?? "unknown processor"
    }

    package static var memoryGigabytes: Int {
        Int((Double(sysconf(Int32(_SC_PHYS_PAGES))) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1e9).rounded())
    }

    package static var system: String {
        let line = Folder.lines(of: "/etc/os-release").first { $0.hasPrefix("PRETTY_NAME=") }
        return line.map { $0.dropFirst(12).filter { $0 != "\"" } } ?? "Linux"
    }
}
