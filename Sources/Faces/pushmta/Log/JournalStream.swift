internal import Glibc

/// Whether what a descriptor is given goes to systemd's journal (systemd.exec(5), `$JOURNAL_STREAM`).
enum JournalStream {
    /// The variable is handed down to whatever the service starts; so a redirected output is told by what the
    /// descriptor is.
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
