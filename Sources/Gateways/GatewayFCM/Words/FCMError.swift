internal import PushModel
internal import PushWire

/// The `error` object of an answer, as far as it is valid (Google, "Errors": `google.rpc.Status` in JSON).
/// Details may come in any order or be missing.
struct FCMError {
    struct Violation {
        var field: String?
        var text: String
    }

    /// The `errorCode` of FcmError.
    private(set) var code: String?
    /// The google.rpc status, such as `NOT_FOUND`.
    private(set) var statusWord: String?
    private(set) var message = ""
    private(set) var hasDetails = false
    /// The violations in `google.rpc.BadRequest`.
    private(set) var violations: [Violation] = []
    /// The quota in `google.rpc.QuotaFailure`.
    private(set) var quota: FCMReply.Quota?

    init(_ answer: JSONValue?) {
        guard let error = answer?["error"] else { return }
        statusWord = Self.text(error["status"])
        message = Self.text(error["message"]) ?? ""
        guard case .array(let details)? = error["details"] else { return }
        hasDetails = !details.isEmpty
        for detail in details {
            guard let type = Self.text(detail["@type"]) else { continue }
            if type.hasSuffix("google.firebase.fcm.v1.FcmError") {
                code = code ?? Self.text(detail["errorCode"])
            } else if type.hasSuffix("google.rpc.BadRequest") {
                violations += Self.objects(detail["fieldViolations"]).map {
                    Violation(field: Self.text($0["field"]), text: Self.text($0["description"]) ?? "")
                }
            } else if type.hasSuffix("google.rpc.QuotaFailure") {
                quota = Self.quota(of: Self.objects(detail["violations"]))
            }
        }
    }

    /// Returns the row that applies to an answer with this error, and the text of its reason.
    func judged(status: Int) -> (row: FCMReasons.Row, reason: String) {
        if let code {
            if code == FCMReasons.invalidArgument.wire { return named(invalidArgument) }
            if let row = FCMReasons.row(ofErrorCode: code) { return named(row) }
            // This code is unknown, because Google added it later. The class of the answer's status therefore
            // decides. Because the answer contains an FcmError, it does not concern the account.
            let row = status == 429 ? FCMReasons.quota : Self.classRow(ofStatus: status)
            let text = Self.printable(code)
            return (row, text.isEmpty ? "\(FCMReasons.unknown) status \(status)" : text)
        }
        if let statusWord {
            if statusWord == "INVALID_ARGUMENT" { return named(invalidArgument) }
            if let row = FCMReasons.row(ofStatusWord: statusWord) { return named(row) }
        }
        let row = FCMReasons.row(ofStatus: status)
        guard row.wire == FCMReasons.unknown else { return named(row) }
        let text = Self.printable(statusWord ?? "")
        return (row, text.isEmpty ? "\(FCMReasons.unknown) status \(status)" : text)
    }

    /// Returns the row together with a reason. The reason contains the reason code, the field that the
    /// gateway refuses, and the gateway's text. For verdicts on tokens and transient problems, the reason
    /// code alone is sufficient.
    private func named(_ row: FCMReasons.Row) -> (row: FCMReasons.Row, reason: String) {
        switch row.verdict.scope {
        case .token, .transient: return (row, row.wire)
        case .message, .topic, .account:
            guard let violation = violations.first(where: { $0.field != nil || !$0.text.isEmpty }) else {
                return (row, ReasonText.reason(row.wire, message == statusWord ? nil : message))
            }
            return (row, ReasonText.reason(row.wire, violation.field, violation.text))
        }
    }

    private static func classRow(ofStatus status: Int) -> FCMReasons.Row {
        (400..<500).contains(status) ? FCMReasons.unknownClientError : FCMReasons.unknownServerError
    }

    /// The token is at fault only if the answer states so.
    private var invalidArgument: FCMReasons.Row {
        if violations.contains(where: { $0.field == "message.token" }) { return FCMReasons.invalidToken }
        let texts = [message] + violations.map(\.text)
        if texts.contains(where: Self.reportsInvalidToken) { return FCMReasons.invalidToken }
        return hasDetails ? FCMReasons.invalidArgument : FCMReasons.invalidWithoutDetails
    }

    /// "The registration token is not a valid FCM registration token"
    private static func reportsInvalidToken(_ text: String) -> Bool {
        text.lowercased().contains("not a valid fcm registration token")
    }

    private static func quota(of violations: [JSONValue]) -> FCMReply.Quota? {
        let texts = violations.flatMap { [text($0["subject"]), text($0["description"])] }
            .compactMap { $0?.lowercased() }
        if texts.contains(where: { $0.contains("device") }) { return .device }
        if texts.contains(where: { $0.contains("topic") }) { return .topic }
        if texts.contains(where: { $0.contains("project") }) { return .project }
        return nil
    }

    // MARK: Reading what may be anything

    private static func text(_ value: JSONValue?) -> String? {
        guard case .string(let text)? = value, !text.isEmpty else { return nil }
        return text
    }

    private static func objects(_ value: JSONValue?) -> [JSONValue] {
        guard case .array(let elements)? = value else { return [] }
        return elements
    }

    /// Makes a text printable for logs and the store, and limits it to the length of a name.
    static func printable(_ text: String) -> String { text.printable(atMost: 100) }
}
