/// Scripted behaviour: rules by token prefix, the first that matches decides.
///
/// The language is told in ``RuleBook/language``, which is also the text of `--help`.
package struct RuleBook: GatewayBehaviour {
    package var rules: [Rule]

    package init(_ rules: [Rule]) { self.rules = rules }

    package mutating func answer(_ request: SinkRequest, at now: Instant) -> SinkAnswer? {
        for index in rules.indices where rules[index].concerns(request.api) && rules[index].takes(request) {
            return rules[index].answer
        }
        return nil
    }
}

/// One line of a rule book.
package struct Rule {
    /// What the token begins with; empty: any token. In lower case where `ignoresCase`.
    package var prefix: [UInt8]
    package var answer: SinkAnswer
    /// At most so many requests in all.
    package var times: Int?
    /// At most so many requests of each token.
    package var each: Int?
    /// Only every so-manieth request that the prefix fits.
    package var every: Int?
    /// None of the first so many that the prefix fits.
    package var after = 0
    /// None of the first so many of each connection that the prefix fits.
    package var connectionAfter = 0
    /// Tokens of hexadecimal digits may be sent in either case; others mean what they say.
    package var ignoresCase = true
    /// The only API that the answer has a meaning for; nil: any.
    package var api: SinkRequest.API?

    private var seen = 0
    private var taken = 0
    private var takenByToken: [UInt64: Int] = [:]
    private var seenByConnection: [Int: Int] = [:]

    package init(
        prefix: [UInt8] = [], answer: SinkAnswer, times: Int? = nil, each: Int? = nil, every: Int? = nil
    ) {
        self.prefix = prefix
        self.answer = answer
        self.times = times
        self.each = each
        self.every = every
    }

    package func concerns(_ api: SinkRequest.API) -> Bool { self.api == nil || self.api == api }

    /// Whether the rule applies to a request; it counts that it was asked.
    package mutating func takes(_ request: SinkRequest) -> Bool {
        let device = request.device
        guard fits(device) else { return false }
        seen += 1
        guard seen > after else { return false }
        if connectionAfter > 0 {
            seenByConnection[request.connection, default: 0] += 1
            guard seenByConnection[request.connection, default: 0] > connectionAfter else { return false }
        }
        if let times, taken >= times { return false }
        if let every, (seen - after) % every != 0 { return false }
        if let each {
            let earlier = takenByToken[device.hash64, default: 0]
            if earlier >= each { return false }
            takenByToken[device.hash64] = earlier + 1
        }
        taken += 1
        return true
    }

    private func fits(_ device: Bytes) -> Bool {
        guard device.count >= prefix.count else { return false }
        let mask: UInt8 = ignoresCase ? 0x20 : 0
        for index in prefix.indices where device[index] | mask != prefix[index] { return false }
        return true
    }
}
