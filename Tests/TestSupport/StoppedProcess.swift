import Foundation
import Glibc

/// Stops a process (SIGSTOP) at a moment when it is not writing its store, because a stopped writer blocks
/// all others.
///
/// A writer has locked a byte of the file of turns next to the store. If there is no lock, no process is
/// writing.
package func stop(_ process: Int32, betweenWritesTo store: String) async throws {
    try await eventually("process \(process) stops while it writes nothing") {
        kill(process, SIGSTOP)
        try await eventually("process \(process) is stopped") { isStopped(process) }
        guard isLocked(store + ".turns") else { return true }
        kill(process, SIGCONT)
        return false
    }
}

private func isStopped(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
        return false
    }
    // The name is in parentheses and may contain anything.
    return text.split(separator: ")").last?.hasPrefix(" T") == true
}

/// Reports whether any process has a lock on the file, according to the kernel's list: "1: OFDLCK ADVISORY
/// WRITE -1 fe:00:1234 0 EOF".
private func isLocked(_ path: String) -> Bool {
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    guard let number = facts?[.systemFileNumber] as? Int,
        let locks = try? String(contentsOfFile: "/proc/locks", encoding: .utf8)
    else { return false }
    return locks.split(separator: "\n").contains { line in
        line.split(separator: " ").contains { $0.hasSuffix(":\(number)") }
    }
}
