internal import FoundationEssentials

/// Bytes that travel as one string, base64: as an array, each of them would be a number to encode and to decode.
@propertyWrapper
package struct Base64Bytes: TextValue, Equatable {
    package var wrappedValue: [UInt8]

    package init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

    package static var allowed: String { "base64" }
    package static var example: String { "" }
    package var jsonText: String { Data(wrappedValue).base64EncodedString() }
    package init?(jsonText text: String) {
        guard let data = Data(base64Encoded: text) else { return nil }
        self.init(wrappedValue: Array(data))
    }
}
