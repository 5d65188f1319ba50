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
    /// The values of the message's placeholders; `nil` if its content has none for any of the apps.
    package var filling: Filling?
    /// The key; `nil` if a repetition of the request creates another message.
    package var idempotency: IdempotencyKey?

    /// The values that fill the placeholders of a message. They are determined when the message is accepted,
    /// and stored with it (``PartVariables``), so that no later change of the subscriber's parameters can
    /// exclude the message.
    package struct Filling: Sendable {
        /// What the content needs for the devices of one app.
        package struct Need: Sendable {
            /// The names of all values that the content uses.
            package var names: [String]
            /// Those of the names that mean facts in the app.
            package var facts: [CollectedFact]
            /// Returns the values that are missing in JSON objects of texts.
            package var missing: @Sendable ([UInt8]) -> [String]

            package init(
                names: [String], facts: [CollectedFact] = [],
                missing: @escaping @Sendable ([UInt8]) -> [String]
            ) {
                (self.names, self.facts, self.missing) = (names, facts, missing)
            }
        }

        /// The request's own values.
        package var variables: [ContentVariable]
        package var needs: [AppID: Need]

        package init(variables: [ContentVariable], needs: [AppID: Need]) {
            (self.variables, self.needs) = (variables, needs)
        }

        /// Whether the subscriber's parameters supply values that the request does not.
        var readsParameters: Bool {
            let own = Set(variables.filter { !$0.value.isEmpty }.map { ExactText($0.name) })
            return needs.values.contains { need in need.names.contains { !own.contains(ExactText($0)) } }
        }

        /// Returns all values for one device as a JSON object of texts. A value that does not exist is empty,
        /// so that a parameter that is set later does not become part of the message.
        /// - Parameters:
        ///   - parameters: The subscriber's parameters, as the store keeps them.
        ///   - facts: The facts that the content uses, as texts.
        func values(
            for need: Need, _ parameters: [UInt8], _ facts: [CollectedFact: String] = [:]
        ) -> [UInt8] {
            let own = Dictionary(
                variables.map { (ExactText($0.name), Array($0.value.utf8)) }, uniquingKeysWith: { $1 })
            var json = [UInt8(ascii: "{")]
            for name in need.names {
                var value = own[ExactText(name)] ?? []
                if value.isEmpty {
                    let fact = CollectedFact(rawValue: name).flatMap { facts[$0] }
                    value =
                        fact.map { Array($0.utf8) }
                        ?? ParameterText.value(of: name, in: parameters.span) ?? []
                }
                if json.count > 1 { json.append(UInt8(ascii: ",")) }
                JSONText.append(name, to: &json)
                json.append(UInt8(ascii: ":"))
                JSONText.append(String(decoding: value, as: UTF8.self), to: &json)
            }
            json.append(UInt8(ascii: "}"))
            return json
        }
    }

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

    /// The maximum age of a time of sending, in seconds. It covers requests that take time, and clocks that
    /// differ.
    package static let maxLateSeconds: Int64 = 60
    /// The maximum time for which a message can be scheduled ahead, in days.
    package static let maxDaysAhead: Int64 = 366

    /// Returns why the message cannot be sent at its time; `nil` if it can. A message that repeats an earlier
    /// request is not checked: its time may have passed since that request.
    func refusedTime(at now: WallTime) -> MessageRefusal? {
        guard let start else { return nil }
        if start.advanced(bySeconds: Self.maxLateSeconds) < now { return .past(start, now: now) }
        let latest = now.advanced(bySeconds: Self.maxDaysAhead * 86_400)
        return start > latest ? .tooFarAhead(start, latest: latest) : nil
    }

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
    /// separate row, and so has a content whose messages have values.
    func digest(isNowOrNever: Bool, hasValues: Bool) -> [UInt8] {
        guard isNowOrNever || hasValues else { return digest }
        let kind = [isNowOrNever ? "now or never" : "", hasValues ? "with values" : ""].joined()
        return SHA256.digest(of: digest + Array(kind.utf8))
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
    /// The time of sending has passed.
    case past(WallTime, now: WallTime)
    case tooFarAhead(WallTime, latest: WallTime)
    /// Some devices lack values that the content needs.
    /// - Parameters:
    ///   - names: What is missing, in the order of the content.
    ///   - devices: The number of devices that lack a value, of those to which the message would be sent.
    case missing(names: [String], devices: Int, of: Int)
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
