/// The status codes of the old gateway's error packet.
///
/// Source: Apple documentation archive, "Binary Provider API", table 5-2 and what follows it.
package struct BinaryStatus: Equatable, Hashable, Sendable {
    package let code: UInt8

    package init(_ code: UInt8) { self.code = code }

    package static let missingToken = BinaryStatus(2)
    package static let missingPayload = BinaryStatus(4)
    package static let invalidTokenSize = BinaryStatus(5)
    package static let invalidPayloadSize = BinaryStatus(7)
    package static let invalidToken = BinaryStatus(8)
    package static let shutdown = BinaryStatus(10)
    package static let protocolError = BinaryStatus(128)

    /// The code and what it means, e.g. `8 invalid token`: as logs and counts have it.
    package var text: String { "\(code) \(meaning)" }

    private var meaning: String {
        switch code {
        case 0: "no error"
        case 1: "processing error"
        case 2: "missing device token"
        case 3: "missing topic"
        case 4: "missing payload"
        case 5: "invalid token size"
        case 6: "invalid topic size"
        case 7: "invalid payload size"
        case 8: "invalid token"
        case 10: "shutdown"
        case 128: "protocol error"
        case 255: "unknown"
        default: "not Apple's"
        }
    }

    package var rejection: Rejection { Rejection(status: Int(code), reason: text) }

    /// The six bytes that say it: command 8, the code, the identifier as it was sent.
    package func packet(about identifier: UInt32) -> [UInt8] {
        [8, code] + withUnsafeBytes(of: identifier.bigEndian) { Array($0) }
    }
}
