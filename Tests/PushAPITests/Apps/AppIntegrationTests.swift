import PushAPI
import PushModel
import TestRequests
import Testing

/// Tests of what `app integration` shows. The tests of PushServer compile the code.
@Suite struct AppIntegrationTests {
    @Test func `the addresses are those of the public URL, in the form that each SDK expects`() throws {
        let instance = try TestInstance.withApp("<web publicUrl='https://Push.example.com:8443'/>")
        var update = UpdateApp(
            name: "ios", variables: [.init(name: "screen", defaultValue: "home")],
            parameters: [.init(name: "points", kind: .number)])
        update.addedIntegrationKey = "new"
        _ = try instance.operations.carryOut(update)
        let shown = try instance.operations.carryOut(ShowAppIntegration(name: "ios"))
        #expect(shown.app == (try instance.operations.carryOut(ShowApp(name: "ios"))).app)
        #expect(shown.marketingUrl == "https://push.example.com:8443/")
        #expect(shown.trackingUrl == shown.marketingUrl && shown.server == "push.example.com:8443")
        #expect(shown.registrationUrl == "https://push.example.com:8443/nms/mobile/1/registerIOS.jssp")
        #expect(shown.reportUrl == "https://push.example.com:8443/r/" && shown.warnings == [])
        #expect(shown.snippets.map(\.language) == ["objc", "swift", "swift", "swift"])
        let code = shown.snippets.map(\.code).joined()
        #expect(code.contains(#"setIntegrationKey:@"new""#) && code.contains(#"@"points": @12"#))
        // New builds have the new key.
        #expect(!code.contains("key of ios") && code.contains(#"["points": 12]"#))
    }

    @Test func `without a public URL, the code is complete and a warning names the setting`() throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("droid", platform: .android)
        creation.messageIdFormat = .uuid
        _ = try instance.operations.carryOut(creation)
        let shown = try instance.operations.carryOut(ShowAppIntegration(name: "droid"))
        #expect(shown.marketingUrl == nil && shown.registrationUrl == nil && shown.server == nil)
        #expect(shown.snippets.count == 4 && shown.snippets.allSatisfy { $0.language == "kotlin" })
        #expect(shown.snippets[0].code.contains("https://push.example.com/"))
        #expect(shown.warnings.count == 2 && shown.warnings[0].hasPrefix("web/@publicUrl is not set"))
        #expect(shown.warnings[1].contains("reads message ids as integers"))
        let absent = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowAppIntegration(name: "nobody"))
        }
        #expect(absent?.kind == .absent)
    }

    @Test func `a public URL with HTTP causes a warning, and an app without an SDK has no code`() throws {
        let instance = try TestInstance.withApp("<web publicUrl='http://127.0.0.1:8080'/>")
        let ios = try instance.operations.carryOut(ShowAppIntegration(name: "ios"))
        #expect(ios.warnings.count == 1 && ios.warnings[0].contains("is not HTTPS"))
        _ = try instance.operations.carryOut(TestInstance.stubApp("own", platform: .other))
        let own = try instance.operations.carryOut(ShowAppIntegration(name: "own"))
        #expect(own.snippets == [] && own.registrationUrl == nil && own.reportUrl != nil)
    }
}
