internal import Glibc

/// Which processes there are.
package enum ProcessTable {
    /// Those that hold a file open below the folder, other than this one: `pid name`.
    package static func holding(_ folder: String) -> [(processID: Int32, name: String)] {
        Folder.names(in: "/proc").compactMap { entry in
            guard let processID = Int32(entry), processID != getpid() else { return nil }
            let descriptors = "/proc/\(processID)/fd"
            let holds = Folder.names(in: descriptors).contains {
                target(of: "\(descriptors)/\($0)").hasPrefix(folder)
            }
            guard holds else { return nil }
            let words = Folder.text("/proc/\(processID)/cmdline").split(separator: "\0")
            let program = words.first?.split(separator: "/").last.map(String.init) ?? "?"
            return (processID, ([program] + words.dropFirst().map(String.init)).joined(separator: " "))
        }
    }

    /// Alive, which a process that only waits to be reaped is not.
    package static func isAlive(_ processID: Int32) -> Bool {
        state(of: processID).map { $0 != "Z" && $0 != "X" } ?? false
    }

    /// By SIGSTOP.
    package static func isStopped(_ processID: Int32) -> Bool { state(of: processID) == "T" }

    private static func state(of processID: Int32) -> Substring? { status(of: processID).first }

    /// Those whose parent it is.
    package static func children(of parent: Int32) -> [Int32] {
        Folder.names(in: "/proc").compactMap(Int32.init).filter {
            status(of: $0).dropFirst().first.map { Int32($0) } == parent
        }
    }

    /// The fields of proc(5) from the third on, its state. The name in parentheses before it may hold anything, so they
    /// are counted from the last parenthesis. None: there is no such process.
    static func status(of processID: Int32) -> [Substring] {
        let text = Folder.text("/proc/\(processID)/stat")
        guard let name = text.lastIndex(of: ")") else { return [] }
        return text[text.index(after: name)...].split(separator: " ")
    }

    private static func target(of link: String) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink(link, &buffer, buffer.count)
        return count > 0
            ? String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
    }
}
