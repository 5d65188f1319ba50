import Foundation
import PushAPI
import PushConnectors
import PushModel
import PushWire
import TestRequests
import TestSupport
import Testing

/// Tests of the API's description in the way in which generators of clients use it.
@Suite struct APIDescriptionTests {
    private static func document() async throws -> Any {
        var document: Any?
        try await WebFixture.with { web in
            document = try APICaller(web: web, token: nil).ask("GET", "/openapi.json").json
        }
        return try #require(document)
    }

    private static func described() async throws -> APIDescription { try APIDescription(await document()) }

    @Test func `every operation has a unique id and a tag with the name of its object`() async throws {
        let operations = try await Self.described().operations.map(\.operation)
        let ids = operations.compactMap { $0["operationId"] as? String }
        #expect(ids.count == operations.count && Set(ids).count == ids.count)
        for id in ids { #expect(id.wholeMatch(of: /[a-z]+([A-Z][a-z]+)*/) != nil, "\(id)") }
        // Programs of clients contain these names.
        let known = [
            "serviceCreate", "appExplain", "deliverySubmit", "deliveryDryRun", "deliveryRelease",
            "deliveryReleaseAll", "templateShow", "templateShowVersion", "stormConfirm", "stormDiscard",
            "hostDrain", "hostResume", "webhookRotateSecret", "messageSend", "status", "apiDescribe",
        ]
        #expect(known.filter { !ids.contains($0) } == [])
        for operation in operations {
            let tags = operation["tags"] as? [String] ?? []
            let id = operation["operationId"] ?? ""
            #expect(tags.count == 1, "\(id)")
            #expect(tags.first.flatMap(Noun.init(rawValue:)) != nil, "\(id): declare \(tags) in Noun")
        }
    }

    @Test func `every value has a type, and every object that is referred to by name is defined`()
        async throws
    {
        func check(_ value: Any, _ place: String) {
            if let list = value as? [Any] {
                for (index, element) in list.enumerated() { check(element, "\(place)/\(index)") }
            }
            guard let object = value as? [String: Any] else { return }
            for key in ["schema", "items", "additionalProperties"] {
                #expect((object[key] as? [String: Any])?.isEmpty != true, "\(place)/\(key) has no type")
            }
            if object["type"] as? String == "array" { #expect(object["items"] != nil, "\(place)") }
            if object["properties"] is [String: Any] {
                let isComponent = place.wholeMatch(of: /\/components\/schemas\/[A-Z][A-Za-z]+/) != nil
                #expect(isComponent || place.hasSuffix("/properties"), "\(place) is an object without a name")
            }
            for (key, inner) in object where key != "example" { check(inner, "\(place)/\(key)") }
        }
        check(try await Self.document(), "")
    }

    @Test func `all members of request bodies have a description`() async throws {
        let operations = try await Self.described().operations
        for (path, method, operation) in operations {
            for parameter in operation["parameters"] as? [[String: Any]] ?? [] {
                let text = parameter["description"] as? String ?? ""
                #expect(!text.isEmpty, "\(method) \(path) \(parameter["name"] ?? "")")
            }
        }
        let limit = try #require(
            operations.first { $0.path == "/audit" }?.operation["parameters"] as? [[String: Any]]
        ).first
        #expect((limit?["schema"] as? [String: Any])?["default"] as? Int == 100)
    }

    // MARK: Examples

    @Test func `examples match their schemas and can be parsed and written by the product`() async throws {
        let description = try await Self.described()
        var bodies = 0
        for type in UseCases.all { bodies += try Self.checkExamples(of: type, description) }
        #expect(bodies >= 14)
    }

    @Test func `every body and every answer has an example that contains no placeholders`() async throws {
        func placeholders(_ value: Any, _ place: String) -> [String] {
            if let list = value as? [Any] {
                return list.flatMap { placeholders($0, place) }
            } else if let object = value as? [String: Any] {
                // One type of subscription parameter is named "text".
                return object.flatMap { $0 == "kind" ? [] : placeholders($1, "\(place).\($0)") }
            }
            return value as? String == "text" ? [place] : []
        }
        for (_, _, operation) in try await Self.described().operations {
            let id = try #require(operation["operationId"] as? String)
            let responses = try #require(operation["responses"] as? [String: [String: Any]])
            let request = operation["requestBody"] as? [String: Any] ?? [:]
            for body in [request] + responses.values {
                // A problem is described elsewhere.
                let content = body["content"] as? [String: [String: Any]] ?? [:]
                for (type, described) in content {
                    let example = try #require(described["example"], "\(id): \(type)")
                    #expect(placeholders(example, id) == [], "AnswerExamples has no value")
                }
            }
        }
    }

    @Test func `the values in examples belong to a type or to an operation in the description`() async throws
    {
        let description = try await Self.described()
        let ids = description.operations.compactMap { $0.operation["operationId"] as? String }
        #expect(AnswerExamples.names.count > 50)
        #expect(AnswerExamples.names.filter { description.schemas[$0] == nil && !ids.contains($0) } == [])
    }

    /// - Returns: The number of examples of bodies.
    private static func checkExamples<Use: UseCase>(
        of type: Use.Type, _ description: APIDescription
    ) throws -> Int {
        var bodies = 0
        for operation in Use.operations where !operation.isLocal {
            let what = Use.identifier(of: operation)
            let found = description.operations.first { $0.operation["operationId"] as? String == what }
            let described = try #require(found?.operation, "\(what)")
            var (names, query, body): ([String: String], [String: String], [UInt8]) = (
                operation.given, [:], []
            )
            for parameter in described["parameters"] as? [[String: Any]] ?? [] {
                let name = try #require(parameter["name"] as? String)
                let isInPath = parameter["in"] as? String == "path"
                guard let example = parameter["example"] else {
                    #expect(!isInPath, "\(what): \(name) has no example")
                    continue
                }
                let schema = try #require(parameter["schema"] as? [String: Any])
                #expect(description.faults(of: example, schema) == [], "\(what): \(name)")
                if isInPath { names[name] = "\(example)" } else { query[name] = "\(example)" }
            }
            if let request = described["requestBody"] as? [String: Any], !(type is any Upload.Type) {
                let example = try Self.example(in: request, description, what)
                body = Array(try JSONSerialization.data(withJSONObject: try #require(example, "\(what)")))
                bodies += 1
            }
            do throws(OperationError) {
                let request = try Use.request(names: names, query: query, body: body)
                #expect(try request.hasReadableDocument(), "\(what)")
            } catch {
                Issue.record("\(what): the example is refused: \(error.lines)")
            }
            try checkAnswer(of: type, described, description, what)
        }
        return bodies
    }

    private static func checkAnswer<Use: UseCase>(
        of type: Use.Type, _ operation: [String: Any], _ description: APIDescription, _ what: String
    ) throws {
        let responses = try #require(operation["responses"] as? [String: [String: Any]])
        let done = try #require(responses.first { $0.key.hasPrefix("2") }?.value)
        if type is any Download.Type { return }
        let example = try #require(try Self.example(in: done, description, what), "\(what)")
        var data = try JSONSerialization.data(withJSONObject: example)
        if type is any Job.Type || type is any Upload.Type {
            #expect(throws: Never.self, "\(what)") { try JSONDecoder().decode(JobView.self, from: data) }
            return
        }
        if case .list = Use.Answer.schema {
            let items = try #require((example as? [String: Any])?["items"])
            data = try JSONSerialization.data(withJSONObject: items)
        }
        do { _ = try JSONDecoder().decode(Use.Answer.self, from: data) } catch {
            Issue.record("\(what): the example of the answer cannot be read: \(error)")
        }
    }

    /// Returns the example of a body, which must match the body's schema.
    private static func example(
        in body: [String: Any], _ description: APIDescription, _ what: String
    ) throws -> Any? {
        let content = try #require(body["content"] as? [String: [String: Any]])
        let json = try #require(content["application/json"])
        guard let example = json["example"] else { return nil }
        let faults = description.faults(of: example, try #require(json["schema"] as? [String: Any]))
        #expect(faults == [], "\(what)")
        return example
    }

    @Test func `sending an example request has the described effect`() async throws {
        try await WebFixture.with { web in
            let token = try web.operations.carryOut(
                CreateAccessToken(name: "caller", scopes: AccessScope.allCases)
            ).token
            let caller = APICaller(web: web, token: token)
            let description = try APIDescription(
                try APICaller(web: web, token: nil).ask("GET", "/openapi.json").json)
            func send(_ id: String, _ status: Int) throws {
                let found = description.operations.first { $0.operation["operationId"] as? String == id }
                let (path, method, operation) = try #require(found, "\(id)")
                var address = path
                var query: [String] = []
                for parameter in operation["parameters"] as? [[String: Any]] ?? [] {
                    guard let example = parameter["example"], let name = parameter["name"] else { continue }
                    address = address.replacing("{\(name)}", with: "\(example)")
                    if parameter["in"] as? String == "query" { query.append("\(name)=\(example)") }
                }
                if !query.isEmpty { address += "?" + query.joined(separator: "&") }
                let body = try (operation["requestBody"] as? [String: Any]).map { body in
                    try Self.example(in: body, description, id) ?? [:]
                }
                let text = try body.map {
                    String(decoding: try JSONSerialization.data(withJSONObject: $0), as: UTF8.self)
                }
                let reply = try caller.ask(method, address, text)
                #expect(reply.status == status, "\(id): \(reply.errors)")
            }
            try send("serviceCreate", 201)
            try send("appCreate", 201)
            let form =
                "registrationToken=\(String(repeating: "a1", count: 32))&mobileAppUuid=com.neotrips.app&userKey=anna&method="
            _ = try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: web.address)
            for id in ["webhookCreate", "tokenCreate", "deliverySubmit", "deliveryProof"] {
                try send(id, 201)
            }
            for id in [
                "serviceUpdate", "appUpdate", "webhookUpdate", "templateSave", "templateShow",
                "templateShowVersion", "subscribersShow", "deliveryDryRun", "deliveryPreview",
                "deliveryRecall", "deliveryStop", "subscribersRemove", "templateDelete",
                "webhookDelete", "tokenRevoke",
            ] {
                if id == "deliveryRecall" { try send("messageSend", 202) }
                try send(id, 200)
            }
        }
    }

    // MARK: Cursors

    @Test func `a cursor is accepted only by the list that issued it`() async throws {
        try await APICaller.with { caller in
            let document =
                #"{"label": "l", "service": "shop", "target": {"all": true}, "allowEmpty": true, "content": {"title": "t"}}"#
            for _ in 1...2 { #expect(try caller.ask("POST", "/deliveries", document).status == 201) }
            let cursor = try #require(try caller.ask("GET", "/deliveries?limit=1")["next"] as? String)
            let audit = try #require(try caller.ask("GET", "/audit?limit=1")["next"] as? String)
            // The page size may change from page to page.
            let rest = try caller.ask("GET", "/deliveries?limit=2&cursor=\(cursor)")
            #expect((rest["items"] as? [[String: Any]])?.count == 1)
            for path in [
                "/audit?cursor=\(cursor)", "/deliveries?cursor=\(audit)",
                "/deliveries/1/log?cursor=\(cursor)",
                "/quarantine?cursor=\(audit)", "/subscribers?userKey=a&cursor=\(cursor)",
                "/deliveries?cursor=\(cursor)0x", "/deliveries?cursor=+\(cursor)", "/deliveries?cursor=1",
            ] {
                let reply = try caller.ask("GET", path)
                #expect(reply.status == 400 && reply.errors.first?.hasPrefix("cursor: ") == true, "\(path)")
            }
        }
    }

    @Test func `a cursor is bound to the path and parameters for which it was issued`() throws {
        typealias Query = [String: String]
        func log(_ names: Query, _ query: Query) throws(OperationError) -> ReadDeliveryLogPage {
            try ReadDeliveryLogPage.request(names: names, query: query, body: [])
        }
        func cursor(_ names: Query, _ query: Query) throws -> String {
            var list = try log(names, query)
            list.after = 7
            let target = try #require(list.request?.target)
            let address = try #require(
                APIAddress(path: "".utf8, query: target.drop { $0 != "?" }.dropFirst().utf8))
            return try #require(address.query.first { $0.name == "cursor" }?.value)
        }
        let first = try cursor(["id": "1"], [:])
        #expect(try cursor(["id": "1"], ["limit": "5"]) == first)
        #expect(try log(["id": "1"], ["cursor": first, "limit": "9"]).after == 7)
        for (names, query) in [(["id": "2"], [:]), (["id": "1"], ["userKey": "anna"])] {
            #expect(try cursor(names, query) != first)
            do throws(OperationError) {
                _ = try log(names, query.merging(["cursor": first]) { $1 })
                Issue.record("the cursor of another list was taken")
            } catch {
                #expect(error.kind == .usage && error.lines.first?.hasPrefix("cursor: belongs to") == true)
            }
        }
        // The request has the form in which a command line makes it.
        for (id, isTaken) in [(1 as Int64, true), (2, false)] {
            let given = [("id", JSONValue.integer(id)), ("cursor", .string(first))]
            let page = try? ReadDeliveryLogPage.request(
                of: given.map { JSONMember(key: $0.0, value: $0.1) }, { $0 })
            #expect((page?.after == 7) == isTaken)
        }
    }
}

extension UseCase {
    /// Reports whether the use case's own parser can read the body, if the body is a document.
    fileprivate func hasReadableDocument() throws(OperationError) -> Bool {
        guard let bytes = request?.body else { return true }
        do throws(WireError) {
            switch self {
            case is SubmitDelivery, is DryRunDelivery:
                _ = try DeliveryDocument.parse(bytes, contents: ConnectorCatalogue.contents)
            case is SaveTemplate: _ = try TemplateDocument.parse(bytes, contents: ConnectorCatalogue.contents)
            case is SendMessages:
                for message in try MessageDocument.values(of: bytes) {
                    _ = try MessageDocument.read(message) { content throws(WireError) in
                        try ConnectorCatalogue.contents.read(content)
                    }
                }
            default: return true
            }
            return true
        } catch {
            throw OperationError(.refused, lines: error.lines)
        }
    }
}
