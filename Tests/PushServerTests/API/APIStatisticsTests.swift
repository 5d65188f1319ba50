import Foundation
import PushModel
import TestSupport
import Testing

/// Tests of figures in the form of a table, for clients that request one.
@Suite struct APIStatisticsTests {
    private static func get(_ path: String, _ caller: APICaller, accept: String?) throws -> PlainHTTP.Reply {
        let headers = accept.map { ["Accept": $0] } ?? [:]
        return try APIRequest("GET", path, token: caller.token, body: nil, headers: headers)
            .ask(at: caller.web.address)
    }

    @Test func `the statistics for a service and a delivery are available as CSV on request`() async throws {
        try await APICaller.with { caller in
            let form =
                "registrationToken=\(String(repeating: "a1", count: 32))&mobileAppUuid=key&userKey=anna"
            let registered = try PlainHTTP.post(
                "/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: caller.web.address)
            #expect(registered.status == 200)
            let document =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "content": {"title": "t"}}"#
            #expect(try caller.ask("POST", "/deliveries", document).status == 201)
            for accept in ["text/csv", "text/csv, */*", "TEXT/CSV;q=0.9, application/json;q=0.5"] {
                let service = try Self.get("/services/shop/statistics", caller, accept: accept)
                #expect(service.status == 200, "\(accept)")
                #expect(service.header("content-type")?.hasPrefix("text/csv; charset=utf-8") == true)
                let lines = service.body.split(separator: "\n")
                #expect(lines.first == "figure,app,platform,day,os,language,count")
                #expect(lines.contains("valid,shop-ios,ios,,,,1"), "\(service.body)")
                let delivery = try Self.get("/deliveries/1/statistics?devices=true", caller, accept: accept)
                #expect(delivery.status == 200 && delivery.body.hasPrefix("figure,app,minute,failureType,"))
                #expect(delivery.body.contains("\ntargeted,,,"))
            }
            let usual = [
                nil, "*/*", "application/json", "application/json, text/csv", "text/csv;q=0", "text/*", "",
                "text/csv;q=nan, */*", ",;q=1,;",
            ]
            for accept in usual {
                let reply = try Self.get("/deliveries/1/statistics", caller, accept: accept)
                #expect(reply.header("content-type") == "application/json", "\(accept ?? "none")")
            }
        }
    }

    @Test func `errors are always JSON, and so are results that are not tables`() async throws {
        try await APICaller.with { caller in
            let absent = try Self.get("/services/none/statistics", caller, accept: "text/csv")
            #expect(absent.status == 404)
            #expect(absent.header("content-type") == "application/problem+json")
            let services = try Self.get("/services", caller, accept: "text/csv")
            #expect(services.status == 200 && services.header("content-type") == "application/json")
        }
    }

    @Test func `the API description lists both media types for each table`() async throws {
        try await APICaller.with { caller in
            let document = try APIDescription(try caller.ask("GET", "/openapi.json").json)
            var tables: [String] = []
            for (path, _, operation) in document.operations {
                let responses = try #require(operation["responses"] as? [String: [String: Any]])
                let content = responses["200"]?["content"] as? [String: Any] ?? [:]
                if content["text/csv"] != nil, !path.hasSuffix("/export") {
                    #expect(content["application/json"] != nil, "\(path)")
                    tables.append(path)
                }
            }
            #expect(
                tables.sorted() == [
                    "/deliveries/{id}/log", "/deliveries/{id}/statistics", "/services/{name}/statistics",
                ])
        }
    }
}
