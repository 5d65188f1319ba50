import Foundation
import PushAPI
import PushModel
import PushStore
import TestRequests
import TestSupport
import Testing

/// Tests what a token that is bound to services can see and change.
@Suite struct BoundTokenTests {
    /// The name of the service and the app in the description's examples.
    private static let (service, app) = ("neotrips", "neotrips-ios")
    /// A word in every text of the objects that the token must not see, except in the names in examples.
    private static let hidden = "hidden"
    private static let token = String(repeating: "a1", count: 32)
    private static let other = String(repeating: "b2", count: 32)

    /// An unbound caller, and a caller whose token has all scopes and is bound to the service `shop`.
    private struct Callers {
        var all: APICaller
        var bound: APICaller
    }

    private static func with(_ story: (Callers) async throws -> Void) async throws {
        try await APICaller.with { all in
            let made = try all.ask(
                "POST", "/tokens",
                #"{"name": "bound", "scopes": ["read", "send", "admin", "people"], "services": ["shop"]}"#)
            #expect((made["grant"] as? [String: Any])?["services"] as? [String] == ["shop"], "\(made.errors)")
            var bound = all
            bound.token = try #require(made["token"] as? String)
            try await story(Callers(all: all, bound: bound))
        }
    }

    /// Creates one object of each kind in a service.
    private static func fill(
        _ caller: APICaller, service: String, app: String, label: String, webhook: String, person: String,
        token: String
    ) throws {
        for (method, path, body, status) in [
            ("PATCH", "/services/\(service)", #"{"label": "\#(label) service"}"#, 200),
            (
                "POST", "/webhooks",
                """
                {"name": "\(webhook)", "url": "https://\(label).example.com/", "events": ["clicked"], \
                "service": "\(service)"}
                """, 201
            ),
            ("PUT", "/services/\(service)/templates/sale", #"{"content": {"title": "\#(label)"}}"#, 200),
            (
                "POST", "/subscribers",
                #"{"app": "\#(app)", "token": "\#(token)", "userKey": "\#(person)"}"#, 200
            ),
            (
                "POST", "/deliveries",
                """
                {"label": "\(label) sale", "service": "\(service)", "target": {"all": true}, \
                "content": {"title": "t"}}
                """, 201
            ),
            (
                "POST", "/quarantine",
                #"{"app": "\#(app)", "token": "\#(token)", "reason": "\#(label) reason"}"#, 200
            ),
        ] {
            let reply = try caller.ask(method, path, body)
            #expect(reply.status == status, "\(method) \(path): \(reply.errors)")
        }
        let rows = #"{"token": "\#(token)", "userKey": "\#(person)"}"#
        let job = try caller.ask(
            "POST", "/apps/\(app)/subscribers/import", rows, headers: ["Content-Type": "application/x-ndjson"]
        )
        #expect(job.status == 202, "\(job.errors)")
    }

    /// Creates the objects of a service that the token must not see. They have the names and the ids in
    /// requests that the examples contain.
    private static func fillOther(_ callers: Callers) throws {
        let operations = callers.all.web.operations
        _ = try operations.carryOut(CreateService(name: service))
        _ = try operations.carryOut(
            CreateApp(
                name: app, service: service, platform: .ios, integrationKey: "hidden key", connector: "stub",
                bundleId: "com.example.hidden"))
        _ = try operations.carryOut(
            CreateApp(
                name: "hidden-app", service: service, platform: .ios, integrationKey: "hidden key 2",
                connector: "stub", bundleId: "com.example.hidden"))
        try fill(
            callers.all, service: service, app: app, label: hidden, webhook: "crm", person: "anna",
            token: token)
    }

    private struct Example {
        var what: String
        var method: String
        var path: String
        var body: String?
        var headers: [String: String] = [:]
    }

    /// Returns the example request of each operation. Deliveries have the id 2.
    private static func examples(_ caller: APICaller) throws -> [Example] {
        let description = try APIDescription(try caller.ask("GET", "/openapi.json").json)
        return try description.operations.map { path, method, operation in
            var address = path
            var query: [String] = []
            for parameter in operation["parameters"] as? [[String: Any]] ?? [] {
                guard let name = parameter["name"] as? String, var value = parameter["example"] else {
                    continue
                }
                if path.hasPrefix("/deliveries/{id}"), name == "id" { value = 2 }
                address = address.replacing("{\(name)}", with: "\(value)")
                if parameter["in"] as? String == "query" { query.append("\(name)=\(value)") }
            }
            if !query.isEmpty { address += "?" + query.joined(separator: "&") }
            var example = Example(what: "\(method) \(path)", method: method, path: address)
            let content = (operation["requestBody"] as? [String: Any])?["content"] as? [String: [String: Any]]
            if let json = content?["application/json"] {
                let data = try JSONSerialization.data(
                    withJSONObject: json["example"] ?? [String: Any](), options: [.sortedKeys])
                example.body = String(decoding: data, as: UTF8.self)
            } else if let type = content?.keys.min() {
                example.body = content?[type]?["example"] as? String
                example.headers["Content-Type"] = type
            }
            return example
        }.sorted { $0.what < $1.what }
    }

    private static let reaches: [String: PushAPI.Operation.Reach] = Dictionary(
        UseCases.all.flatMap { $0.operations }.map { operation in
            ("\(operation.method.rawValue.uppercased()) \(operation.path)", operation.reach ?? .instance)
        }, uniquingKeysWith: { first, _ in first })

    @Test func `no answer to a bound token depends on objects of other services`() async throws {
        try await Self.with { callers in
            try Self.fill(
                callers.all, service: "shop", app: "shop-ios", label: "own", webhook: "own", person: "bert",
                token: Self.other)
            let examples = try Self.examples(callers.bound).filter { !$0.what.hasSuffix("/openapi.json") }
            func answers() throws -> [String: APICaller.Reply] {
                try Dictionary(
                    uniqueKeysWithValues: examples.map {
                        ($0.what, try callers.bound.ask($0.method, $0.path, $0.body, headers: $0.headers))
                    })
            }
            let before = try answers()
            try Self.fillOther(callers)
            let after = try answers()
            for (what, reply) in after {
                #expect(reply.status == before[what]?.status, "\(what): \(reply.errors)")
                #expect(reply.plain.body == before[what]?.plain.body, "\(what)")
                #expect(!reply.plain.body.contains(Self.hidden), "\(what): \(reply.plain.body)")
                let path = what.split(separator: " ")[1]
                if Self.reaches[what] != .services {
                    #expect(reply.status == 403, "\(what)")
                    #expect(reply.errors.first?.contains("bound is bound to services") == true, "\(what)")
                } else if path.contains("{"), !path.hasPrefix("/jobs/") {
                    #expect(reply.status == 404, "\(what): \(reply.errors)")
                } else {
                    #expect([200, 404, 409, 422].contains(reply.status), "\(what): \(reply.errors)")
                }
            }
        }
    }

    @Test func `lists contain only objects of the token's services, page by page`() async throws {
        try await Self.with { callers in
            try Self.fillOther(callers)
            try Self.fill(
                callers.all, service: "shop", app: "shop-ios", label: "own", webhook: "own", person: "anna",
                token: Self.other)
            for (path, all) in [
                ("/services", 2), ("/apps", 3), ("/webhooks", 2), ("/deliveries", 2),
                ("/quarantine", 2), ("/jobs", 2), ("/subscribers?userKey=anna", 2), ("/subscribers/count", 3),
            ] {
                #expect(try Self.items(callers.all, path) == all, "\(path)")
                #expect(try Self.items(callers.bound, path) == 1, "\(path)")
            }
            for path in ["/deliveries", "/quarantine", "/jobs", "/subscribers?userKey=anna"] {
                let first = path + (path.contains("?") ? "&" : "?") + "limit=1"
                #expect(try Self.items(callers.bound, first) == 1, "\(path)")
            }
            let templates = try callers.bound.ask("GET", "/templates")["items"] as? [[String: Any]] ?? []
            let services = Set(templates.map { $0["service"] as? String })
            #expect(services == [nil, "shop"])
            // The token can use these objects.
            #expect(try callers.bound.ask("GET", "/deliveries/2")["label"] as? String == "own sale")
            #expect(try callers.bound.ask("POST", "/deliveries/2/pause").status == 200)
            #expect(try callers.bound.ask("GET", "/jobs/2").status == 200)
            #expect(try callers.bound.ask("GET", "/jobs/1").status == 404)
            #expect(try callers.bound.ask("POST", "/jobs/1/cancel").status == 404)
            #expect(try callers.bound.ask("PATCH", "/services/shop", #"{"label": "S"}"#).status == 200)
        }
    }

    /// Returns the number of items on all pages.
    private static func items(_ caller: APICaller, _ path: String) throws -> Int {
        var (count, next) = (0, String?.none)
        for _ in 0..<10 {
            let query = next.map { (path.contains("?") ? "&" : "?") + "cursor=\($0)" } ?? ""
            let reply = try caller.ask("GET", path + query)
            let items = try #require(reply["items"] as? [Any], "\(path): \(reply.errors)")
            count += items.count
            next = reply["next"] as? String
            if next == nil { return count }
        }
        return count
    }

    @Test func `single messages of other services are neither sent, shown nor cancelled`() async throws {
        try await Self.with { callers in
            try Self.fillOther(callers)
            func send(_ caller: APICaller, _ app: String, _ user: String) throws -> APICaller.Reply {
                try caller.ask(
                    "POST", "/messages",
                    #"{"app": "\#(app)", "userKey": "\#(user)", "content": {"title": "hidden"}}"#)
            }
            #expect(
                try callers.all.ask(
                    "POST", "/quarantine/release", #"{"app": "\#(Self.app)", "userKey": "anna"}"#
                ).status == 200)
            let sent = try send(callers.all, Self.app, "anna")
            #expect(sent.status == 202, "\(sent.errors)")
            // The app is in the cache that all callers share.
            for _ in 1...2 {
                let refused = try send(callers.bound, Self.app, "anna")
                #expect(refused.status == 422 && refused.errors.first?.contains("no app") == true)
            }
            let devices = try #require(sent["devices"] as? [[String: Any]])
            let id = try #require(devices.first?["id"] as? String)
            #expect(try callers.all.ask("GET", "/messages/\(id)").status == 200)
            #expect(try callers.bound.ask("GET", "/messages/\(id)").status == 404)
            #expect(try callers.bound.ask("POST", "/messages/\(id)/cancel").status == 404)
            #expect(try callers.all.ask("GET", "/messages/\(id)")["state"] as? String == "pending")
            #expect(try Self.items(callers.bound, "/messages") == 0)
            #expect(try Self.items(callers.all, "/messages") == 1)
            let body = #"{"app": "shop-ios", "token": "\#(Self.other)", "userKey": "bert"}"#
            #expect(try callers.bound.ask("POST", "/subscribers", body).status == 200)
            for _ in 1...3 { #expect(try send(callers.bound, "shop-ios", "bert").status == 202) }
            #expect(try Self.items(callers.bound, "/messages") == 3)
        }
    }

    @Test func `objects outside the bounds cannot be created, and errors do not name apps of others`()
        async throws
    {
        try await Self.with { callers in
            try Self.fillOther(callers)
            let url = #""url": "https://crm.example.com/push""#
            let webhook = try callers.bound.ask("POST", "/webhooks", #"{"name": "w", \#(url)}"#)
            #expect(webhook.status == 403 && webhook["code"] as? String == "forbidden")
            let own = #"{"name": "w", "service": "shop", \#(url)}"#
            #expect(try callers.bound.ask("POST", "/webhooks", own).status == 201)
            #expect(try callers.bound.ask("PATCH", "/webhooks/w", #"{"service": null}"#).status == 403)
            #expect(
                try callers.bound.ask("PATCH", "/webhooks/w", #"{"service": "\#(Self.service)"}"#).status
                    == 404)
            #expect(
                try callers.all.ask("PUT", "/templates/all", #"{"content": {"title": "t"}}"#).status == 200)
            #expect(try callers.bound.ask("GET", "/templates/all").status == 200)
            #expect(try callers.bound.ask("DELETE", "/templates/all").status == 403)
            let app = try callers.bound.ask(
                "POST", "/apps",
                """
                {"name": "shop-2", "service": "shop", "platform": "ios", "connector": "stub", \
                "integrationKey": "hidden key 2", "bundleId": "com.example.shop"}
                """)
            #expect(app.status == 409, "\(app.errors)")
            #expect(app.errors.first?.contains("an app of another service already has") == true)
            #expect(!app.plain.body.contains("hidden-app"))
        }
    }

    @Test func `a token whose service was deleted can do nothing`() async throws {
        try await Self.with { callers in
            #expect(try callers.all.ask("DELETE", "/apps/shop-ios").status == 200)
            #expect(try callers.all.ask("DELETE", "/services/shop").status == 200)
            // A new service of the same name is another service.
            #expect(try callers.all.ask("POST", "/services", #"{"name": "shop"}"#).status == 201)
            #expect(try Self.items(callers.bound, "/services") == 0)
            #expect(try callers.bound.ask("GET", "/services/shop").status == 404)
            #expect(try callers.bound.ask("GET", "/status").status == 403)
            let tokens = try callers.all.ask("GET", "/tokens")["items"] as? [[String: Any]] ?? []
            let bound = tokens.first { $0["name"] as? String == "bound" }
            #expect(bound?["services"] as? [String] == [])
            #expect(tokens.first { $0["name"] as? String == "caller" }?["services"] is NSNull)
        }
    }
}
