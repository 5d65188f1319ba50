internal import Crypto
package import PushModel

/// One message as it is submitted by itself: checked, and not yet in the store.
package struct NewMessage: Sendable {
    package enum Recipient: Hashable, Sendable {
        /// One device.
        case token(String)
        /// All devices of a user.
        case userKey(String)
    }

    /// An app that it may go to, and what that was when the content was checked for it.
    package struct Addressee: Hashable, Sendable {
        package var app: AppID
        package var revision: AppRevisionID
        package init(_ app: App) { (self.app, revision) = (app.id, app.revision) }
    }

    package var service: Service
    /// Of the service; at least one.
    package var apps: [Addressee]
    package var recipient: Recipient
    package var content: MessageContent
    package var priority = DeliveryPriority.normal
    /// 0 is now or never: see ``PushModel/DeliverySchedule/validitySeconds``.
    package var validitySeconds = DeliverySchedule().validitySeconds
    /// Not before; nil: at once.
    package var start: WallTime?
    /// nil: the same again is another message.
    package var idempotency: IdempotencyKey?

    package init(service: Service, apps: [Addressee], recipient: Recipient, content: MessageContent) {
        self.service = service
        self.apps = apps
        self.recipient = recipient
        self.content = content
    }

    /// No delivery is ahead of a message that is submitted by itself: its one attempt comes at once, or never.
    private static let nowOrNeverSeconds: Int64 = 60

    var isNowOrNever: Bool { validitySeconds == 0 }

    /// Until when it is held; nil: it may be sent at once.
    func due(at now: WallTime) -> WallTime? { start.flatMap { $0 > now ? $0 : nil } }

    /// The time after which it is not sent, in seconds since 1970: up to a sixtieth of its validity later than that,
    /// an hour at most, so that messages of one minute share the row of their content.
    func end(at now: WallTime) -> Int64 {
        let begin = due(at: now) ?? now
        let seconds = isNowOrNever ? Self.nowOrNeverSeconds : validitySeconds
        let grain = max(1, min(seconds / 60, 3_600))
        let (end, isBeyond) = begin.secondsSince1970.addingReportingOverflow(seconds + grain - 1)
        return isBeyond ? .max : end / grain * grain
    }
}

/// What a message says, as the store keeps it. To be made once for all messages that say the same.
package struct MessageContent: Hashable, Sendable {
    package let json: [UInt8]
    /// SHA-256.
    let digest: [UInt8]

    package init(json: [UInt8]) {
        self.json = json
        digest = Array(SHA256.hash(data: json))
    }

    /// What tells a content from others in the store: one that is sent now or never has a row of its own.
    func digest(isNowOrNever: Bool) -> [UInt8] {
        isNowOrNever ? Array(SHA256.hash(data: digest + Array("now or never".utf8))) : digest
    }

    package static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }
    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// What became of a message that was submitted by itself.
package struct AcceptedMessage: Equatable, Sendable {
    package struct Device: Equatable, Sendable {
        package var message: MessageID
        /// nil: it will be sent to.
        package var exclusion: Exclusion?
        package init(message: MessageID, exclusion: Exclusion?) {
            self.message = message
            self.exclusion = exclusion
        }
    }
    /// Why a device is not sent to; its message is there, and is `excluded`.
    package enum Exclusion: UInt8, Sendable { case quarantined = 1, disabled }

    package var delivery: DeliveryID
    /// At least one.
    package var devices: [Device]
    /// The answer to an earlier request with the same key.
    package var isRepeated = false
}

/// Why a message was not accepted; nothing was changed.
package enum MessageRefusal: Error, Equatable, Sendable {
    /// No subscriber has this token, or this user key.
    case nobody
    /// The key was used for another request.
    case keyReused
    /// An app is another one since the content was checked for it: it is to be checked again.
    case appChanged
    /// Too many wait.
    case busy
    /// The service ends.
    case ended
    /// Nobody can say whether it was accepted.
    case unknown
    case failed(StoreError)
}

package typealias MessageResult = Result<AcceptedMessage, MessageRefusal>
