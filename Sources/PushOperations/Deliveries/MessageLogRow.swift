package import PushModel
internal import PushStore

/// A row of a delivery's log; what is not known is empty.
package struct MessageLogRow: Codable, Equatable, Sendable {
    /// What the device got as `_mId`; empty where the delivery is not tracked.
    package var messageId: String
    package var userKey: String
    package var registrationToken: String
    package var app: String
    package var state: String
    package var attempts: Int
    package var failureType: String
    package var failureReason: String
    /// The gateway's own word.
    package var providerReason: String
    package var providerId: String
    package var updatedAt: WallTime

    /// - Parameter cipher: nil where the delivery's messages carried no ids.
    init(_ entry: MessageLogEntry, of delivery: DeliveryID, cipher: MessageIDCipher?) {
        messageId = cipher.map { Self.messageID(of: entry, in: delivery, $0) } ?? ""
        userKey = entry.userKey
        registrationToken = entry.token
        app = entry.appName
        state = entry.state.name
        attempts = entry.attempts
        failureType = entry.failureType?.label ?? ""
        failureReason = entry.failureReason?.label ?? ""
        providerReason = entry.providerReason ?? ""
        providerId = entry.providerID ?? ""
        updatedAt = entry.updatedAt
    }

    /// `_mId` as it was sent.
    private static func messageID(
        of entry: MessageLogEntry, in delivery: DeliveryID, _ cipher: MessageIDCipher
    ) -> String {
        switch entry.messageIDFormat {
        case .uuid: text(of: cipher.opaqueID(of: entry.message, in: delivery))
        case .integer: String(cipher.integers(of: delivery).id(of: entry.ordinal))
        case .number: String(entry.ordinal)
        }
    }

    /// A log has a million rows, so the digits are written as they are for the payloads themselves.
    private static func text(of id: OpaqueID) -> String {
        // Unsafe because the writer trusts its caller: the string's buffer has the room that it asks for.
        unsafe String(unsafeUninitializedCapacity: OpaqueID.textBytes) { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            unsafe id.write(to: start)
            return OpaqueID.textBytes
        }
    }
}
