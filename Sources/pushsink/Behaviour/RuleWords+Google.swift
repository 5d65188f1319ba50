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
