import PushModel
import PushOperations
import PushStore
import Testing

struct AppOperationsTests {
    @Test func `an app is shown as it was created, its subscribers counted`() throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("droid", platform: .android)
        creation.variables = [.init(name: "city", default: "Paris"), .init(name: "price", default: nil)]
        creation.sounds = [.init(internalName: "bell", label: "Bell")]
        creation.environment = .sandbox
        creation.messageIdFormat = .integer
        let created = try instance.operations.carryOut(creation)
        #expect(created.warnings.isEmpty && created.credentialEnds == nil)
        let shown = try instance.operations.carryOut(ShowApp(name: "droid"))
        #expect(shown.app == created.app)
        #expect(shown.app.variables == creation.variables && shown.app.sounds == creation.sounds)
        #expect(shown.subscribers == 0)
        #expect(try instance.operations.carryOut(ListApps()).map(\.name) == ["droid", "ios"])
    }

    @Test(arguments: [
        ("nothing", Platform.ios, "there is no connector"), ("iosHTTP2", .android, "reaches ios"),
        ("iosHTTP2", .ios, "needs a credential"),
    ])
    func `settings that do not go together are refused`(connector: String, platform: Platform, why: String) throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("other", platform: platform)
        creation.connector = connector
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(creation) }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains(why) == true)
        #expect(try instance.operations.carryOut(ListApps()).map(\.name) == ["ios"])
    }

    @Test func `a credential that is none is refused by the name of its file, and does not print`() throws {
        let instance = try TestInstance.withApp()
        let secret = CredentialFile(name: "key.p8", contents: .token(Array("secret".utf8), keyID: "K", teamID: "T"))
        var creation = TestInstance.stubApp("other")
        creation.connector = "iosHTTP2"
        creation.credential = secret
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(creation) }
        #expect(error?.description.hasPrefix("key.p8: ") == true)
        #expect(!"\(secret) \(creation)".contains("115, 101"))
    }

    @Test func `an update changes what is named and nothing else`() throws {
        let instance = try TestInstance.withApp()
        let before = try instance.operations.carryOut(ShowApp(name: "ios")).app
        let change = UpdateApp(name: "ios", variables: [.init(name: "city", default: nil)])
        let after = try instance.operations.carryOut(change).app
        var expected = before
        expected.variables = [.init(name: "city", default: nil)]
        #expect(after == expected)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                UpdateApp(name: "ios", integrationKey: "new", removedVariables: ["town"]))
        }
        #expect(error?.kind == .refused)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).app == expected)
    }

    @Test func `an app goes with its subscribers, but not while a delivery needs it`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        _ = try instance.operations.carryOut(TestInstance.stubApp("spare"))
        #expect(try instance.operations.carryOut(DeleteApp(name: "spare")).subscribers == 0)
        _ = try instance.operations.carryOut(try TestInstance.submission())
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(DeleteApp(name: "ios"))
        }
        #expect(error?.kind == .refused)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).subscribers == 3)
    }

    @Test func `a connector without a gateway has nothing to test`() throws {
        let instance = try TestInstance.withApp()
        let result = try instance.operations.carryOut(TestApp(name: "ios"))
        #expect(result.succeeded)
        #expect(result.lines.count == 1)
    }
}
