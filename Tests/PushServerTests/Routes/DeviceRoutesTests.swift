import PushAPI
import PushModel
import PushServer
import PushStore
import TestSupport
import Testing

/// Tests of device requests over HTTP. The tests of PushWire, PushStore and PushAPI cover the processing of
/// these requests.
@Suite struct DeviceRoutesTests {
    private static let ios = "/nms/mobile/1/registerIOS.jssp"
    private static let android = "/nms/mobile/1/registerAndroid.jssp"
    private static let token = String(repeating: "a1", count: 32)

    private static func form(key: String = "key", token: String = token) -> [UInt8] {
        Array("registrationToken=\(token)&mobileAppUuid=\(key)&userKey=user-1&deviceImei=i&method=".utf8)
    }

    @Test func `a device is a subscriber as soon as the answer to its registration is sent`() async throws {
        try await WebFixture.withApp { web, app in
            let reply = try PlainHTTP.post(Self.ios, Self.form(), at: web.address)
            #expect(reply.status == 200 && reply.body.hasSuffix(#"<register status="ok"/>"#))
            #expect(reply.header("content-type")?.hasPrefix("application/xml") == true)
            let found = try web.store.subscriberFinder.find(userKey: "user-1", in: app.id)
            #expect(found.map(\.token) == [Self.token])
            // A repeated registration yields the same subscriber.
            #expect(try PlainHTTP.post(Self.ios, Self.form(), at: web.address).status == 200)
            #expect(try web.store.subscriberFinder.find(userKey: "user-1", in: app.id).count == 1)
        }
    }

    @Test func `an invalid registration receives the reason, and an unknown key its own code`() async throws {
        try await WebFixture.withApp { web, app in
            let unknown = try PlainHTTP.post(Self.ios, Self.form(key: "other"), at: web.address)
            #expect(unknown.status == 404 && unknown.body.contains(#"code="UNKNOWN_UUID""#))
            // The key belongs to an app on the other platform.
            #expect(try PlainHTTP.post(Self.android, Self.form(), at: web.address).status == 404)
            let bad = try PlainHTTP.post(Self.ios, Self.form(token: "no-hex"), at: web.address)
            #expect(bad.status == 400 && bad.body.contains(#"code="INVALID_REQUEST""#))
            #expect(!bad.body.contains("no-hex"))
            #expect(try PlainHTTP.post(Self.ios, [], at: web.address).status == 400)
            let large = [UInt8](repeating: UInt8(ascii: "a"), count: 70_000)
            let tooLarge = try PlainHTTP.post(Self.ios, large, at: web.address)
            #expect(tooLarge.status == 413 && tooLarge.body.contains(#"code="TOO_LARGE""#))
            let get = try web.get(Self.ios)
            #expect(get.status == 405 && get.header("allow") == "POST")
            #expect(try web.store.subscribers.count(of: app.id) == 0)
        }
    }

    @Test func `a registration with a misspelled element is refused, and the parameters stay`() async throws {
        try await WebFixture.withApp { web, app in
            func register(_ element: String) throws -> PlainHTTP.Reply {
                let city = "%3C\(element)%20name%3D%22city%22%20value%3D%22Paris%22%2F%3E"
                let xml = "%3CadditionalParams%3E\(city)%3C%2FadditionalParams%3E"
                let body = Self.form() + Array("&additionalParams=\(xml)".utf8)
                return try PlainHTTP.post(Self.ios, body, at: web.address)
            }
            func parameters() throws -> [String?] {
                try web.store.subscriberFinder.find(userKey: "user-1", in: app.id).map(\.parametersJSON)
            }
            #expect(try register("param").status == 200)
            #expect(try parameters() == [#"{"city":"Paris"}"#])
            let refused = try register("parameter")
            #expect(refused.status == 400 && refused.body.contains("must be param, not parameter"))
            #expect(try parameters() == [#"{"city":"Paris"}"#])
        }
    }

    @Test func `a registration with an empty user key ends the link to the person, and nothing stays`()
        async throws
    {
        try await WebFixture.withApp { web, app in
            let city = "%3Cparam%20name%3D%22city%22%20value%3D%22Paris%22%2F%3E"
            let xml = "&additionalParams=%3CadditionalParams%3E\(city)%3C%2FadditionalParams%3E"
            let login = Self.form() + Array(xml.utf8)
            #expect(try PlainHTTP.post(Self.ios, login, at: web.address).status == 200)
            let logout = Array("registrationToken=\(Self.token)&mobileAppUuid=key&userKey=".utf8)
            #expect(try PlainHTTP.post(Self.ios, logout, at: web.address).status == 200)
            #expect(try web.store.subscriberFinder.find(userKey: "user-1", in: app.id).isEmpty)
            let found = try web.store.subscriberFinder.find(token: Self.token, in: app.id)
            #expect(found.map(\.userKey) == [""] && found.map(\.parametersJSON) == [nil])
        }
    }

    @Test func `a registration as JSON is refused with a form that would be right`() async throws {
        try await WebFixture.withApp { web, _ in
            let json = Array(#" {"registrationToken": "\#(Self.token)", "mobileAppUuid": "key"}"#.utf8)
            let reply = try PlainHTTP.post(Self.ios, json, at: web.address)
            #expect(reply.status == 400 && reply.body.contains("registrationToken=TOKEN&amp;"))
        }
    }

    @Test func `a device opts out and unregisters with a form or JSON, and receives the reasons`()
        async throws
    {
        try await WebFixture.withApp { web, app in
            _ = try PlainHTTP.post(Self.ios, Self.form(), at: web.address)
            let (optOut, end) = ("/nms/mobile/1/optOutIOS.jssp", "/nms/mobile/1/unregisterIOS.jssp")
            let json = Array(#"{"registrationToken": "\#(Self.token)", "mobileAppUuid": "key"}"#.utf8)
            let told = try PlainHTTP.post(optOut, json, at: web.address)
            #expect(told.status == 200 && told.body == #"{"status":"ok"}"#)
            let found = try web.store.subscriberFinder.find(token: Self.token, in: app.id)
            #expect(found.first?.optOut?.source == .device)
            for (body, status) in [
                ("{", 400), ("[]", 400), (#"{"registrationToken": 1, "mobileAppUuid": "key"}"#, 400),
                (#"{"registrationToken": "a1", "registrationToken": "a1"}"#, 400), ("", 400),
                (#"{"registrationToken": "\#(Self.token)", "mobileAppUuid": "other"}"#, 404),
            ] {
                let reply = try PlainHTTP.post(optOut, Array(body.utf8), at: web.address)
                #expect(reply.status == status, "\(body)")
                #expect(body.isEmpty || reply.body.hasPrefix(#"{"status":"error","code":""#))
            }
            for _ in 0..<2 {
                let ended = try PlainHTTP.post(end, Self.form(), at: web.address)
                #expect(ended.status == 200 && ended.body.hasSuffix(#"<unregister status="ok"/>"#))
            }
            #expect(try web.store.subscribers.count(of: app.id) == 0)
            // The registration of the same person does not lift the opt-out.
            _ = try PlainHTTP.post(Self.ios, Self.form(), at: web.address)
            let again = try web.store.subscriberFinder.find(token: Self.token, in: app.id)
            #expect(again.map { $0.optOut != nil } == [true])
        }
    }

    @Test func `registrations with undeclared parameters are counted in the metrics`() async throws {
        try await WebFixture.withApp { web, app in
            var settings = app.settings
            settings.parameters = [ParameterDeclaration(name: "firstName", kind: .text)]
            _ = try web.store.catalogueWriter(key: try web.store.instanceKey())
                .updateApp(app.id, to: settings, credential: nil)
            for name in ["fristName", "firstName", "FirstName"] {
                let xml = "%3CadditionalParams%3E%3Cparam%20name%3D%22\(name)%22%20value%3D%22Ada%22%2F%3E"
                let body = Self.form() + Array("&additionalParams=\(xml)%3C%2FadditionalParams%3E".utf8)
                #expect(try PlainHTTP.post(Self.ios, body, at: web.address).status == 200)
            }
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_undeclared_parameter_registrations_total{app="ios"}"#] == 2)
        }
    }

    @Test func `a report about a message is recorded, and a report without a message is not an error`()
        async throws
    {
        try await WebFixture.withApp { web, app in
            _ = try PlainHTTP.post(Self.ios, Self.form(), at: web.address)
            for path in ["/r/?id=h1234,5,1", "/r/?id=nonsense", "/r/", "/r?id=h%00,1,2"] {
                let reply = try web.get(path)
                #expect(reply.status == 200 && reply.body.isEmpty, "\(path)")
            }
            #expect(try web.get("/r/", method: "POST").status == 405)
            // HEAD is not a report.
            #expect(try web.get("/r/?id=h1234,5,1", method: "HEAD").status == 200)
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_hits_total{result="unknown"}"#] == 1)
            #expect(scrape[#"pushmta_hits_total{result="malformed"}"#] == 3)
            #expect(scrape[#"pushmta_hits_total{result="first"}"#] == 0)
            let test = try web.get("/r/test")
            #expect(test.status == 200)
            let line = "<redir status='OK' date='2026-11-21 12:00:00.000Z' build='1.2.3'"
            #expect(test.body.hasPrefix("<redir status='OK' date='") && test.body.contains("build='1.2.3'"))
            #expect(test.body.count >= line.count)
        }
    }
}
