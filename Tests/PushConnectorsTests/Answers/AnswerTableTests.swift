import GatewayAPNs
import GatewayAPNsBinary
import GatewayCustom
import GatewayFCM
import GatewayKit
import PushConnectors
import PushModel
import Testing

struct AnswerTableTests {
    private static let answers = ConnectorCatalogue.answerTables.flatMap(\.answers)

    /// The reason codes of all gateways, and of all events that replace an answer, from the engine's tables.
    private static let words: [(gateway: String, words: [String])] = [
        ("APNs", APNsReasons.rows.map(\.wire)), ("APNs binary", APNsBinaryReasons.rows.map(\.wire)),
        ("FCM", FCMReasons.rows.map(\.wire)), ("FCM legacy", FCMLegacyReasons.rows.map(\.wire)),
        ("OAuth", OAuthReasons.rows.map(\.wire) + ["invalid_scope", "invalid_client"]),
        ("Custom", CustomReasons.rows.map(\.word)),
    ]

    private func answer(_ reason: String, _ connector: ConnectorName) -> GatewayAnswer? {
        ConnectorCatalogue.entry(connector)?.answer(to: reason)
    }

    @Test
    func `every reason code of every gateway is explained, and every connector with a gateway has a table`() {
        let tables = ConnectorCatalogue.answerTables
        #expect(tables.map(\.gateway) == Self.words.map(\.gateway))
        for (table, expected) in zip(tables, Self.words) {
            #expect(table.answers.map(\.word) == expected.words, "\(table.gateway)")
        }
        for entry in ConnectorCatalogue.entries {
            #expect(entry.answers.isEmpty == (entry.name == .stub), "\(entry.name)")
        }
    }

    @Test func `every text consists of sentences, and the first sentences fit into a line`() {
        for answer in Self.answers {
            for text in [answer.note.meaning, answer.note.advice, answer.verdict.consequences] {
                #expect(text.hasSuffix(".") && !text.contains("  ") && !text.contains("|"), "\(text)")
                for sentence in text.replacing(". ", with: ".\n").split(separator: "\n") {
                    let first = sentence.first ?? " "
                    #expect(sentence.count > 10 && (first.isUppercase || first == "'"), "\(sentence)")
                }
            }
            #expect(!answer.verdict.action.isEmpty && !answer.verdict.action.contains("|"))
            let explanation = answer.explanation(of: "")
            #expect(explanation.count < 500 && explanation.hasSuffix("See \(answer.link)"), "\(explanation)")
        }
        for table in ConnectorCatalogue.answerTables {
            #expect(table.introduction.hasSuffix("."), "\(table.gateway)")
        }
    }

    @Test
    func
        `all rows for a reason code have the same note and anchor, and no other reason code has this anchor`()
    {
        for (anchor, rows) in Dictionary(grouping: Self.answers, by: \.anchor) {
            #expect(Set(rows.map(\.heading)).count == 1, "\(anchor)")
            #expect(rows.allSatisfy { $0.note == rows[0].note }, "\(anchor)")
            #expect(Set(rows.map(\.status)).count == rows.count, "\(anchor)")
            #expect(anchor == anchor.lowercased() && !anchor.contains(" "))
        }
    }

    @Test(arguments: [
        ("BadDeviceToken", ConnectorName.iosHTTP2, "apns-baddevicetoken"),
        ("TopicDisallowed for topic com.example.voip", .iosHTTP2, "apns-topicdisallowed"),
        ("(connect failed) timed out", .iosHTTP2, "apns-connect-failed"),
        ("(unknown) status 404", .iosHTTP2, "apns-unknown"),
        ("8 invalid token, not sent", .ios, "apns-binary-8-invalid-token"),
        ("(closed without error packet) 3 bytes", .ios, "apns-binary-closed-without-error-packet"),
        ("INVALID_ARGUMENT: message.android.ttl: Illegal", .androidPushConnectorV2, "fcm-invalid_argument"),
        (
            "INVALID_ARGUMENT:message.token", .androidPushConnectorV2,
            "fcm-invalid_argumentmessagetoken"
        ),
        ("UNAUTHENTICATED:no-FcmError: Bearer", .androidPushConnector, "fcm-unauthenticatedno-fcmerror"),
        ("THIRD_PARTY_AUTH_ERROR", .androidPushConnector, "fcm-third_party_auth_error"),
        ("NotRegistered", .androidPushConnector, "fcm-legacy-notregistered"),
        ("invalid_grant: Check this machine's clock", .androidPushConnectorV2, "oauth-invalid_grant"),
        ("refused: no such template", ConnectorName(rawValue: "custom"), "custom-refused"),
    ])
    func `a reason with details is explained by the reason code in it`(
        reason: String, connector: ConnectorName, anchor: String
    ) {
        #expect(answer(reason, connector)?.anchor == anchor)
        #expect(
            ConnectorCatalogue.answer(to: reason, ofAccount: "\(connector) production x")?.anchor == anchor)
    }

    @Test(arguments: ["", "BadDeviceTokens", "baddevicetoken", "Bad", "its quota is exhausted", "refused"])
    func `a text that is not a gateway's answer is not explained`(text: String) {
        #expect(answer(text, .iosHTTP2) == nil)
        #expect(answer("BadDeviceToken", .stub) == nil)
        #expect(ConnectorCatalogue.answer(to: text, ofAccount: "account 1") == nil)
    }

    @Test func `if the connector is unknown, only reason codes that one gateway uses are explained`() {
        #expect(ConnectorCatalogue.answer(to: "Unregistered")?.anchor == "apns-unregistered")
        #expect(ConnectorCatalogue.answer(to: "UNREGISTERED")?.anchor == "fcm-unregistered")
        for word in ["InternalServerError", "(unknown) status 500", "(connect failed)", "elsewhere"] {
            #expect(ConnectorCatalogue.answer(to: word) == nil, "\(word)")
        }
    }

    @Test func `an explanation does not repeat the advice that a reason contains`() throws {
        let answer = try #require(OAuthReasons.table.answer(to: "invalid_grant"))
        let reason = "invalid_grant: \(answer.note.shortAdvice)"
        #expect(!answer.explanation(of: reason).contains("clock, then"))
        #expect(answer.explanation(of: "invalid_grant").contains("clock, then"))
        #expect("it waits: \(reason)".followed(by: "See x") == "it waits: \(reason). See x")
        #expect("It waits.".followed(by: "See x") == "It waits. See x" && "a".followed(by: nil) == "a")
    }

    @Test(arguments: [
        (
            "BadDeviceToken", "marks the message as failed, reports the token as invalid",
            "goes into quarantine"
        ),
        (
            "DeviceTokenNotForTopic", "marks the message as failed, counts an error for the device",
            "maxErrors"
        ),
        ("BadCollapseId", "fails the message", "is not sent again"),
        ("TopicDisallowed", "puts the topic on hold", "Messages of the topic wait"),
        ("InvalidProviderToken", "stops the account", "The account stops"),
        ("ExpiredProviderToken", "renews the token or connection, sends again", "renews its access token"),
        ("Forbidden", "tries 5 times, may stop the topic or account", "tried 5 times"),
        ("ServiceUnavailable", "sends again after 15m", "after at least 15m"),
        ("Shutdown", "sends again immediately", "does not count as an attempt"),
        ("UNSPECIFIED_ERROR", "tries 2 times", "tried 2 times"),
        ("UNAVAILABLE", "sends again after 10s", "at increasing intervals"),
        ("(feedback tuple)", "reports the token as invalid", "No message is affected"),
    ])
    func `the text of what the engine does follows from the verdict`(
        word: String, action: String, part: String
    ) throws {
        let answer = try #require(Self.answers.first { $0.word == word })
        #expect(answer.verdict.action == action)
        #expect(answer.verdict.consequences.contains(part), "\(answer.verdict.consequences)")
    }

    @Test(arguments: [201, 301, 400, 404, 408, 413, 429, 500, 503])
    func `the table for the custom connector names the statuses to which a reason code applies`(status: Int)
        throws
    {
        let reply = CustomReply(
            status: status, body: [], ids: [OpaqueID(high: 0, low: 1)],
            now: WallTime(secondsSince1970: 1_795_255_200))
        let reason =
            switch reply.outcomes.first {
            case .rejected(_, let text)?, .undecided(_, let text)?: text
            default: ""
            }
        let answer = try #require(CustomReasons.table.answer(to: reason))
        let statuses = answer.status.replacing(",", with: "").split(separator: " ").map(String.init)
        #expect(statuses.contains("\(status)") || statuses.contains("\(status / 100)xx"), "\(answer.status)")
    }
}
