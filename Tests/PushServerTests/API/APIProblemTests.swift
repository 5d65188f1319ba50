import Foundation
import PushAPI
import PushModel
import TestSupport
import Testing

/// Tests of the problem codes, on which programs base their decisions.
@Suite struct APIProblemTests {
    /// Returns the codes that the page lists, by status.
    private static func listed() throws -> [Int: Set<String>] {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/Send/API.md").standardized
        var codes: [Int: Set<String>] = [:]
        for line in try String(contentsOf: page, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3 else { continue }
            let statuses = cells[0].split(separator: " · ").compactMap { Int($0) }
            let words = cells[1].matches(of: #/`(\w+)`/#).map { String($0.1) }
            for status in statuses { codes[status, default: []].formUnion(words) }
        }
        return codes
    }

    @Test func `the page lists each code with its status and its meaning, and no other code`() throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Docs/Send/API.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        for code in ProblemCode.allCases {
            #expect(text.contains("| \(code.status) | `\(code.rawValue)` | \(code.meaning) |\n"), "\(code)")
        }
        let listed = try Self.listed().values.reduce(into: Set<String>()) { $0.formUnion($1) }
        #expect(listed == Set(ProblemCode.allCases.map(\.rawValue)))
    }

    @Test func `each problem has a code that the page lists for its status`() async throws {
        let listed = try Self.listed()
        try await APICaller.with([.read, .send]) { caller in
            let message = #"{"app": "shop-ios", "userKey": "nobody", "content": {"title": "t"}}"#
            let requests: [(method: String, path: String, body: String?, status: Int, code: String)] = [
                ("GET", "/deliveries/9", nil, 404, "absent"), ("GET", "/songs", nil, 404, "notFound"),
                ("GET", "/deliveries?limit=0", nil, 400, "badRequest"),
                ("GET", "/deliveries?a=0", nil, 400, "badRequest"),
                ("DELETE", "/deliveries", nil, 405, "methodNotAllowed"),
                ("POST", "/services", "{}", 403, "forbidden"),
                ("POST", "/deliveries", "{}", 422, "refused"), ("POST", "/messages", message, 404, "noMatch"),
            ]
            for request in requests {
                let reply = try caller.ask(request.method, request.path, request.body)
                #expect(reply.status == request.status && reply["code"] as? String == request.code)
                #expect((reply["title"] as? String)?.isEmpty == false)
                #expect(listed[request.status]?.contains(request.code) == true, "\(request.code)")
            }
            var stranger = caller
            stranger.token = "pmta_none"
            #expect(try stranger.ask("GET", "/deliveries")["code"] as? String == "unauthorized")
            #expect(listed[401]?.contains("unauthorized") == true)
            let keyed = ["Idempotency-Key": String(repeating: "k", count: 256)]
            #expect(
                try caller.ask("POST", "/messages", message, headers: keyed)["code"] as? String
                    == "badRequest")
        }
    }
}
