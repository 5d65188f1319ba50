internal import Glibc

/// Detects whether the output to a descriptor goes to systemd's journal (systemd.exec(5), `$JOURNAL_STREAM`).
enum JournalStream {
    /// Every process that the service starts inherits the variable, even if its output is redirected. The
    /// identity of the descriptor is therefore compared with the variable.
    static func isBehind(_ descriptor: Int32) -> Bool {
        guard let named = unsafe getenv("JOURNAL_STREAM").map({ unsafe String(cString: $0) }) else {
            return false
        }
        let numbers = named.split(separator: ":").map { UInt64($0) }
        var facts = stat()
        guard numbers.count == 2, unsafe fstat(descriptor, &facts) == 0 else { return false }
        return numbers[0] == UInt64(facts.st_dev) && numbers[1] == UInt64(facts.st_ino)
    }
}
