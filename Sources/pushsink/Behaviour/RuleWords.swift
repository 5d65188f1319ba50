/// What is wrong with a line.
struct RuleProblem: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// Whose requests a rule book is for.
package enum RuleDialect: Equatable, Sendable {
    case apns, fcm, oauth, binary

    var actions: [String] {
        let common =
            ["accept", "status", "silent", "half-open", "refuse", "goaway", "close", "reset"]
            + Flood.allCases.map(\.rawValue)
        switch self {
        case .apns: return common
        case .fcm: return common + ["fcm", "rpc", "legacy", "html"]
        case .oauth: return common + ["oauth", "html"]
        case .binary:
            return [
                "accept", "status", "invalid-token", "shutdown", "silent", "half-open", "close", "reset",
                "garbage",
                "half-packet", "stranger",
            ]
        }
    }

    /// Tokens whose digits may be sent in either case.
    var hasHexadecimalTokens: Bool { self == .apns || self == .binary }

    var qualifiers: [String] {
        let common = [
            "delay", "max-streams", "drip", "retry-after", "times", "each", "every", "after",
            "connection-after",
        ]
        switch self {
        case .apns: return common
        case .binary: return ["delay", "times", "each", "every", "after"]
        case .fcm: return common + ["canonical", "short", "truncated", "broken-off"]
        case .oauth: return common + ["truncated", "broken-off"]
        }
    }
}

/// The words of one line, read from left to right.
struct RuleWords {
    var words: ArraySlice<String>
    private let dialect: RuleDialect

    init(_ words: [String], _ dialect: RuleDialect) {
        self.words = words[...]
        self.dialect = dialect
    }

    var left: Bool { !words.isEmpty }

    private var allowed: String { (dialect.actions + dialect.qualifiers).joined(separator: ", ") }

    mutating func rule() throws(RuleProblem) -> Rule {
        var rule = Rule(prefix: try prefix(), answer: .accept)
        rule.ignoresCase = dialect.hasHexadecimalTokens
        var retryAfter: RetryAfter?
        var acts: [String] = []
        guard left else { throw RuleProblem("no action after the token prefix; allowed: \(allowed)") }
        while let word = words.popFirst() {
            guard dialect.actions.contains(word) || dialect.qualifiers.contains(word) else {
                throw RuleProblem("unknown word '\(word)'; allowed: \(allowed)")
            }
            if dialect == .binary, let act = try binary(word) {
                rule.answer.act = act
                acts.append(word)
                continue
            }
            switch word {
            case "accept": rule.answer.act = .accept
            case "status": rule.answer.act = .reject(try rejection())
            case "silent": rule.answer.act = dialect == .binary ? .halfOpen(try span(of: word)) : .silence
            case "half-open": rule.answer.act = .halfOpen(try span(of: word))
            case "refuse": rule.answer.act = .refuse
            case "goaway": rule.answer.act = .goAway(goAway())
            case "close": rule.answer.act = .close
            case "reset": rule.answer.act = .reset
            case "delay": rule.answer.delay = .milliseconds(UInt64(try number(of: word, 0...86_400_000)))
            case "max-streams":
                rule.answer.streams = UInt32(try number(of: word, 0...Int(Int32.max)))
                if words.first == "for" {
                    words.removeFirst()
                    rule.answer.streamsFor = try number(of: "for", 1...Int.max)
                }
            case "drip": rule.answer.drip = try number(of: word, 1...1_000_000)
            case "times": rule.times = try number(of: word, 1...Int.max)
            case "each": rule.each = try number(of: word, 1...Int.max)
            case "every": rule.every = try number(of: word, 1...Int.max)
            case "after": rule.after = try number(of: word, 1...Int.max)
            case "connection-after": rule.connectionAfter = try number(of: word, 1...Int.max)
            case "retry-after": retryAfter = try self.retryAfter()
            case let word where Flood(rawValue: word) != nil:
                if let flood = Flood(rawValue: word) { rule.answer.act = .flood(flood) }
            default: try google(word, &rule)
            }
            if dialect.actions.contains(word) { acts.append(word) }
        }
        guard acts.count <= 1 else {
            throw RuleProblem("only one action is possible, not \(acts.joined(separator: " and "))")
        }
        if let retryAfter {
            guard case .reject(var rejection) = rule.answer.act else {
                throw RuleProblem("'retry-after' goes with an error, e.g. status 503 Unavailable")
            }
            rejection.retryAfter = retryAfter
            rule.answer.act = .reject(rejection)
        }
        return rule
    }

    private mutating func prefix() throws(RuleProblem) -> [UInt8] {
        var text = words.removeFirst()
        if text.hasSuffix("*") { text.removeLast() }
        guard dialect.hasHexadecimalTokens else { return Array(text.utf8) }
        guard text.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
            throw RuleProblem(
                "'\(text)' is not a token prefix; allowed: hexadecimal digits, or * for every token")
        }
        return Array(text.lowercased().utf8)
    }

    /// A number of milliseconds, where one follows.
    private mutating func span(of name: String) throws(RuleProblem) -> Instant.Span? {
        guard let word = words.first, Int(word) != nil else { return nil }
        return .milliseconds(UInt64(try number(of: name, 0...86_400_000)))
    }

    mutating func number(of word: String, _ range: ClosedRange<Int>) throws(RuleProblem) -> Int {
        guard let text = words.popFirst(), let value = Int(text), range.contains(value) else {
            let most = range.upperBound == Int.max ? "" : " to \(range.upperBound)"
            throw RuleProblem("'\(word)' needs a number from \(range.lowerBound)\(most)")
        }
        return value
    }

    private mutating func rejection() throws(RuleProblem) -> Rejection {
        let status = try number(of: "status", 400...599)
        guard let reason = words.popFirst(), Self.isReason(reason) else {
            throw RuleProblem("'status \(status)' needs a reason, e.g. status 410 Unregistered")
        }
        var rejection = Rejection(status: status, reason: reason)
        if words.first == "timestamp" {
            words.removeFirst()
            rejection.timestamp = UInt64(try number(of: "timestamp", 0...Int.max))
        }
        return rejection
    }

    private mutating func goAway() -> GoAway {
        var manner = GoAway.Manner.abrupt
        if words.first == "graceful" {
            words.removeFirst()
            manner = .graceful
        }
        if let word = words.first, Self.isReason(word) { return GoAway(manner, reason: words.removeFirst()) }
        return GoAway(manner, reason: "Shutdown")
    }

    /// A gateway's reasons are words that begin with a capital, which is what tells them from qualifiers.
    static func isReason(_ word: String) -> Bool {
        guard let first = word.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else {
            return false
        }
        return word.utf8.count <= 100 && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 }
            && ReasonEscapes.areSound(in: word)
    }
}

/// The words that only FCM and its OAuth endpoint have.
extension RuleWords {
    mutating func google(_ word: String, _ rule: inout Rule) throws(RuleProblem) {
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
            // Status 200: it is the result of a token, not the answer to the request.
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
        default: throw RuleProblem("unknown word '\(word)'")
        }
    }

    mutating func retryAfter() throws(RuleProblem) -> RetryAfter {
        if words.first == "date" {
            words.removeFirst()
            return .date(try number(of: "retry-after date", 0...86_400))
        }
        return .seconds(try number(of: "retry-after", 0...86_400))
    }

    private mutating func fcmError() throws(RuleProblem) -> Rejection {
        let code = try name(after: "fcm", "fcm UNREGISTERED")
        let http = try httpStatus()
        guard http != nil || GoogleError.isKnown(code) else {
            throw RuleProblem("FCM has no code '\(code)': give its HTTP status as well, e.g. fcm \(code) 409")
        }
        var field: String?
        if let word = words.first, word.hasPrefix("message") { field = words.removeFirst() }
        return GoogleError.fcm(code, http: http, field: field)
    }

    private mutating func httpStatus() throws(RuleProblem) -> Int? {
        guard let word = words.first, Int(word) != nil else { return nil }
        return try number(of: "the HTTP status", 400...599)
    }

    private mutating func name(after word: String, _ example: String) throws(RuleProblem) -> String {
        guard let name = words.popFirst(),
            name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
        else { throw RuleProblem("'\(word)' needs a name, e.g. \(example)") }
        return name
    }
}

/// The words that only the old binary gateway has.
extension RuleWords {
    /// Nil: it is none of them.
    mutating func binary(_ word: String) throws(RuleProblem) -> SinkAnswer.Act? {
        switch word {
        case "status":
            let code = try number(of: word, 0...255)
            guard code != BinaryStatus.shutdown.code else {
                throw RuleProblem("'status 10' would name a notification that was not taken: say 'shutdown'")
            }
            return .reject(BinaryStatus(UInt8(clamping: code)).rejection)
        case "invalid-token": return .reject(BinaryStatus.invalidToken.rejection)
        case "shutdown": return .goAway(GoAway(.abrupt, reason: "Shutdown"))
        case "garbage": return .blurt(.garbage)
        case "half-packet": return .blurt(.halfPacket)
        case "stranger": return .blurt(.stranger)
        default: return nil
        }
    }
}

/// Reasons that hold what no word of a rule can: `\x1b` in a rule stands for the byte. Tests of what a client
/// shows of a gateway's words need them.
enum ReasonEscapes {
    /// Whether each backslash begins an escape.
    static func areSound(in word: String) -> Bool {
        var rest = Array(word.utf8)[...]
        while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
            rest = rest[(backslash + 1)...]
            guard rest.count >= 3, rest.removeFirst() == UInt8(ascii: "x"),
                rest.prefix(2).allSatisfy({ Hex.value(of: $0) != nil })
            else { return false }
        }
        return true
    }

    /// The same in a JSON string.
    static func json(_ reason: String) -> String { reason.replacing("\\x", with: "\\u00") }

    /// The bytes themselves.
    static func bytes(_ reason: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(reason.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), rest.count >= 3 else {
                bytes.append(byte)
                continue
            }
            let digits = rest.dropFirst().prefix(2).map { Hex.value(of: $0) ?? 0 }
            bytes.append(digits[0] << 4 | digits[1])
            rest = rest.dropFirst(3)
        }
        return bytes
    }
}
