package import PushModel

// The model's nouns as answers and requests have them: times as ISO 8601 writes them in UTC, ids as numbers,
// words as the command line spells them.

extension DeliveryID: Codable {}
extension Platform: Codable {}
extension PushEnvironment: Codable {}
extension ConnectorName: Codable {}
extension MessageIDFormat: Codable {
    /// Only what an app may choose is read.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let format = Self.allCases.first(where: { $0.rawValue == text }) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no format of message ids")
        }
        self = format
    }
}
extension ParameterDeclaration.Kind: Codable {}
extension DeliveryState: Codable {}
extension DeliveryPriority: Codable {}
extension AccessScope: Codable {}

extension WallTime: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(utcText)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let time = WallTime(utc: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time in UTC")
        }
        self = time
    }
}

extension WallMoment: Codable {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(utcText)
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let moment = WallMoment(utc: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no moment in UTC")
        }
        self = moment
    }
}
