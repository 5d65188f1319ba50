extension RuleBook {
    /// The language of rule files.
    package static let language = """
        One rule a line, the first that matches a request decides; what no rule takes is accepted. Rules see only
        requests that are valid; invalid ones get their error whatever the rules say. '#' begins a comment.

          TOKENPREFIX|*  ACTION [QUALIFIER…]

        Actions (at most one; without one the request is accepted):
          accept                             take the notification
          status CODE REASON [timestamp MS]  answer with this status and reason, e.g. status 410 Unregistered;
                                             timestamp: of a 410, milliseconds since 1970, now if omitted
          silent                             never answer
          refuse                             RST_STREAM with REFUSED_STREAM
          goaway [graceful] [REASON]         GOAWAY with {"reason":…}: a stream in the middle of those that wait is
                                             the last one processed; graceful: announce it with 2^31-1 first
          close                              end the connection in order, without GOAWAY
          reset                              TCP reset
        Qualifiers:
          delay MS         wait before acting
          max-streams N    advertise N concurrent streams from then on
          times N          the rule takes only its first N requests, all tokens together
          each N           the rule takes only the first N requests of each token
          every N          the rule takes only every Nth request that its prefix fits

        Example:
          dead*      status 410 Unregistered
          bead       status 429 TooManyRequests each 1
          *          goaway graceful Shutdown every 50000 times 2
          *          delay 20
        """

    /// Reads the text of a rule file; `file` is its name for the error.
    package init(text: String, file: String) throws(SinkError) {
        var rules: [Rule] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = line.prefix { $0 != "#" }
            var words = RuleWords(content.split(whereSeparator: \.isWhitespace).map(String.init))
            guard words.left else { continue }
            do throws(RuleProblem) {
                rules.append(try words.rule())
            } catch {
                throw SinkError(.rules(file: file, line: index + 1, problem: error.text))
            }
        }
        self.init(rules)
    }
}

private struct RuleProblem: Error {
    let text: String
    init(_ text: String) { self.text = text }
}

/// The words of one line, read from left to right.
private struct RuleWords {
    private var words: ArraySlice<String>

    init(_ words: [String]) { self.words = words[...] }

    var left: Bool { !words.isEmpty }

    private static let actions = ["accept", "status", "silent", "refuse", "goaway", "close", "reset"]
    private static let qualifiers = ["delay", "max-streams", "times", "each", "every"]
    private static let allowed = (actions + qualifiers).joined(separator: ", ")

    mutating func rule() throws(RuleProblem) -> Rule {
        var rule = Rule(prefix: try prefix(), answer: .accept)
        var acts: [String] = []
        guard left else { throw RuleProblem("no action after the token prefix; allowed: \(Self.allowed)") }
        while let word = words.popFirst() {
            switch word {
            case "accept": rule.answer.act = .accept
            case "status": rule.answer.act = .reject(try rejection())
            case "silent": rule.answer.act = .silence
            case "refuse": rule.answer.act = .refuse
            case "goaway": rule.answer.act = .goAway(goAway())
            case "close": rule.answer.act = .close
            case "reset": rule.answer.act = .reset
            case "delay": rule.answer.delay = .milliseconds(UInt64(try number(of: word, 0...86_400_000)))
            case "max-streams": rule.answer.streams = UInt32(try number(of: word, 0...Int(Int32.max)))
            case "times": rule.times = try number(of: word, 1...Int.max)
            case "each": rule.each = try number(of: word, 1...Int.max)
            case "every": rule.every = try number(of: word, 1...Int.max)
            default: throw RuleProblem("unknown word '\(word)'; allowed: \(Self.allowed)")
            }
            if Self.actions.contains(word) { acts.append(word) }
        }
        guard acts.count <= 1 else {
            throw RuleProblem("only one action is possible, not \(acts.joined(separator: " and "))")
        }
        return rule
    }

    private mutating func prefix() throws(RuleProblem) -> [UInt8] {
        var text = words.removeFirst()
        if text.hasSuffix("*") { text.removeLast() }
        guard text.utf8.allSatisfy({ Hex.value(of: $0) != nil }) else {
            throw RuleProblem("'\(text)' is not a token prefix; allowed: hexadecimal digits, or * for every token")
        }
        return Array(text.lowercased().utf8)
    }

    private mutating func number(of word: String, _ range: ClosedRange<Int>) throws(RuleProblem) -> Int {
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
    private static func isReason(_ word: String) -> Bool {
        guard let first = word.utf8.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) else { return false }
        return word.utf8.count <= 100 && word.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
    }
}
