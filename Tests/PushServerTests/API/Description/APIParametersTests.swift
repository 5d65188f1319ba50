import Foundation
import PushModel
import TestSupport
import Testing

/// Tests that compare the API's description of parameters and messages with the values that the API refuses.
@Suite struct APIParametersTests {
    private static func described(_ caller: APICaller) throws -> APIDescription {
        try APIDescription(try caller.ask("GET", "/openapi.json").json)
    }

    /// Returns values that a schema allows, and values just outside its limits.
    private static func values(of schema: [String: Any]) throws -> (good: [String], bad: [String]) {
        switch schema["type"] as? String {
        case "integer":
            let (low, high) = (
                try #require(schema["minimum"] as? Int), try #require(schema["maximum"] as? Int)
            )
            let above = high == .max ? "9223372036854775808" : "\(high + 1)"
            let standard = (schema["default"] as? Int).map { ["\($0)"] } ?? []
            return (["\(low)", "\(high)"] + standard, ["\(low - 1)", above, "", "x", "1.5", "1 "])
        case "boolean": return (["true", "false"], ["", "1", "TRUE", "null"])
        case "string" where schema["format"] as? String == "date-time":
            return (["2026-11-21T10:00:00Z"], ["", "yesterday", "2026-11-21", "2026-13-21T10:00:00Z"])
        case "string" where schema["maxLength"] as? Int == 256:
            return ([], ["", "x", "1", "delivery.list", "delivery.list.-1", "subscribers.count.1"])
        case "string":
            let words = schema["enum"] as? [String] ?? []
            return (words, words.isEmpty ? [] : ["", "none", words.joined(separator: ",")])
        default: throw Missing()
        }
    }

    private struct Missing: Error {}

    @Test
    func `values within a parameter's documented limits are accepted, and values beyond are refused`()
        async throws
    {
        try await APICaller.with { caller in
            let document = try Self.described(caller)
            let delivery =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            #expect(try caller.ask("POST", "/deliveries", delivery).status == 201)
            var tried: [String: Int] = [:]
            for (path, method, operation) in document.operations where method == "GET" {
                for (name, schema) in document.query(of: operation) {
                    let (good, bad) = try Self.values(of: schema)
                    guard !good.isEmpty || !bad.isEmpty else {
                        #expect(
                            ["app", "token", "userKey", "service", "label", "where"].contains(name),
                            "\(path) \(name)")
                        continue
                    }
                    tried[name, default: 0] += 1
                    // Requests about one person contain that person's key.
                    let others = path.hasPrefix("/subscribers") ? "userKey=nobody&" : ""
                    let place =
                        path.replacing("{id}", with: "1").replacing("{app}", with: "shop-ios")
                        + "?\(others)\(name)="
                    // The number of a delivery that does not exist is not found.
                    for value in good where name != "delivery" {
                        #expect(try caller.ask(method, place + value).status == 200, "\(place)\(value)")
                    }
                    for value in bad {
                        let asked = place + value.replacing(" ", with: "%20")
                        let refused = try caller.ask(method, asked)
                        #expect(refused.status == 400, "\(asked)")
                        #expect(refused.errors.first?.hasPrefix("\(name): ") == true)
                    }
                }
            }
            #expect(
                tried == [
                    "limit": 8, "cursor": 8, "state": 4, "since": 1, "until": 1, "duplicates": 1,
                    "devices": 1, "single": 1, "facts": 1, "delivery": 2,
                ])
        }
    }

    @Test
    func `every path parses a delivery number in the same way, and an invalid number matches no delivery`()
        async throws
    {
        try await APICaller.with { caller in
            let document = try Self.described(caller)
            let places = document.operations.filter { $0.path.hasPrefix("/deliveries/{id}") }
            #expect(places.count == 14)
            for (path, method, operation) in places {
                let parameters = operation["parameters"] as? [[String: Any]] ?? []
                let id = try #require(parameters.first { $0["in"] as? String == "path" })
                let (good, bad) = try Self.values(of: try #require(id["schema"] as? [String: Any]))
                for (values, isNumber) in [(good, true), (bad, false)] {
                    for value in values where !value.isEmpty {
                        let asked = path.replacing("{id}", with: value.replacing(" ", with: "%20"))
                        let body = operation["requestBody"] == nil ? nil : "{}"
                        let reply = try caller.ask(method, asked, body)
                        #expect(reply.status == 404, "\(method) \(asked)")
                        let isRefusedAsNone = reply.errors.first?.hasPrefix("id: must be an integer") == true
                        #expect(isRefusedAsNone == !isNumber, "\(method) \(asked)")
                    }
                }
            }
        }
    }

    @Test(arguments: ["/messages", "/deliveries"])
    func `an idempotency key may have the documented length, but no more`(path: String) async throws {
        try await APICaller.with { caller in
            let operations = try Self.described(caller).operations
            let operation = try #require(operations.first { $0.path == path && $0.method == "POST" })
            let parameters = operation.operation["parameters"] as? [[String: Any]] ?? []
            let header = try #require(parameters.first { $0["in"] as? String == "header" })
            let schema = try #require(header["schema"] as? [String: Any])
            let longest = try #require(schema["maxLength"] as? Int)
            let body =
                path == "/messages"
                ? #"{"app": "shop-ios", "userKey": "nobody", "content": {"title": "t"}}"#
                : #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            for (length, isTaken) in [(1, true), (longest, true), (longest + 1, false)] {
                let key = String(repeating: "k", count: length)
                let status = try caller.ask("POST", path, body, headers: ["Idempotency-Key": key]).status
                #expect((status != 400) == isTaken, "\(length)")
            }
        }
    }

    @Test func `a message has either app or service, and either token or userKey, as documented`()
        async throws
    {
        try await APICaller.with { caller in
            let document = try Self.described(caller)
            let members = [
                ("app", "shop-ios"), ("service", "shop"), ("token", String(repeating: "a1", count: 32)),
                ("userKey", "nobody"),
            ]
            var taken = 0
            for choice in 0..<16 {
                var message: [String: Any] = ["content": ["title": "t"]]
                for (index, member) in members.enumerated() where choice >> index & 1 == 1 {
                    message[member.0] = member.1
                }
                let text = String(
                    decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
                let reply = try caller.ask("POST", "/messages", text)
                let isDescribed = try document.describes(message, "POST", "/messages")
                // No subscriber has this token or this user key.
                #expect(reply.status == (isDescribed ? 404 : 422), "\(message.keys.sorted())")
                if isDescribed { taken += 1 }
            }
            #expect(taken == 4)
        }
    }
}
