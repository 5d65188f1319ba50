internal import PushCrypto

/// The end of a backup: a line of text with the SHA-256 of everything before it.
///
/// SQLite reads only as many pages as the file's header states and ignores everything after them. Therefore,
/// a backup with its seal is still a database that any program with SQLite can open.
struct BackupSeal: Equatable {
    private static let beginning = Array("\nPushMTA backup, SHA-256 of all bytes before this line: ".utf8)
    static let byteCount = beginning.count + 2 * SHA256.byteCount + 1

    private let digest: [UInt8]

    init(of hash: borrowing SHA256) { digest = hash.digest() }

    /// Reads the end of a file; `nil` if it is not a seal.
    init?(_ end: [UInt8]) {
        guard end.count == Self.byteCount, end.starts(with: Self.beginning), end.last == 0x0A else {
            return nil
        }
        let digits = end.dropFirst(Self.beginning.count).dropLast()
        var digest: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Self.value(of: digit) else { return nil }
            if let first = high { digest.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        self.digest = digest
    }

    var bytes: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return Self.beginning + digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [0x0A]
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
