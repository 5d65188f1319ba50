package import PushModel

/// Reads the reports that devices send with `GET /r/?id=h<_mId>,<_dId>,<tag>`, as both generations of the SDK
/// write it (facts: SDK, tracking).
///
/// Devices send back a UUID as they received it, in upper or lower case. They send an integer in hex. iOS
/// pads the hex to two digits and Android does not, so it is read as a number, with or without leading zeros.
/// Devices send back `_dId` as they received it, in decimal. The tag is 1 for received and 2 for clicked.
///
/// **Promises.** Any bytes result in a hit or in the reason why they are not a hit. Time grows with the
/// number of bytes, and at most ``maximumBytes`` are examined. No bytes are converted to text.
package enum TrackingReader {
    /// Maximum length of a query, in bytes. The SDKs' queries have fewer than 70 bytes.
    package static let maximumBytes = 512

    /// The reason why a request is not a hit that can be looked up.
    package enum Unknown: String, Error, CaseIterable, Sendable {
        /// There is no `id`, or more than one.
        case noID
        /// `id` does not consist of `h`, two ids and a tag.
        case form
        /// The message's id is neither a UUID nor hex of at most 64 bits.
        case message
        /// The delivery's id is not the number of a delivery.
        case delivery
        /// The tag is neither 1 nor 2.
        case tag
        /// The query is longer than any valid query.
        case tooLong
    }

    /// - Parameter query: The text after the question mark.
    package static func read(query: some Collection<UInt8>) throws(Unknown) -> TrackingHit {
        guard query.count <= maximumBytes else { throw .tooLong }
        return try hit(try id(in: Array(query)))
    }

    /// Returns the decoded value of `id`.
    private static func id(in query: [UInt8]) throws(Unknown) -> [UInt8] {
        var found: ArraySlice<UInt8>?
        for pair in query.split(separator: UInt8(ascii: "&")) {
            guard pair.starts(with: "id=".utf8) else { continue }
            guard found == nil else { throw .noID }
            found = pair.dropFirst(3)
        }
        guard let found else { throw .noID }
        guard let decoded = PercentCoding.decode(found, plusIsSpace: false) else { throw .form }
        return decoded
    }

    private static func hit(_ id: [UInt8]) throws(Unknown) -> TrackingHit {
        guard id.first == UInt8(ascii: "h") else { throw .form }
        let fields = id.dropFirst().split(
            separator: UInt8(ascii: ","), maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 3 else { throw .form }
        guard let message = message(fields[0]) else { throw .message }
        guard let delivery = decimal(fields[1]) else { throw .delivery }
        guard fields[2].count == 1, let digit = fields[2].first, digit >= UInt8(ascii: "0"),
            let kind = HitKind(rawValue: Int64(digit - UInt8(ascii: "0")))
        else { throw .tag }
        return TrackingHit(message: message, delivery: DeliveryID(rawValue: delivery), kind: kind)
    }

    private static func message(_ text: ArraySlice<UInt8>) -> TrackingHit.Message? {
        if let id = OpaqueID(spelling: text) { return .uuid(id) }
        guard !text.isEmpty else { return nil }
        var value: UInt64 = 0
        for byte in text {
            guard let digit = PercentCoding.hexDigit(byte), value >> 60 == 0 else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return .integer(value)
    }

    /// Parses a delivery number: from 1, below 2³¹.
    private static func decimal(_ text: ArraySlice<UInt8>) -> Int64? {
        guard (1...10).contains(text.count) else { return nil }
        var value: Int64 = 0
        for byte in text {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return (1..<(1 << 31)).contains(value) ? value : nil
    }
}
