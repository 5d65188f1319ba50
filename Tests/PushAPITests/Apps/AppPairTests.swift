import PushAPI
import PushModel
import TestRequests
import TestSupport
import Testing

/// Tests the two apps for development and production of one application.
struct AppPairTests {
    private let instance: TestInstance
    private var operations: Operations { instance.operations }

    init() throws {
        instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("neo")
        creation.pair = true
        creation.variables = [AppVariable(name: "city", defaultValue: "Paris")]
        _ = try instance.operations.carryOut(creation)
    }

    private func show(_ name: String) throws -> AppDetails { try operations.carryOut(ShowApp(name: name)) }

    private func refusal(_ change: some UseCase & ShortOperation) -> String? {
        let error = failure { () throws(OperationError) in _ = try operations.carryOut(change) }
        #expect(error?.kind == .refused)
        return error?.description
    }

    private static func withCertificates(
        _ kind: String, sandbox: String?, pair: Bool = true
    ) throws -> CreateApp {
        CreateApp(
            name: "two", service: "neotrips", platform: .ios, integrationKey: "two", connector: "iosHTTP2",
            credential: try .certificate(kind), pair: pair,
            sandboxCredential: try sandbox.map { try .certificate($0) })
    }

    @Test func `a pair is created with a certificate for each environment`() throws {
        let made = try operations.carryOut(
            try Self.withCertificates("production", sandbox: "development"))
        let sandbox = try #require(made.sandbox)
        #expect(made.app.credential?.hasPrefix("certificate:") == true)
        #expect(sandbox.credential?.hasPrefix("certificate:") == true)
        #expect(sandbox.credential != made.app.credential && sandbox.environment == .sandbox)
        #expect(sandbox.bundleId == made.app.bundleId && made.credentialEndsAt != nil)
        #expect(try show("two").pairedWith == "two-sandbox")
        #expect(try show("two-sandbox").pairedWith == "two")
    }

    @Test func `a pair with certificates that do not fit its environments is refused`() throws {
        let one = refusal(try Self.withCertificates("production", sandbox: nil))
        #expect(one?.contains("a certificate is valid for one environment") == true)
        #expect(one?.contains("--sandbox-p12") == true)
        let same = refusal(try Self.withCertificates("production", sandbox: "production"))
        #expect(same?.contains("valid only for production") == true)
        let alone = refusal(try Self.withCertificates("production", sandbox: "development", pair: false))
        #expect(alone?.contains("no pair is requested") == true)
        #expect(try operations.carryOut(ListApps()).map(\.name) == ["ios", "neo", "neo-sandbox"])
    }

    @Test(arguments: ["neo", "neo-sandbox"])
    func `one request changes what both apps share, whichever of them it names`(name: String) throws {
        let icon = AppIconImage(png: AppIcon.examplePNG(width: 48, height: 48))
        let change = try operations.carryOut(
            UpdateApp(
                name: name, variables: [AppVariable(name: "seat", defaultValue: "1")],
                sounds: [AppSound(internalName: "s", label: "S")],
                parameters: [ParameterDeclaration(name: "points", kind: .number)], label: "Neo", icon: icon,
                pair: true))
        #expect(change.app.name == "neo" && change.sandbox?.name == "neo-sandbox")
        for name in ["neo", "neo-sandbox"] {
            let app = try show(name).app
            #expect(app.variables.map(\.name) == ["city", "seat"] && app.sounds.map(\.label) == ["S"])
            #expect(app.parameters.map(\.name) == ["points"] && app.label == "Neo" && app.icon != nil)
        }
        #expect(try show("neo").app.integrationKey != show("neo-sandbox").app.integrationKey)
    }

    @Test func `an item that only one app has is removed from it, and one that none has is refused`() throws {
        _ = try operations.carryOut(
            UpdateApp(name: "neo-sandbox", variables: [AppVariable(name: "trial", defaultValue: "")]))
        let change = try operations.carryOut(
            UpdateApp(name: "neo", removedVariables: ["trial", "city"], pair: true))
        #expect(change.app.variables == [] && change.sandbox?.variables == [])
        let none = refusal(UpdateApp(name: "neo", removedVariables: ["trial"], pair: true))
        #expect(none?.contains("there is no variable trial to remove") == true)
    }

    @Test func `a setting that belongs to one app is refused for a pair, and so is an app without one`()
        throws
    {
        let own = refusal(UpdateApp(name: "neo", integrationKey: "k", label: "Neo", pair: true))
        #expect(own?.hasPrefix("integrationKey: the apps of a pair share only label, icon") == true)
        #expect(try show("neo").app.label == nil)
        var keys = UpdateApp(name: "neo", label: "Neo", pair: true)
        (keys.addedIntegrationKey, keys.retiredIntegrationKey) = ("new", "old")
        #expect(refusal(keys)?.hasPrefix("addedIntegrationKey, retiredIntegrationKey: the apps of") == true)
        #expect(try show("neo").app.label == nil)
        let alone = refusal(UpdateApp(name: "ios", label: "x", pair: true))
        #expect(alone?.contains("there is no app ios-sandbox") == true)
        // An app with a suitable name belongs to a pair only if it is in the other environment.
        _ = try operations.carryOut(TestInstance.stubApp("ios-sandbox"))
        #expect(try show("ios").pairedWith == nil)
        _ = try operations.carryOut(UpdateApp(name: "ios-sandbox", environment: .sandbox))
        #expect(try show("ios").pairedWith == "ios-sandbox")
    }
}
