internal import PushCrypto
package import PushModel

/// An individually submitted message that has been checked and is not yet in the store.
package struct NewMessage: Sendable {
    package enum Recipient: Hashable, Sendable {
        /// One device.
        case token(String)
        /// All devices of a user.
        case userKey(String)
    }

    /// An app to whose devices the message may be sent, and the revision that the app had when the content
    /// was checked for it.
    package struct Addressee: Hashable, Sendable {
        package var app: AppID
        package var revision: AppRevisionID
        package init(_ app: App) { (self.app, revision) = (app.id, app.revision) }
    }

    package var service: Service
    /// Apps of the service; at least one.
    package var apps: [Addressee]
    package var recipient: Recipient
    package var content: MessageContent
    package var priority = DeliveryPriority.normal
    /// The validity in seconds. 0 means now or never: see ``PushModel/DeliverySchedule/validitySeconds``.
    package var validitySeconds = DeliverySchedule().validitySeconds
    /// The earliest time of sending; `nil` means immediately.
    package var start: WallTime?
    /// The key; `nil` if a repetition of the request creates another message.
    package var idempotency: IdempotencyKey?

    package init(service: Service, apps: [Addressee], recipient: Recipient, content: MessageContent) {
        self.service = service
        self.apps = apps
        self.recipient = recipient
        self.content = content
    }

    /// The validity of a message that is sent now or never, in seconds. No delivery is ahead of an
    /// individually submitted message, so its only attempt is made immediately or never.
    private static let nowOrNeverSeconds: Int64 = 60

    var isNowOrNever: Bool { validitySeconds == 0 }

    /// Returns the time until which the message is held back; `nil` if it may be sent immediately.
    func due(at now: WallTime) -> WallTime? { start.flatMap { $0 > now ? $0 : nil } }

    /// Returns the time after which the message is not sent, in seconds since 1970. It is later than the end
    /// of validity by up to a sixtieth of the validity, but at most by an hour, so that messages of the same
    /// minute share the row of their content.
    func end(at now: WallTime) -> Int64 {
        let begin = due(at: now) ?? now
        let seconds = isNowOrNever ? Self.nowOrNeverSeconds : validitySeconds
        let grain = max(1, min(seconds / 60, 3_600))
        let (end, isBeyond) = begin.secondsSince1970.addingReportingOverflow(seconds + grain - 1)
        return isBeyond ? .max : end / grain * grain
    }
}

/// A message's content as the store keeps it. Create it once for all messages with the same content.
package struct MessageContent: Hashable, Sendable {
    package let json: [UInt8]
    /// The SHA-256 digest.
    let digest: [UInt8]

    package init(json: [UInt8]) {
        self.json = json
        digest = SHA256.digest(of: json)
    }

    /// Returns the digest that identifies a content in the store. A content that is sent now or never has a
    /// separate row.
    func digest(isNowOrNever: Bool) -> [UInt8] {
        isNowOrNever ? SHA256.digest(of: digest + Array("now or never".utf8)) : digest
    }

    package static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// The result of an individually submitted message.
package struct AcceptedMessage: Equatable, Sendable {
    package struct Device: Equatable, Sendable {
        package var message: MessageID
        /// The reason why the device is excluded; `nil` if the message will be sent to the device.
        package var exclusion: Exclusion?
        package init(message: MessageID, exclusion: Exclusion?) {
            self.message = message
            self.exclusion = exclusion
        }
    }
    /// The reason why a message is not sent to a device. The message exists and is `excluded`.
    package enum Exclusion: UInt8, Sendable { case quarantined = 1, disabled, optedOut }

    package var delivery: DeliveryID
    /// The devices; at least one.
    package var devices: [Device]
    /// Whether this repeats the answer to an earlier request with the same key.
    package var isRepeated = false
}

/// The reason why a message was not accepted. Unless it is unknown whether the message was accepted, nothing
/// was changed.
package enum MessageRefusal: Error, Equatable, Sendable {
    /// No subscriber has this token, or this user key.
    case nobody
    /// The key was used for a different request.
    case keyReused
    /// An app has changed since the content was checked for it. The content must be checked again.
    case appChanged
    /// Too many messages wait.
    case busy
    /// The service is stopping.
    case ended
    /// It is unknown whether the message was accepted.
    case unknown
    case failed(StoreError)
}

package typealias MessageResult = Result<AcceptedMessage, MessageRefusal>
