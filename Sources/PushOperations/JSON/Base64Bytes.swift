internal import FoundationEssentials

/// Bytes that travel as one string, base64: as an array, each of them would be a number to encode and to decode.
@propertyWrapper
package struct Base64Bytes: Codable, Sendable {
    package var wrappedValue: [UInt8]

    package init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = Data(base64Encoded: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no base64")
        }
        wrappedValue = Array(bytes)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(wrappedValue).base64EncodedString())
    }
}
