/// The kind of gateway that a rule book is for.
package enum RuleDialect: UInt64, Sendable {
    case apns = 1
    case fcm, oauth, binary, custom

    var actions: [String] {
        let common =
            ["accept", "status", "silent", "half-open", "refuse", "goaway", "close", "reset"]
            + Flood.allCases.map(\.rawValue)
        switch self {
        case .apns: return common
        case .fcm: return common + ["fcm", "rpc", "legacy", "html"]
        case .oauth: return common + ["oauth", "html"]
        case .custom: return common + ["verdict"]
        case .binary:
            return [
                "accept", "status", "invalid-token", "shutdown", "silent", "half-open", "close", "reset",
                "garbage", "half-packet", "stranger",
            ]
        }
    }

    /// Whether tokens consist of hexadecimal digits, which may be sent in either case.
    var hasHexadecimalTokens: Bool { self == .apns || self == .binary }

    var qualifiers: [String] {
        let common = [
            "delay", "max-streams", "drip", "retry-after", "times", "each", "every", "share", "after",
            "connection-after",
        ]
        switch self {
        case .apns: return common
        case .binary: return ["delay", "times", "each", "every", "share", "after"]
        case .fcm: return common + ["canonical", "short", "truncated", "broken-off"]
        case .oauth, .custom: return common + ["truncated", "broken-off"]
        }
    }
}

/// The words of one line, read from left to right. Errors do not contain the number of the line.
struct RuleTokens {
    private var words: ArraySlice<String>
    private let dialect: RuleDialect

    init(_ words: [String], _ dialect: RuleDialect) {
        self.words = words[...]
        self.dialect = dialect
    }

    var left: Bool { !words.isEmpty }

    private var allowed: String { (dialect.actions + dialect.qualifiers).joined(separator: ", ") }

    mutating func rule() throws(SinkError) -> Rule {
        var rule = Rule(prefix: try prefix(), answer: .accept)
        rule.ignoresCase = dialect.hasHexadecimalTokens
        var retryAfter: RetryAfter?
        var acts: [String] = []
        guard left else { throw SinkError("no action after the token prefix; allowed: \(allowed)") }
        while let word = words.popFirst() {
            guard dialect.actions.contains(word) || dialect.qualifiers.contains(word) else {
                throw SinkError("unknown word '\(word)'; allowed: \(allowed)")
            }
            if dialect == .binary, let act = try binary(word) {
                rule.answer.act = act
                acts.append(word)
                continue
            }
            switch word {
            case "accept": rule.answer.act = .accept
            case "status": rule.answer.act = .reject(try rejection())
            case "verdict": rule.answer.act = .reject(try verdict())
            case "silent": rule.answer.act = dialect == .binary ? .halfOpen(try span(of: word)) : .silence
            case "half-open": rule.answer.act = .halfOpen(try span(of: word))
            case "refuse": rule.answer.act = .refuse
            case "goaway": rule.answer.act = goAway()
            case "close": rule.answer.act = .close
            case "reset": rule.answer.act = .reset
            case "delay": rule.answer.delay = .milliseconds(UInt64(try number(of: word, 0...86_400_000)))
            case "max-streams":
                rule.answer.streams = UInt32(try number(of: word, 0...Int(Int32.max)))
                if skip("for") { rule.answer.streamsFor = try number(of: "for", 1...Int.max) }
            case "drip": rule.answer.drip = try number(of: word, 1...1_000_000)
            case "times": rule.times = try number(of: word, 1...Int.max)
            case "each": rule.each = try number(of: word, 1...Int.max)
            case "every": rule.every = try number(of: word, 1...Int.max)
            case "share": rule.share = try share()
            case "after": rule.after = try number(of: word, 1...Int.max)
            case "connection-after": rule.connectionAfter = try number(of: word, 1...Int.max)
            case "retry-after": retryAfter = try self.retryAfter()
            default:
                if let flood = Flood(rawValue: word) {
                    rule.answer.act = .flood(flood)
                } else {
                    try google(word, &rule)
                }
            }
            if dialect.actions.contains(word) { acts.append(word) }
        }
        guard acts.count <= 1 else {
            throw SinkError("only one action is possible, not \(acts.joined(separator: " and "))")
        }
        if let retryAfter {
            guard case .reject(let rejection) = rule.answer.act else {
                throw SinkError("'retry-after' requires an error, e.g. status 503 Unavailable")
            }
            rule.answer.act = .reject(rejection.retried(after: retryAfter))
        }
        return rule
    }

    private mutating func prefix() throws(SinkError) -> [UInt8] {
        var text = words.removeFirst()
        if text.hasSuffix("*") { text.removeLast() }
        guard dialect.hasHexadecimalTokens else { return Array(text.utf8) }
        guard text.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
            throw SinkError(
                "'\(text)' is not a token prefix; allowed: hexadecimal digits, or * for every token")
        }
        return Array(text.lowercased().utf8)
    }

    /// Reads a number of milliseconds, if one follows.
    private mutating func span(of name: String) throws(SinkError) -> Instant.Span? {
        guard let word = words.first, Int(word) != nil else { return nil }
        return .milliseconds(UInt64(try number(of: name, 0...86_400_000)))
    }

    private mutating func number(of word: String, _ range: ClosedRange<Int>) throws(SinkError) -> Int {
        guard let text = words.popFirst(), let value = Int(text), range.contains(value) else {
            let most = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
            throw SinkError("'\(word)' needs a number from \(range.lowerBound)\(most)")
        }
        return value
    }

    private mutating func share() throws(SinkError) -> (taken: Int, of: Int) {
        let taken = try number(of: "share", 1...1_000_000)
        guard skip("of") else { throw SinkError("'share \(taken)' needs a total, e.g. share 3 of 100") }
        return (taken, try number(of: "of", taken...1_000_000))
    }

    private mutating func rejection() throws(SinkError) -> Rejection {
        let status = try number(of: "status", 400...599)
        guard let reason = words.popFirst(), Self.isReason(reason) else {
            throw SinkError("'status \(status)' needs a reason, e.g. status 410 Unregistered")
        }
        var rejection = Rejection(status: status, reason: reason)
        if skip("timestamp") { rejection.timestamp = UInt64(try number(of: "timestamp", 0...Int.max)) }
        return rejection
    }

    /// Status 200 means that the verdict concerns one message and is not the answer to the request.
    private mutating func verdict() throws(SinkError) -> Rejection {
        let word = try name(after: "verdict", "verdict tokenDead")
        let rejection = Rejection(status: 200, reason: word)
        guard let text = words.first, Int(text) != nil else { return rejection }
        return rejection.retried(after: .seconds(try number(of: word, 0...86_400)))
    }

    private mutating func goAway() -> SinkAnswer.Action {
        let isGraceful = skip("graceful")
        let isNamed = words.first.map(Self.isReason) ?? false
        return .goAway(isGraceful: isGraceful, reason: isNamed ? words.removeFirst() : "Shutdown")
    }

    /// Skips the word if it is next.
    private mutating func skip(_ word: String) -> Bool {
        guard words.first == word else { return false }
        words.removeFirst()
        return true
    }

    /// A gateway's reasons are words that begin with a capital letter, which distinguishes them from
    /// qualifiers. Reasons contain no character that would end a JSON string.
    private static func isReason(_ word: String) -> Bool {
        word.wholeMatch(of: /[A-Z][!#-~]{0,99}/) != nil && ReasonEscapes.areSound(in: word)
    }

    // MARK: Words that only FCM and its OAuth endpoint have

    private mutating func google(_ word: String, _ rule: inout Rule) throws(SinkError) {
        switch word {
        case "fcm":
            rule.api = .fcmV1
            rule.answer.act = .reject(try fcmError())
        case "rpc":
            rule.api = .fcmV1
            let http = try number(of: word, 400...599)
            let status = try name(after: "rpc \(http)", "rpc 403 PERMISSION_DENIED")
            rule.answer.act = .reject(GoogleError.rpc(http, status))
        case "legacy":
            rule.api = .fcmLegacy
            // Status 200 means that the error is the result for one token and not the answer to the request.
            let error = try name(after: word, "legacy NotRegistered")
            rule.answer.act = .reject(Rejection(status: 200, reason: error))
        case "html": rule.answer.act = .reject(GoogleError.html(try number(of: word, 200...599)))
        case "oauth":
            let error = try name(after: word, "oauth invalid_grant")
            rule.answer.act = .reject(OAuthGateway.rejection(error, http: try httpStatus()))
        case "canonical":
            rule.api = .fcmLegacy
            rule.answer.canonical = try name(after: word, "canonical fresh-token")
        case "short":
            rule.api = .fcmLegacy
            rule.answer.isShort = true
        case "truncated": rule.answer.damage = .truncated
        case "broken-off": rule.answer.damage = .brokenOff
        default: throw SinkError("unknown word '\(word)'")
        }
    }

    private mutating func retryAfter() throws(SinkError) -> RetryAfter {
        if skip("date") { return .date(try number(of: "retry-after date", 0...86_400)) }
        return .seconds(try number(of: "retry-after", 0...86_400))
    }

    private mutating func fcmError() throws(SinkError) -> Rejection {
        let code = try name(after: "fcm", "fcm UNREGISTERED")
        let http = try httpStatus()
        guard http != nil || GoogleError.isKnown(code) else {
            throw SinkError(
                "FCM does not have the code '\(code)': give its HTTP status as well, e.g. fcm \(code) 409")
        }
        var field: String?
        if let word = words.first, word.hasPrefix("message") { field = words.removeFirst() }
        return GoogleError.fcm(code, http: http, field: field)
    }

    private mutating func httpStatus() throws(SinkError) -> Int? {
        guard let word = words.first, Int(word) != nil else { return nil }
        return try number(of: "the HTTP status", 400...599)
    }

    private mutating func name(after word: String, _ example: String) throws(SinkError) -> String {
        guard let name = words.popFirst(), name.wholeMatch(of: /[!#-\[\]-~]+/) != nil else {
            throw SinkError("'\(word)' needs a name, e.g. \(example)")
        }
        return name
    }

    // MARK: Words that only the old binary gateway has

    /// Returns `nil` if the word is not one of the binary gateway's actions.
    private mutating func binary(_ word: String) throws(SinkError) -> SinkAnswer.Action? {
        switch word {
        case "status":
            let code = try number(of: word, 0...255)
            guard code != BinaryStatus.shutdown.code else {
                throw SinkError("'status 10' would name a notification that was not accepted: use 'shutdown'")
            }
            return .reject(BinaryStatus(UInt8(clamping: code)).rejection)
        case "invalid-token": return .reject(BinaryStatus.invalidToken.rejection)
        case "shutdown": return .goAway(reason: "Shutdown")
        default: return SinkAnswer.InvalidOutput(rawValue: word).map(SinkAnswer.Action.blurt)
        }
    }
}

/// Escapes in reasons for bytes that a word in a rule cannot contain: `\x1b` stands for the byte 0x1B. Tests
/// use them to check how a client shows a gateway's text.
enum ReasonEscapes {
    /// Reports whether each backslash begins an escape.
    static func areSound(in word: String) -> Bool {
        !word.replacing(/\\x[0-9A-Fa-f]{2}/, with: "").contains("\\")
    }

    /// Returns the reason with the escapes of a JSON string.
    static func json(_ reason: String) -> String { reason.replacing("\\x", with: "\\u00") }

    /// Returns the reason's bytes.
    static func bytes(_ reason: String) -> [UInt8] {
        let parts = reason.split(separator: "\\x", omittingEmptySubsequences: false)
        return parts[0].utf8
            + parts.dropFirst().flatMap { [UInt8($0.prefix(2), radix: 16) ?? 0] + $0.dropFirst(2).utf8 }
    }
}
