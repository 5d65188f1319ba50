import Testing
import pushsink

@Suite struct RuleBookTests {
    private let now = Instant(nanoseconds: 1)

    /// Returns a book's answers to requests for these tokens, one after the other.
    private func answers(_ text: String, to tokens: [String]) throws -> [SinkAnswer?] {
        var book = try RuleBook(text: text, file: "rules")
        return tokens.map { token in
            token.asBytes { book.answer(SinkRequest(device: $0, connection: 1, stream: 1), at: now) }
        }
    }

    @Test func `the first rule that matches decides`() throws {
        let gone = SinkAnswer(.reject(Rejection(status: 410, reason: "Unregistered")))
        let slow = SinkAnswer(.reject(Rejection(status: 429, reason: "TooManyRequests")))
        let text = """
            # who is dead
            dead*  status 410 Unregistered
            de     status 429 TooManyRequests   # and who is not
            """
        #expect(
            try answers(text, to: ["deadbeef", "DEADBEEF", "de00", "00dead"]) == [gone, gone, slow, nil])
    }

    @Test func `every keyword of the language is understood`() throws {
        let table: [(String, SinkAnswer)] = [
            ("accept", .accept),
            ("silent", SinkAnswer(.silence)),
            ("refuse", SinkAnswer(.refuse)),
            ("reset", SinkAnswer(.reset)),
            ("close", SinkAnswer(.close)),
            ("goaway", SinkAnswer(.goAway(reason: "Shutdown"))),
            ("goaway BadCertificate", SinkAnswer(.goAway(reason: "BadCertificate"))),
            ("goaway graceful IdleTimeout", SinkAnswer(.goAway(isGraceful: true, reason: "IdleTimeout"))),
            ("delay 20", SinkAnswer(.accept, after: .milliseconds(20))),
            ("max-streams 7", SinkAnswer(.accept, advertising: 7)),
            ("half-open", SinkAnswer(.halfOpen(nil))),
            ("interim", SinkAnswer(.flood(.interim))),
            ("crumbs", SinkAnswer(.flood(.crumbs))),
            ("empty-data", SinkAnswer(.flood(.emptyData))),
            ("header-bomb", SinkAnswer(.flood(.headerBomb))),
            ("ping-flood", SinkAnswer(.flood(.pingFlood))),
            ("settings-flood", SinkAnswer(.flood(.settingsFlood))),
            ("half-open 30", SinkAnswer(.halfOpen(.milliseconds(30)))),
            ("silent max-streams 0", SinkAnswer(.silence, advertising: 0)),
            (
                "status 410 Unregistered timestamp 1454948015990 delay 5",
                SinkAnswer(
                    .reject(Rejection(status: 410, reason: "Unregistered", timestamp: 1_454_948_015_990)),
                    after: .milliseconds(5))
            ),
        ]
        for (text, answer) in table { #expect(try answers("* " + text, to: ["ab"]) == [answer], "\(text)") }
    }

    @Test func `qualifiers control how an answer is sent`() throws {
        var narrow = SinkAnswer(.accept, advertising: 1)
        narrow.streamsFor = 20
        #expect(try answers("* max-streams 1 for 20", to: ["ab"]) == [narrow])
        var drip = SinkAnswer(.accept)
        drip.drip = 40
        #expect(try answers("* drip 40", to: ["ab"]) == [drip])
        var rejection = Rejection(status: 503, reason: "ServiceUnavailable")
        rejection.retryAfter = .seconds(9)
        let later = SinkAnswer(.reject(rejection))
        #expect(try answers("* status 503 ServiceUnavailable retry-after 9", to: ["ab"]) == [later])
    }

    @Test func `connection-after exempts the first requests on each connection`() throws {
        var book = try RuleBook(text: "a* silent connection-after 2", file: "rules")
        let answers = [1, 1, 2, 1, 2, 2].map { connection in
            "aa".asBytes { book.answer(SinkRequest(device: $0, connection: connection, stream: 1), at: now) }
        }
        let yes = SinkAnswer(.silence)
        #expect(answers == [nil, nil, nil, yes, nil, yes])
    }

    @Test
    func `times counts all tokens together, each counts every token separately, and every and after skip`()
        throws
    {
        let yes = SinkAnswer(.silence)
        #expect(try answers("* silent times 2", to: ["aa", "bb", "aa"]) == [yes, yes, nil])
        #expect(try answers("* silent each 1", to: ["aa", "bb", "aa", "bb"]) == [yes, yes, nil, nil])
        #expect(
            try answers("a silent every 2", to: ["aa", "bb", "aa", "aa", "aa"]) == [nil, nil, yes, nil, yes])
        #expect(
            try answers("* silent after 1 times 2", to: ["aa", "bb", "aa", "aa"]) == [nil, yes, yes, nil])
        #expect(
            try answers("* silent after 1 every 2", to: ["aa", "aa", "aa", "aa"]) == [nil, nil, yes, nil])
        #expect(
            try answers("* silent every 2 times 1", to: ["aa", "aa", "aa", "aa"]) == [nil, yes, nil, nil])
    }

    @Test func `a share is exact, evenly spread, and taken from requests that earlier rules do not match`()
        throws
    {
        let tokens = Array(repeating: "aa", count: 2_000)
        let taken = try answers("* silent share 27 of 1000", to: tokens).enumerated().filter { $1 != nil }
            .map(\.offset)
        #expect(taken.count == 2 * 27)
        let gaps = zip(taken, taken.dropFirst()).map { $1 - $0 }
        // 1000 / 27 = 37.04
        #expect(gaps.allSatisfy { $0 == 37 || $0 == 38 })
        let mixed = try answers("* silent share 100 of 1000\n* refuse share 50 of 900", to: tokens)
        #expect(mixed.count { $0 == SinkAnswer(.silence) } == 2 * 100)
        #expect(mixed.count { $0 == SinkAnswer(.refuse) } == 2 * 50)
    }

    @Test func `a rule that is used up gives way to the next rule`() throws {
        let text = "* refuse times 1\n* silent"
        #expect(try answers(text, to: ["aa", "aa"]) == [SinkAnswer(.refuse), SinkAnswer(.silence)])
    }

    @Test(arguments: [
        ("xyz silent", "is not a token prefix"),
        ("*", "no action"),
        ("* explode", "unknown word 'explode'; allowed: accept, status, silent"),
        ("* silent reset", "only one action is possible, not silent and reset"),
        ("* status", "'status' needs a number from 400 to 599"),
        ("* status 200 Fine", "'status' needs a number from 400 to 599"),
        ("* status 410", "needs a reason"),
        ("* status 410 times 3", "needs a reason"),
        ("* max-streams 1 for ever", "'for' needs a number"),
        ("* drip", "'drip' needs a number"),
        ("* retry-after 5", "requires an error"),
        ("* delay soon", "'delay' needs a number"),
        ("* times 0 silent", "'times' needs a number from 1"),
        ("* status 410 Gone\"", "needs a reason"),
    ])
    func `a wrong line is refused with its number and the allowed values`(line: String, problem: String)
        throws
    {
        let error = #expect(throws: SinkError.self) {
            try RuleBook(text: "# one\n\n\(line)\n", file: "f.rules")
        }
        let text = try #require(error).description
        #expect(text.hasPrefix("f.rules:3: ") && text.contains(problem), "\(text)")
    }
}
