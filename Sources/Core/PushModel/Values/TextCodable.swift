/// A value that is a string in JSON.
package protocol TextCodable: Codable {
    /// `nil` if the text is not a valid value.
    init?(jsonText: String)
    var jsonText: String { get }
    /// The end of a sentence that begins with "must be".
    static var allowed: String { get }
}

extension TextCodable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(jsonText: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "must be \(Self.allowed)")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(jsonText)
    }
}

extension WallTime: TextCodable {
    package static var allowed: String { "a time such as 2026-11-21T10:00:00Z or 2026-11-21T12:00:00+02:00" }
    package var jsonText: String { utcText }
    package init?(jsonText text: String) { self.init(rfc3339: text) }
}

extension WallMoment: TextCodable {
    package static var allowed: String { WallTime.allowed }
    package var jsonText: String { utcText }
    package init?(jsonText text: String) { self.init(rfc3339: text) }
}
