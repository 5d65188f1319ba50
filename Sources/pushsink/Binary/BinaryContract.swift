/// What Apple's documentation asks of a notification in the old framing.
///
/// Undocumented, and so decided here: a payload that is no JSON cannot be parsed (128); JSON without a
/// dictionary `aps` is no payload (4). The 256 bytes of commands 0 and 1 in their first years are not asked
/// for.
package struct BinaryContract: Sendable {
    /// Tokens have 32 bytes; "should be at most 100", says Apple of what they may become.
    package static let tokenSizes = 32...100
    package static let payloadSizes = 1...2048

    /// Look at the payload's JSON, not only at its size.
    package var checksPayload: Bool

    package init(checksPayload: Bool = true) { self.checksPayload = checksPayload }

    /// Nil: the notification is good.
    package func fault(of frame: BinaryFrame) -> BinaryStatus? {
        guard let token = frame.token else { return .missingToken }
        guard Self.tokenSizes.contains(token.count) else { return .invalidTokenSize }
        guard let payload = frame.payload else { return .missingPayload }
        guard Self.payloadSizes.contains(payload.count) else { return .invalidPayloadSize }
        guard checksPayload else { return nil }
        switch JSONShape(payload) {
        case .object(hasAPS: true): return nil
        case .object, .other: return .missingPayload
        // A NUL is among what JSON does not allow.
        case .malformed: return .protocolError
        }
    }
}
