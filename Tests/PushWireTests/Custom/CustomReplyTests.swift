import GatewayCustom
import PushModel
import Testing

@Suite struct CustomReplyTests {
    private static let ids = (1...3).map { OpaqueID(high: 1, low: UInt64($0)) }

    private static func reply(
        _ verdicts: String, status: Int = 200, retryAfter: String? = nil
    ) -> CustomReply {
        var text = #"{"verdicts":[\#(verdicts)]}"#
        for (index, id) in ids.enumerated() {
            text = text.replacing("#\(index)", with: #""id":"\#(id.text)""#)
        }
        return CustomReply(
            status: status, body: Array(text.utf8), ids: ids, retryAfter: retryAfter,
            now: WallTime(secondsSince1970: 0))
    }

    private static func isUndecided(_ outcome: Outcome) -> Bool {
        if case .undecided(CustomReasons.unclear.verdict, _) = outcome { true } else { false }
    }

    @Test func `verdicts are matched to messages by id, in any order`() {
        let reply = Self.reply(
            #"{#2,"verdict":"refused","reason":"no such template"},{#0,"verdict":"accepted"},{#1,"verdict":"tokenDead"}"#
        )
        #expect(reply.outcomes[0] == .accepted(providerID: nil))
        #expect(reply.outcomes[1] == .rejected(CustomReasons.tokenDead.verdict, reason: "tokenDead"))
        #expect(
            reply.outcomes[2]
                == .rejected(CustomReasons.refused.verdict, reason: "refused: no such template"))
        #expect(reply.accountFailure == nil && reply.pauseSeconds == nil)
    }

    @Test(arguments: [
        #"{#0,"verdict":"accepted"},{#0,"verdict":"refused"},{#2,"verdict":"accepted"}"#,
        #"{#0,"verdict":"Accepted"},{#1},{#2,"verdict":"accepted"}"#,
        #"{#0,"verdict":7},{"id":"nonsense","verdict":"accepted"},7,null,{#2,"verdict":"accepted"}"#,
    ])
    func `a message without exactly one readable verdict is undecided, and other messages are not affected`(
        verdicts: String
    ) {
        let outcomes = Self.reply(verdicts).outcomes
        #expect(outcomes.count == 3 && Self.isUndecided(outcomes[0]) && Self.isUndecided(outcomes[1]))
        #expect(outcomes[2] == .accepted(providerID: nil))
    }

    @Test(arguments: ["", "<html>", "[]", "{}", #"{"verdicts":{}}"#, #"{"verdicts":[{"id":"#])
    func `an answer that is not a list of verdicts leaves all messages undecided`(body: String) {
        let reply = CustomReply(
            status: 200, body: Array(body.utf8), ids: Self.ids, now: WallTime(secondsSince1970: 0))
        #expect(reply.outcomes.count == 3 && reply.outcomes.allSatisfy(Self.isUndecided))
    }

    @Test func `a verdict's delay is at least one second and at most one day`() {
        let outcomes = Self.reply(
            #"{#0,"verdict":"later","seconds":-5},{#1,"verdict":"later","seconds":99999999999},{#2,"verdict":"later"}"#
        ).outcomes
        let delays = outcomes.map { outcome in
            if case .rejected(let verdict, _) = outcome { verdict.minimumDelaySeconds } else { 0 as Int32 }
        }
        #expect(delays == [1, 86_400, 60])
    }

    @Test func `a reason in a verdict contains no token`() {
        let token = String(repeating: "a1", count: 32)
        let outcome = Self.reply(#"{#0,"verdict":"refused","reason":"no device \#(token) here"}"#).outcomes[0]
        guard case .rejected(_, let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(reason.hasPrefix("refused: no device") && !reason.contains(token))
    }

    @Test func `a credential that is refused for one message is trouble for the account`() {
        let reply = Self.reply(
            #"{#0,"verdict":"accepted"},{#1,"verdict":"credentialRefused"},{#2,"verdict":"accepted"}"#)
        #expect(reply.accountFailure == reply.outcomes[1])
    }

    @Test(arguments: [
        (301, CustomReasons.batchRefused), (400, CustomReasons.batchRefused),
        (401, CustomReasons.credentialRefused), (403, CustomReasons.credentialRefused),
        (407, CustomReasons.credentialRefused), (408, CustomReasons.notTaken),
        (413, CustomReasons.batchRefused), (429, CustomReasons.notTaken), (500, CustomReasons.notTaken),
        (599, CustomReasons.notTaken),
    ])
    func `a status other than 200 applies to the whole batch`(status: Int, row: CustomReasons.Row) {
        let reply = Self.reply(#"{#0,"verdict":"accepted"}"#, status: status)
        #expect(
            reply.outcomes
                == Array(
                    repeating: .rejected(row.verdict, reason: "\(row.word): status \(status)"), count: 3))
        #expect((reply.accountFailure != nil) == (row.verdict.scope == .account))
    }

    @Test(arguments: [201, 202, 204, 299])
    func `a success without verdicts leaves all messages undecided`(status: Int) {
        let reply = Self.reply("", status: status)
        #expect(reply.outcomes.count == 3 && reply.outcomes.allSatisfy(Self.isUndecided))
        #expect(!reply.refusesBatch && reply.accountFailure == nil)
    }

    @Test func `a pause applies to the receiver and delays messages by at most an hour`() {
        let reply = Self.reply("", status: 503, retryAfter: "7200")
        #expect(reply.pauseSeconds == 7_200)
        guard case .rejected(let verdict, _) = reply.outcomes[0] else {
            Issue.record("\(reply.outcomes)")
            return
        }
        #expect(verdict.minimumDelaySeconds == Verdict.maxSharedDelaySeconds)
    }
}
