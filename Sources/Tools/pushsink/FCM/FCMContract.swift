/// The requirements of FCM's HTTP v1 API for a request's body. This is an independent interpretation of the
/// documentation.
package struct FCMContract {
    /// Whether to check every field and not only the target. If `false`, a body that begins with a token is
    /// not parsed, because parsing every body takes more CPU time than the program under test uses.
    package var checksFields: Bool

    package init(checksFields: Bool = true) { self.checksFields = checksFields }

    package enum Judgement {
        /// A valid message, with its token, topic, condition or fid in the form in which it was sent.
        case good(target: Bytes, mark: FCMMark)
        case fault(Rejection)
    }

    /// The maximum size of a payload, in bytes. The limit for messages to a topic is half the usual limit.
    private static let payloadLimit = 4096, topicPayloadLimit = 2048

    /// Reads `body` into `document` if necessary. `length` is the length of the complete body as sent.
    package func judge(_ body: Bytes, length: UInt64, _ document: JSONDocument) -> Judgement {
        if !checksFields, length <= UInt64(body.count), let token = Self.tokenAtSight(body) {
            return .good(target: token, mark: .isToken)
        }
        guard length <= UInt64(body.count), document.read(body), document.kind(document.root) == .object
        else {
            return invalid("body", "Invalid JSON payload received.")
        }
        if checksFields, let fault = FCMSchema.request.fault(document.root, document) {
            return invalid(fault.field, fault.description)
        }
        guard let message = document.member("message", of: document.root), document.kind(message) == .object
        else {
            return invalid("message", "Message is not set")
        }
        let token = document.member("token", of: message)
        let others = (document.member("topic", of: message), document.member("condition", of: message))
        let fid = document.member("fid", of: message)
        let targets = [token, others.0, others.1, fid].compactMap { $0 }
        guard targets.count == 1, let target = targets.first, document.kind(target) == .text else {
            return invalid(
                "message",
                targets.isEmpty ? "Recipient of the message is not set." : "Exactly one target is allowed.")
        }
        guard target == others.1 || document.isPlain(target) && Self.isToken(document.raw(target)) else {
            return invalid(
                target == token ? "message.token" : "message",
                "The registration token is not a valid FCM registration token")
        }
        let limit = target == others.0 ? Self.topicPayloadLimit : Self.payloadLimit
        // FCM was observed to send this answer without details.
        guard !checksFields || payloadSize(of: message, document) <= limit else {
            var rejection = GoogleError.rpc(400, "INVALID_ARGUMENT", "Android message is too big")
            rejection.reason = "INVALID_ARGUMENT:no-details"
            return .fault(rejection)
        }
        var mark: FCMMark = target == token || target == fid ? .isToken : []
        let validateOnly =
            document.member("validate_only", of: document.root)
            ?? document.member("validateOnly", of: document.root)
        if let validateOnly, document.kind(validateOnly) == .yes { mark.insert(.validateOnly) }
        return .good(target: document.raw(target), mark: mark)
    }

    /// Returns the token at the beginning of the body; `nil` if the body must be parsed.
    private static func tokenAtSight(_ body: Bytes) -> Bytes? {
        let front: StaticString = #"{"message":{"token":""#
        guard body.count > front.utf8CodeUnitCount,
            Bytes(rebasing: body[..<front.utf8CodeUnitCount]).equals(front)
        else { return nil }
        let rest = Bytes(rebasing: body[front.utf8CodeUnitCount...])
        guard let end = rest.first(UInt8(ascii: "\"")) else { return nil }
        let token = Bytes(rebasing: rest[..<end])
        return isToken(token) && token.first(UInt8(ascii: "\\")) == nil ? token : nil
    }

    private func invalid(_ field: String, _ description: String) -> Judgement {
        .fault(GoogleError.fcm("INVALID_ARGUMENT", field: field, because: description))
    }

    /// Reports whether the bytes have the form of a token: printable ASCII characters without spaces. A
    /// well-formed token that does not belong to a device causes a different error.
    package static func isToken(_ bytes: Bytes) -> Bool {
        guard bytes.count > 0 && bytes.count <= 4096 else { return false }
        // The loop has no branch per byte, so that the compiler can process many bytes at the same time.
        var others: UInt8 = 0
        for byte in bytes { others |= byte &- 0x21 > 0x5D ? 1 : 0 }
        return others == 0
    }

    /// Returns the size of the keys and values of data and notification for an Android device. The limit of
    /// 4096 bytes applies to this size.
    private func payloadSize(of message: Int, _ document: JSONDocument) -> Int {
        let android = document.member("android", of: message)
        // Android's own data replaces the general data.
        let data = android.flatMap { document.member("data", of: $0) } ?? document.member("data", of: message)
        let notifications = [
            document.member("notification", of: message),
            android.flatMap { document.member("notification", of: $0) },
        ]
        return ([data] + notifications).compactMap { $0 }.reduce(0) { $0 + size(of: $1, document) }
    }

    private func size(of node: Int, _ document: JSONDocument) -> Int {
        switch document.kind(node) {
        case .object:
            document.members(of: node).reduce(0) {
                $0 + document.length($1.key) + size(of: $1.value, document)
            }
        case .array: document.elements(of: node).reduce(0) { $0 + size(of: $1, document) }
        case .text, .number: document.length(node)
        case .yes, .no, .null: 1
        }
    }
}
