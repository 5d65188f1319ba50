import Foundation
import PushAPI
import PushModel
import TestRequests
import TestSupport
import Testing

/// A caller of the API, with a token and shorthand methods for requests.
struct APICaller {
    let web: WebFixture
    var token: String?

    /// Runs `story` with a service `shop` and a stub app `shop-ios`.
    static func with(
        _ scopes: [AccessScope] = AccessScope.allCases, _ story: (APICaller) async throws -> Void
    ) async throws {
        try await WebFixture.with { web in
            _ = try web.operations.carryOut(CreateService(name: "shop", label: "Shop"))
            _ = try web.operations.carryOut(
                CreateApp(
                    name: "shop-ios", service: "shop", platform: .ios, integrationKey: "key",
                    connector: "stub",
                    environment: .production, bundleId: "com.example.shop"))
            let made = try web.operations.carryOut(
                CreateAccessToken(name: "caller", scopes: scopes))
            try await story(APICaller(web: web, token: made.token))
        }
    }

    struct Reply {
        var status: Int
        var plain: PlainHTTP.Reply
        /// The JSON body. The body of a file that is not JSON is a string.
        var json: Any

        subscript(key: String) -> Any? { (json as? [String: Any])?[key] }
        var errors: [String] { self["errors"] as? [String] ?? [] }
    }

    func ask(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) throws -> Reply {
        let plain = try APIRequest(method, path, token: token, body: body, headers: headers)
            .ask(at: web.address)
        let isCSV = plain.header("Content-Type")?.hasPrefix("text/csv") == true
        let json: Any =
            isCSV
            ? plain.body
            : try JSONSerialization.jsonObject(with: Data(plain.body.utf8), options: .fragmentsAllowed)
        return Reply(status: plain.status, plain: plain, json: json)
    }

    /// Waits for the end of the job that a reply contains, and returns the job.
    func job(of reply: Reply) async throws -> [String: Any] {
        let location = try #require(reply.plain.header("Location"))
        let path = String(location.dropFirst("/api/v1".count))
        try await eventually("the job \(path) to end") { try !(ask("GET", path)["endedAt"] is NSNull) }
        return try #require(try ask("GET", path).json as? [String: Any])
    }
}
