package import PushModel
package import PushWire

// The model's nouns as they appear in answers and requests: times in ISO 8601 format in UTC, ids as numbers,
// words as the command line spells them.

extension DeliveryID: Codable, RawReadable {}
extension Platform: Codable, Word {}
extension PushEnvironment: Codable, Word {}
extension ConnectorName: Codable, RawReadable {}
extension MessageIDFormat: Codable, Word {
    /// Reads only the formats that an app can choose.
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
}
extension ParameterDeclaration.Kind: Codable, Word {}
extension DeliveryState: Codable, Word {}
extension SendingLimit: Word {}
extension EstimateBasis: Word {}
extension DeliveryPriority: Codable, Word {}
extension AccessScope: Codable, Word {}
extension Role: Codable, Word {}

extension WallTime: TextValue {
    package static var schema: Schema { .time }
    package static var exampleText: String { "2026-11-21T10:00:00Z" }
}

extension WallMoment: TextValue {
    package static var schema: Schema { .time }
    package static var exampleText: String { WallTime.exampleText }
}

extension FrequencyCap: TextValue {
    package static var exampleText: String { "3 in 7d" }
    package var jsonText: String { description }
    package init?(jsonText text: String) { self.init(text) }
}
