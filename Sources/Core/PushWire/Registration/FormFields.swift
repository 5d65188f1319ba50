/// The fields of a form (`application/x-www-form-urlencoded`), as bytes.
struct FormFields {
    /// Maximum number of fields. No registration has more: the SDKs send 12.
    static let maxFields = 64

    enum Failure: Error, Equatable {
        case tooMany
        /// A `%` is not followed by two hex digits, in the field with this number, counted from 1.
        case percent(field: Int)
    }

    /// All names and values, decoded, one after the other.
    private var bytes: [UInt8] = []
    private var fields: [(name: Range<Int>, value: Range<Int>)] = []

    init() {}

    init(_ body: [UInt8]) throws(Failure) {
        bytes.reserveCapacity(body.count)
        fields.reserveCapacity(16)
        var (start, middle) = (0, nil as Int?)
        var at = 0
        // The last iteration ends the last field.
        while at <= body.count {
            let byte = at < body.count ? body[at] : UInt8(ascii: "&")
            if byte == UInt8(ascii: "="), middle == nil { middle = at }
            if byte == UInt8(ascii: "&") {
                if at > start { try add(body, start..<(middle ?? at), (middle.map { $0 + 1 } ?? at)..<at) }
                (start, middle) = (at + 1, nil)
            }
            at += 1
        }
    }

    private mutating func add(_ body: [UInt8], _ name: Range<Int>, _ value: Range<Int>) throws(Failure) {
        guard fields.count < Self.maxFields else { throw .tooMany }
        let begin = bytes.count
        guard PercentCoding.append(body[name], plusIsSpace: true, to: &bytes) else { throw percent }
        let middle = bytes.count
        guard PercentCoding.append(body[value], plusIsSpace: true, to: &bytes) else { throw percent }
        fields.append((begin..<middle, middle..<bytes.count))
    }

    /// Adds a field that is not encoded.
    mutating func add(_ name: String, _ value: String) throws(Failure) {
        guard fields.count < Self.maxFields else { throw .tooMany }
        let begin = bytes.count
        bytes += name.utf8
        let middle = bytes.count
        bytes += value.utf8
        fields.append((begin..<middle, middle..<bytes.count))
    }

    private var percent: Failure { .percent(field: fields.count + 1) }

    /// Returns the values of the fields with this name, in order.
    func values(of name: String) -> [[UInt8]] {
        var values: [[UInt8]] = []
        for field in fields where isNamed(field.name, name) { values.append(Array(bytes[field.value])) }
        return values
    }

    /// Returns the number of the first field, counted from 1, whose name differs from this name only in the
    /// case of its letters.
    func misspelling(of name: String) -> Int? {
        let index = fields.firstIndex { field in
            guard field.name.count == name.utf8.count, !isNamed(field.name, name) else { return false }
            return bytes[field.name].elementsEqual(name.utf8) { Self.lowercased($0) == Self.lowercased($1) }
        }
        return index.map { $0 + 1 }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
    }

    private func isNamed(_ range: Range<Int>, _ name: String) -> Bool {
        range.count == name.utf8.count && bytes[range].elementsEqual(name.utf8)
    }
}
