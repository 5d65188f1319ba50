package import PushModel
internal import PushStore

/// A row of a delivery's log; what is not known is empty.
package struct MessageLogRow: View, Equatable {
    package static let about = [
        "messageId": "what the device received as _mId; empty if the delivery is not tracked",
        "registrationToken": "empty if the subscription was removed",
        "providerReason": "in the gateway's words",
    ]

    package var messageId: String
    package var userKey: String
    package var registrationToken: String
    package var app: String
    package var state: String
    package var attempts: Int
    package var failureType: String
    package var failureReason: String
    package var providerReason: String
    package var providerId: String
    package var updatedAt: WallTime

    /// - Parameter cipher: nil where the delivery's messages carried no ids.
    init(_ entry: MessageLogEntry, of delivery: DeliveryID, cipher: MessageIDCipher?) {
        messageId =
            cipher?.deviceID(of: entry.message, entry.ordinal, entry.messageIDFormat, in: delivery) ?? ""
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
}
