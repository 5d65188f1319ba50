import GatewayKit
import PushConnectors
import PushModel
import PushWire
import Testing
import pushsink

/// Tests each row of the table with the connector and a gateway that gives this answer.
@Suite struct APNsVerdictTests {
    @Test(arguments: try ReasonVector.rows(of: "apns"))
    func `each answer in the table leads to the verdict in its row`(row: ReasonVector) throws {
        let gateway = try Gateway(rules: "* \(Self.rule(row))\n")
        let trusted = row.reason != "(TLS or credential failure)"
        let order = Sender.order(try Gateway.key().opaque, try gateway.order(trusted: trusted))
        if row.reason == "(connect failed)" { gateway.kill() }
        let sender = try Sender(order, messages: 1)
        switch row.reason {
        case "(connect failed)":
            // Without a connection, no message is submitted: the account's messages wait for a connection.
            try sender.run(until: "it is notified") { !sender.unreachable.isEmpty }
            #expect(sender.verdicts == [row.verdict])
            #expect(sender.unreachable.allSatisfy { $0.hasPrefix(row.reason) })
            #expect(sender.outcomes.isEmpty && sender.refusals.isEmpty)
        case "(TLS or credential failure)":
            try sender.run(until: "it is notified") { !sender.refusals.isEmpty }
            #expect(sender.verdicts == [row.verdict])
            #expect(sender.outcomes.isEmpty && sender.unreachable.isEmpty)
        default:
            try sender.sendAll()
            try Self.check(sender, row)
        }
    }

    private static func check(_ sender: Sender, _ row: ReasonVector) throws {
        switch sender.outcomes[0] {
        case .rejected(var verdict, let reason):
            // The answer itself states when the token became invalid.
            #expect((verdict.tokenDeadSince != nil) == (row.status == "410"))
            verdict.tokenDeadSince = nil
            #expect(verdict == row.verdict)
            #expect(reason == Self.word(row))
            let stops = row.verdict.scope == .account && row.verdict.schedule == .hold
            #expect(sender.refusals == (stops ? [reason] : []))
        case .undecided(let verdict, let reason):
            #expect(row.reason == "(connection lost)")
            #expect(verdict == row.verdict)
            #expect(reason.hasPrefix(row.reason))
        case .neverSent(let verdict, let reason):
            #expect(row.reason == "(stream refused by GOAWAY)")
            #expect(verdict == row.verdict)
            #expect(reason.hasPrefix(row.reason))
        case let other: Issue.record("\(String(describing: other))")
        }
    }

    /// Returns the gateway's reason code; for a row with an unknown reason, an invented one.
    private static func word(_ row: ReasonVector) -> String {
        row.reason == "(unknown)" ? "NeverHeardOf" : row.reason
    }

    /// Returns the rule that makes the gateway behave as in this row.
    private static func rule(_ row: ReasonVector) -> String {
        switch row.reason {
        case "(connection lost)": "reset delay 20"
        case "(stream refused by GOAWAY)": "refuse"
        case "(connect failed)", "(TLS or credential failure)": "accept"
        default: "status \(row.status == "5xx" ? "502" : row.status) \(word(row))"
        }
    }
}
