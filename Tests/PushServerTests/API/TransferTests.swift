import Foundation
import PushAPI
import PushStore
import TestSupport
import Testing

/// Tests of imports and exports over HTTP.
struct TransferTests {
    private static let path = "/apps/shop-ios/subscribers/import"

    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    /// - Returns: The connection, which the caller must close.
    private static func sent(_ request: String, to address: String) throws -> Int32 {
        let socket = try PlainHTTP.connect(to: address)
        // The system would accept megabytes of an answer for a client that does not read.
        var bytes: Int32 = 4_096
        unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
        try PlainHTTP.send(Array(request.utf8), on: socket)
        return socket
    }

    private static func csv(_ numbers: Range<Int>) -> String {
        "token,userKey,city\n" + numbers.map { "\(token($0)),user\($0),Rome\n" }.joined()
    }

    private static func imported(
        _ body: String, _ type: String, in caller: APICaller
    ) throws -> (status: Int, result: [String: Any]) {
        let reply = try caller.ask("POST", path, body, headers: ["Content-Type": type])
        return (reply.status, reply["result"] as? [String: Any] ?? [:])
    }

    @Test func `data that is imported as CSV or JSON lines can be exported in either format`() async throws {
        try await APICaller.with { caller in
            let first = try Self.imported(Self.csv(0..<3_000), "text/csv; charset=utf-8", in: caller)
            #expect(first.status == 202 && first.result["inserted"] as? Int == 3_000)
            let line =
                #"{"token": "\#(Self.token(1))", "userKey": "user1", "parameters": {"city": "Rome"}}"#
                + "\n\n"
                + #"{"token": "\#(Self.token(3_000).uppercased())", "userKey": null}"#
            let second = try Self.imported(line, "application/x-ndjson", in: caller)
            #expect(second.result["unchanged"] as? Int == 1 && second.result["inserted"] as? Int == 1)

            let export = "/api/v1/apps/shop-ios/subscribers/export?facts=false"
            let token = try #require(caller.token)
            let authorization = "Authorization: Bearer \(token)"
            let csv = try PlainHTTP.get(export, at: caller.web.address, fields: authorization)
            #expect(csv.header("Content-Type") == "text/csv; charset=utf-8")
            #expect(csv.body == Self.csv(0..<3_000) + "\(Self.token(3_000)),,\n")
            let lines = try PlainHTTP.get(
                export, at: caller.web.address, fields: authorization, "Accept: application/x-ndjson")
            let rows = lines.body.split(separator: "\n")
            #expect(rows.count == 3_001)
            #expect(
                rows.first.map(String.init)
                    == #"{"token":"\#(Self.token(0))","userKey":"user0","parameters":{"city":"Rome"}}"#)
        }
    }

    @Test func `the example files can be imported, and are exported as the examples of exports`() async throws
    {
        for (type, example) in ImportSubscribers.bodyExamples {
            try await APICaller.with { caller in
                let imported = try Self.imported(example, type, in: caller)
                #expect(imported.status == 202 && imported.result["inserted"] as? Int == 1, "\(type)")
                let token = try #require(caller.token)
                let exported = try PlainHTTP.get(
                    "/api/v1/apps/shop-ios/subscribers/export", at: caller.web.address,
                    fields: "Authorization: Bearer \(token)", "Accept: \(type)")
                // The facts that differ follow the language.
                let answer = try #require(ExportSubscribers.answerExamples[type])
                let same = try #require(answer.firstRange(of: "it-IT")).upperBound
                #expect(exported.body.hasPrefix(answer[..<same]) && exported.body.contains("T"))
                #expect(exported.body.count(where: \.isNewline) == answer.count(where: \.isNewline))
                let again = try Self.imported(answer, type, in: caller)
                #expect(again.result["unchanged"] as? Int == 1, "\(type)")
            }
        }
    }

    @Test func `the result contains rejected rows with their line numbers and without tokens`() async throws {
        try await APICaller.with { caller in
            let csv = try Self.imported(Self.csv(0..<2) + "nonsense,anna,\n", "text/csv", in: caller)
            #expect(csv.result["rejected"] as? Int == 1)
            let rejects = csv.result["rejects"] as? [[String: Any]]
            #expect(rejects?.first?["line"] as? Int == 4)
            #expect((rejects?.first?["reason"] as? String)?.contains("nonsense") == false)
            let bad = [
                #"{"token": "zz"}"#, #"{"token": 7}"#, #"{"userKey": "anna"}"#, #"{"token": "00ff", "x": 1}"#,
                "[]",
                #"{"token": "00ff", "parameters": {"city": ["Rome"]}}"#, "nonsense", #"{"token": "00ff""#,
            ]
            let lines = try Self.imported(bad.joined(separator: "\n"), "application/x-ndjson", in: caller)
            #expect(
                lines.result["rejected"] as? Int == bad.count && lines.result["rows"] as? Int == bad.count)
            #expect(
                (lines.result["rejects"] as? [[String: Any]])?.map { $0["line"] as? Int }
                    == Array(1...bad.count))
        }
    }

    @Test func `an import that cannot succeed is refused before it begins`() async throws {
        try await APICaller.with { caller in
            #expect(try Self.imported("city\nRome\n", "text/csv", in: caller).status == 422)
            #expect(try Self.imported("", "text/csv", in: caller).status == 422)
            #expect(try Self.imported("<a/>", "text/xml", in: caller).status == 415)
            #expect(try caller.ask("POST", "/apps/none/subscribers/import").status == 404)
            #expect(try caller.ask("GET", "/apps/none/subscribers/export").status == 404)
            #expect(try caller.ask("POST", Self.path + "?liftQuarantine=perhaps").status == 400)
            let jobs = try caller.ask("GET", "/jobs")["items"] as? [[String: Any]]
            #expect(jobs?.allSatisfy { $0["state"] as? String == "failed" } == true)
        }
    }

    @Test func `an import that is cut off keeps and reports the rows before the cut`() async throws {
        try await APICaller.with { caller in
            let token = try #require(caller.token)
            // More than one chunk, which is the unit of writing, followed by the beginning of a row.
            let body = Self.csv(0..<60_000) + Self.token(60_000)
            let head = """
                POST /api/v1\(Self.path) HTTP/1.1\r
                Host: localhost\r
                Authorization: Bearer \(token)\r
                Content-Type: text/csv\r
                Content-Length: \(body.utf8.count + 1_000_000)\r
                \r

                """
            close(try Self.sent(head + body, to: caller.web.address))
            try await eventually("the job to end") {
                let job = (try caller.ask("GET", "/jobs")["items"] as? [[String: Any]])?.first
                return job?["state"] as? String == "failed"
            }
            let job = try #require((try caller.ask("GET", "/jobs")["items"] as? [[String: Any]])?.first)
            let errors = try #require(job["errors"] as? [String])
            #expect(errors.first?.contains("cut off") == true)
            let rows = try #require((job["result"] as? [String: Any])?["inserted"] as? Int)
            let count = try caller.ask("GET", "/subscribers/count?app=shop-ios")["items"] as? [[String: Any]]
            #expect(rows == 60_000 && count?.first?["subscribers"] as? Int == rows)
        }
    }

    @Test func `an export is aborted when the client stops reading, and its slot becomes available`()
        async throws
    {
        try await APICaller.with { caller in
            for part in 0..<4 {
                let first = part * 20_000
                _ = try Self.imported(Self.csv(first..<first + 20_000), "text/csv", in: caller)
            }
            let token = try #require(caller.token)
            let export = "/api/v1/apps/shop-ios/subscribers/export"
            let request =
                "GET \(export) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n"
            var silent: [Int32] = []
            defer { for socket in silent { close(socket) } }
            // There are more clients than slots. If the first clients are abandoned before the last clients
            // arrive, more clients follow.
            try await eventually("an export to be refused because all slots are taken") {
                let more = try (0..<30).map { _ in try Self.sent(request, to: caller.web.address) }
                silent += more
                let replies = more.map { PlainHTTP.readSome(from: $0) { $0.contains("\r\n") } }
                return replies.contains { $0.hasPrefix("HTTP/1.1 503") }
            }
            try await eventually("a slot to be free") {
                try caller.ask("GET", "/apps/none/subscribers/export").status == 404
            }
        }
    }
}
