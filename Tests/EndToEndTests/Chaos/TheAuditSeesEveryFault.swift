import FoundationEssentials
import Testing
import pushload

/// Tests an assumption of the scenarios: an audit with any single fault does not pass as correct.
@Suite struct TheAuditSeesEveryFault {
    @Test func `the audit finds no fault if both ends agree`() throws {
        #expect(try audit(["a", "b"], [accepted("a"), accepted("b")]) == .everyoneOnce(2))
    }

    @Test func `the audit counts a device that was never reached as missing`() throws {
        let seen = try audit(["a", "b"], [accepted("a")])
        #expect(seen == .everyoneOnce(2).with { ($0.reached, $0.missing) = (1, 1) })
    }

    @Test func `the audit counts a device that was reached twice as doubled`() throws {
        let seen = try audit(["a"], [accepted("a"), accepted("a")])
        #expect(seen == .everyoneOnce(1).with { $0.doubled = 1 })
    }

    @Test func `the audit counts a device that is missing from the log as unexpected`() throws {
        let seen = try audit(["a"], [accepted("a"), accepted("b")])
        #expect(seen == .everyoneOnce(1).with { ($0.reached, $0.uncalledFor, $0.oddBodies) = (2, 1, 1) })
    }

    @Test func `the audit counts a second attempt with another id as both changed and foreign`() throws {
        let other = accepted("a", id: id("b"))
        let seen = try audit(["a"], [accepted("a"), other])
        #expect(seen == .everyoneOnce(1).with { ($0.doubled, $0.changedIDs, $0.foreignIDs) = (1, 1, 1) })
    }

    @Test func `the audit counts an id without version or variant as foreign`() throws {
        let seen = try audit(["a"], [accepted("a", id: messageID("a"))])
        #expect(seen == .everyoneOnce(1).with { $0.foreignIDs = 1 })
    }

    @Test(arguments: [
        #"{"aps":{},"_mId":"MID","_dId":7}"#, #"{"aps":{},"_mId":"MID","_dId":"8"}"#,
        #"{"aps":{},"_mId":"x","_dId":"7"}"#, #"{"_mId":"MID","_dId":"7"}"#,
        #"{"aps":{},"_mId":"MID","_dId":"7""#, "",
    ])
    func `the audit counts a body that differs from the expected body as odd`(body: String) throws {
        let text = body.split(separator: "MID", omittingEmptySubsequences: false).joined(
            separator: messageID("a"))
        let seen = try audit(["a"], [accepted("a", body: text)])
        #expect(seen == .everyoneOnce(1).with { $0.oddBodies = 1 })
    }

    @Test(arguments: [
        (#"{"message":{"token":"a","data":{"_mId":"MID","_dId":"7","_msg":"x"}}}"#, false),
        (#"{"message":{"token":"a","data":{"_mId":"MID","_dId":"7"},"notification":{"title":"x"}}}"#, false),
        (#"{"message":{"token":"a","data":{"_mId":"MID","_dId":"7"}}}"#, true),
        (#"{"message":{"token":"a","data":{"_mId":"MID","_dId":7,"_msg":"x"}}}"#, true),
        (#"{"message":{"token":"a","data":{"_mId":"x","_dId":"7","_msg":"x"}}}"#, true),
        (#"{"message":{"token":"b","data":{"_mId":"MID","_dId":"7","_msg":"x"}}}"#, true), ("", true),
    ])
    func `the audit counts an FCM body that differs from the expected body as odd`(body: String, isOdd: Bool)
        throws
    {
        let text = body.split(separator: "MID", omittingEmptySubsequences: false).joined(
            separator: messageID("a"))
        let line = "1\t1\t1\taccepted\t200\t-\tv1\taccepted\ta\tno\t\(text)"
        let seen = try audit(["a"], [line], header: Self.fcmHeader)
        #expect(seen == .everyoneOnce(1).with { $0.oddBodies = isOdd ? 1 : 0 })
    }

    @Test func `the audit counts an error in a legacy answer as a rejection of its message`() throws {
        let body = #"{"to":"a","data":{"_mId":"\#(messageID("a"))","_dId":"7"}}"#
        let line = "1\t1\t1\taccepted\t200\t-\tlegacy\tUnavailable\ta\tno\t\(body)"
        let seen = try audit(["a"], [line], header: Self.fcmHeader)
        #expect(seen == .everyoneOnce(1).with { ($0.reached, $0.rejected, $0.missing) = (0, 1, 1) })
    }

    @Test func `the audit reports counts that the log does not confirm`() throws {
        let seen = try audit(["a"], [accepted("a")], sentSaid: 2)
        #expect(seen == .everyoneOnce(2).with { ($0.reached, $0.countsOff) = (1, 1) })
    }

    // MARK: The two ends

    private static let header =
        "#at_ms\tconnection\tstream\tending\tstatus\treason\ttoken\tapns_id\ttopic\tpush_type\tpriority\texpiration"
        + "\tcollapse_id\tbody"
    private static let fcmHeader =
        "#at_ms\tconnection\tstream\tending\tstatus\treason\tapi\tresult\ttoken\tvalidate_only\tbody"

    private func audit(
        _ devices: [String], _ lines: [String], sentSaid: Int? = nil, header: String = Self.header
    ) throws -> DeliveryAudit {
        let sent = sentSaid ?? devices.count
        let report = #"""
            {"id":7,"label":"x","state":"finished","createdAt":"2026-11-21T10:00:00.000Z",
            "startedAt":null,"finishedAt":null,"messagesPerSecond":null,
             "counts":{"targeted":\#(sent),"excluded":0,"pending":0,"sent":\#(sent),"retrying":0,"failed":0,
             "cancelled":0,"received":0,"clicked":0}}
            """#
        let rows = devices.map { device in
            #"""
            {"messageId":"\#(messageID(device))","userKey":"\#(device)","token":"\#(device)","app":"x",
             "state":"sent","attempts":1,"failureType":"","failureReason":"","providerReason":"","providerId":"",
             "updatedAt":""}
            """#
        }
        let log = ([header] + lines).joined(separator: "\n")
        return DeliveryAudit(
            report: try JSONDecoder().decode(DeliveryReport.self, from: Data(report.utf8)),
            log: try rows.map { try JSONDecoder().decode(MessageRow.self, from: Data($0.utf8)) },
            requests: try GatewayRequest.parse(Array(log.utf8), file: "log"))
    }

    private func accepted(_ device: String, id: String? = nil, body: String? = nil) -> String {
        let body = body ?? #"{"aps":{},"_mId":"\#(messageID(device))","_dId":"7"}"#
        return "1\t1\t1\taccepted\t200\t-\t\(device)\t\(id ?? self.id(device))\tt\talert\t10\t-\t-\t\(body)"
    }

    private func messageID(_ device: String) -> String { "\(device)bcdef01-2345-1789-2bcd-ef0123456789" }
    /// The same id with version 8 and the variant of RFC 9562: 2 is 0010, and with 10 in place of its two
    /// high bits it becomes a.
    private func id(_ device: String) -> String { "\(device)bcdef01-2345-8789-abcd-ef0123456789" }
}
