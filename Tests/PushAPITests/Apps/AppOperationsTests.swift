import Foundation
import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

struct AppOperationsTests {
    @Test func `an app is shown as it was created, with the number of its subscribers`() throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("droid", platform: .android)
        creation.variables = [
            .init(name: "city", defaultValue: "Paris"), .init(name: "price", defaultValue: nil),
        ]
        creation.sounds = [.init(internalName: "bell", label: "Bell")]
        creation.environment = .sandbox
        creation.messageIdFormat = .integer
        let created = try instance.operations.carryOut(creation)
        #expect(created.warnings.isEmpty && created.credentialEndsAt == nil)
        let shown = try instance.operations.carryOut(ShowApp(name: "droid"))
        #expect(shown.app == created.app)
        #expect(shown.app.variables == creation.variables && shown.app.sounds == creation.sounds)
        #expect(shown.subscribers == 0)
        #expect(try instance.operations.carryOut(ListApps()).map(\.name) == ["droid", "ios"])
    }

    @Test func `a label and an icon are set, shown, changed and removed`() throws {
        let instance = try TestInstance.withApp()
        let png = AppIcon.examplePNG(width: 64, height: 48)
        var creation = TestInstance.stubApp("droid", platform: .android)
        (creation.label, creation.icon) = ("Neotrips for Android", AppIconImage(png: png))
        // The value is encoded as it is sent to the master.
        let bytes = Data(try JSONValue(encoding: creation).text.utf8)
        let made = try instance.operations.carryOut(try JSONDecoder().decode(CreateApp.self, from: bytes))
        #expect(made.app.label == "Neotrips for Android" && made.app.icon?.width == 64)
        #expect(made.app.icon?.height == 48 && made.app.icon?.bytes == png.count)
        let shown = try instance.operations.carryOut(ShowAppIcon(name: "droid"))
        #expect(shown.icon.png == png && shown.app == "droid" && shown.width == 64 && shown.height == 48)
        let kept = try instance.operations.carryOut(
            UpdateApp(name: "droid", variables: [.init(name: "a", defaultValue: "")]))
        #expect(kept.app.label == made.app.label && kept.app.icon == made.app.icon)
        #expect(try instance.operations.carryOut(ListApps()).map(\.label) == [made.app.label, nil])
        let bare = try instance.operations.carryOut(UpdateApp(name: "droid", label: "", removesIcon: true))
        #expect(bare.app.label == nil && bare.app.icon == nil)
        let absent = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ShowAppIcon(name: "droid"))
        }
        #expect(absent?.kind == .absent && absent?.description.hasPrefix("app droid has no icon") == true)
    }

    @Test func `a pair of apps is created in both environments, or not at all`() throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("neo")
        (creation.pair, creation.label) = (true, "Neo")
        creation.variables = [.init(name: "city", defaultValue: "Paris")]
        let made = try instance.operations.carryOut(creation)
        let other = try #require(made.sandbox)
        #expect(made.app.environment == .production && other.environment == .sandbox)
        #expect(other.name == "neo-sandbox" && other.integrationKey == "key of neo-sandbox")
        #expect(other.label == "Neo" && other.variables == made.app.variables)
        #expect(try instance.operations.carryOut(ShowApp(name: "neo-sandbox")).app == other)
        // The name of the second app is taken, so the first app is not created either.
        _ = try instance.operations.carryOut(TestInstance.stubApp("two-sandbox"))
        var second = TestInstance.stubApp("two")
        second.pair = true
        let taken = failure { () throws(OperationError) in _ = try instance.operations.carryOut(second) }
        #expect(taken?.kind == .conflict && taken?.description.contains("two-sandbox") == true)
        var droid = TestInstance.stubApp("droid", platform: .android)
        droid.pair = true
        let android = failure { () throws(OperationError) in _ = try instance.operations.carryOut(droid) }
        #expect(android?.description.hasPrefix("pairs exist only for iOS") == true)
        var sandbox = TestInstance.stubApp("three")
        (sandbox.pair, sandbox.environment) = (true, .sandbox)
        let alone = failure { () throws(OperationError) in _ = try instance.operations.carryOut(sandbox) }
        #expect(alone?.description.hasPrefix("a pair has one app in each environment") == true)
        #expect(
            try instance.operations.carryOut(ListApps()).map(\.name)
                == ["ios", "neo", "neo-sandbox", "two-sandbox"])
    }

    @Test func `a delivery shows the environments of its apps`() throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("test")
        creation.environment = .sandbox
        _ = try instance.operations.carryOut(creation)
        for apps in [["ios"], ["test"], ["ios", "test"]] {
            _ = try instance.operations.carryOut(try TestInstance.submission(["apps": apps]))
        }
        let listed = try instance.operations.carryOut(ListDeliveries()).items.map(\.environments)
        #expect(listed == [[.sandbox, .production], [.sandbox], [.production]])
        let second = try instance.operations.carryOut(ShowDelivery(id: DeliveryID(rawValue: 2)))
        #expect(second.delivery.environments == [.sandbox])
        let status = try instance.operations.carryOut(ShowStatus())
        #expect(status.deliveries.map(\.environments) == listed)
        // This also applies to an app that was deleted.
        for id in 1...3 {
            _ = try instance.operations.carryOut(
                StopDelivery(id: DeliveryID(rawValue: Int64(id))))
        }
        _ = try instance.operations.carryOut(DeleteApp(name: "test"))
        #expect(try instance.operations.carryOut(ListDeliveries()).items.map(\.environments) == listed)
    }

    @Test func `an unreadable label and an invalid icon are refused`() throws {
        let instance = try TestInstance.withApp()
        let small = AppIconImage(png: AppIcon.examplePNG(width: 40, height: 48))
        for (update, words) in [
            (UpdateApp(name: "ios", label: "two\nlines"), "the app's label \"two"),
            (UpdateApp(name: "ios", icon: small), "the icon is 40 by 48 pixels"),
            (UpdateApp(name: "ios", icon: AppIconImage(png: Array("GIF89a".utf8))), "the icon is not a PNG"),
        ] {
            let error = failure { () throws(OperationError) in
                _ = try instance.operations.carryOut(update)
            }
            #expect(error?.kind == .refused && error?.lines.count == 1)
            #expect(error?.description.hasPrefix(words) == true, "\(String(describing: error))")
        }
        let shown = try instance.operations.carryOut(ShowApp(name: "ios")).app
        #expect(shown.label == nil && shown.icon == nil)
    }

    @Test(arguments: [
        ("nothing", Platform.ios, "there is no connector"), ("iosHTTP2", .android, "reaches ios"),
        ("iosHTTP2", .ios, "needs a credential"),
    ])
    func `contradictory settings are refused`(connector: String, platform: Platform, why: String)
        throws
    {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("other", platform: platform)
        creation.connector = connector
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(creation) }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains(why) == true)
        #expect(try instance.operations.carryOut(ListApps()).map(\.name) == ["ios"])
    }

    @Test(
        arguments: [
            (
                Platform.ios, "iosHTTP2",
                CredentialFile.Contents.token(Array(#"{"type": "x"}"#.utf8), keyID: "K", teamID: "T"),
                "give it with --service-account"
            ),
            (.ios, "iosHTTP2", .pem(Array("{}".utf8)), "give it with --service-account"),
            (
                .android, "androidPushConnectorV2",
                .serviceAccount(Array("-----BEGIN PRIVATE KEY-----\n".utf8)),
                "give it with --p8 or --pem"
            ),
        ] as [(Platform, String, CredentialFile.Contents, String)])
    func `a file with another kind of credential is refused with the right option`(
        platform: Platform, connector: String, contents: CredentialFile.Contents, advice: String
    ) throws {
        let instance = try TestInstance.withApp()
        var creation = TestInstance.stubApp("other", platform: platform)
        creation.connector = connector
        creation.credential = CredentialFile(name: "file", contents: contents)
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(creation) }
        #expect(error?.kind == .refused && error?.lines.count == 1)
        #expect(error?.description.hasPrefix("file: the file is ") == true)
        #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
    }

    @Test func `the error for a name that is taken mentions the update`() throws {
        let instance = try TestInstance.withApp()
        let again = TestInstance.stubApp("ios")
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(again) }
        #expect(error?.kind == .conflict)
        #expect(
            error?.description.contains("choose another name, or change it with 'pushmta app update'") == true
        )
    }

    @Test
    func `an invalid credential is refused by the name of its file, and the error does not reveal content`()
        throws
    {
        let instance = try TestInstance.withApp()
        let secret = CredentialFile(
            name: "key.p8", contents: .token(Array("secret".utf8), keyID: "K", teamID: "T"))
        var creation = TestInstance.stubApp("other")
        creation.connector = "iosHTTP2"
        creation.credential = secret
        let error = failure { () throws(OperationError) in _ = try instance.operations.carryOut(creation) }
        #expect(error?.description.hasPrefix("key.p8: ") == true)
        #expect(!"\(secret) \(creation)".contains("115, 101"))
    }

    @Test func `a change keeps absent members, removes a label or an icon on null, and lists every fault`()
        throws
    {
        let instance = try TestInstance.withApp()
        func request(_ body: String) throws(OperationError) -> UpdateApp {
            try UpdateApp.request(names: ["name": "ios"], query: [:], body: Array(body.utf8))
        }
        let icon = AppIconImage(png: AppIcon.examplePNG(width: 64, height: 48))
        _ = try instance.operations.carryOut(
            UpdateApp(
                name: "ios", bundleId: "b", variables: [.init(name: "x", defaultValue: nil)], label: "L",
                icon: icon))
        let nulls = #"{"bundleId": null, "credential": null, "variables": null, "removedVariables": null}"#
        let kept = try instance.operations.carryOut(try request(nulls)).app
        #expect(kept.bundleId == "b" && kept.variables.map(\.name) == ["x"])
        #expect(kept.label == "L" && kept.icon != nil)
        let bare = try instance.operations.carryOut(try request(#"{"label": null, "icon": null}"#)).app
        #expect(bare.label == nil && bare.icon == nil && bare.bundleId == "b")
        let error = failure { () throws(OperationError) in
            _ = try request(
                #"{"icon": "*", "sounds": [{"label": 1}], "environment": "x", "credential": {"type": "pem"}}"#
            )
        }
        #expect(
            error?.lines.map { $0.prefix { $0 != ":" } } == [
                "environment", "credential.data", "sounds[0].internalName", "sounds[0].label", "icon",
            ])
    }

    @Test(arguments: [
        CredentialFile.Contents.token(Array("k".utf8), keyID: "K", teamID: "T"),
        .pkcs12([0, 255], password: "p"), .pem(Array("c".utf8)), .serviceAccount(Array(#"{"a":1}"#.utf8)),
        .serviceAccount(Array("no object".utf8)), .projectKey(Array("k".utf8)),
    ])
    func `reading back a credential returns what was written`(contents: CredentialFile.Contents) throws {
        let file = CredentialFile(name: "file", contents: contents)
        var faults = Faults()
        let json = try #require(file.json)
        let read = try #require(CredentialFile.read(json, at: "credential", &faults))
        #expect(read.name == "file" && "\(read.contents)" == "\(contents)")
    }

    @Test func `an update changes only the named attributes`() throws {
        let instance = try TestInstance.withApp()
        let before = try instance.operations.carryOut(ShowApp(name: "ios")).app
        let change = UpdateApp(name: "ios", variables: [.init(name: "city", defaultValue: nil)])
        let after = try instance.operations.carryOut(change).app
        var expected = before
        expected.variables = [.init(name: "city", defaultValue: nil)]
        #expect(after == expected)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                UpdateApp(name: "ios", integrationKey: "new", removedVariables: ["town"]))
        }
        #expect(error?.kind == .refused)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).app == expected)
    }

    @Test func `deleting an app deletes its subscribers, and is refused while a delivery needs the app`()
        throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        _ = try instance.operations.carryOut(TestInstance.stubApp("spare"))
        #expect(try instance.operations.carryOut(DeleteApp(name: "spare")).subscribers == 0)
        _ = try instance.operations.carryOut(try TestInstance.submission())
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(DeleteApp(name: "ios"))
        }
        #expect(error?.kind == .conflict)
        #expect(try instance.operations.carryOut(ShowApp(name: "ios")).subscribers == 3)
    }

    @Test func `testing an app is refused if its connector has no gateway`() throws {
        let instance = try TestInstance.withApp()
        let result = try instance.operations.carryOut(TestApp(name: "ios"))
        #expect(result.succeeded)
        #expect(result.lines.count == 1)
    }

    @Test func `the environment of an app can be changed until the app has a subscriber`() throws {
        let instance = try TestInstance.withApp()
        let changed = try instance.operations.carryOut(UpdateApp(name: "ios", environment: .sandbox)).app
        #expect(changed.environment == .sandbox)
        try instance.subscribe(1)
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                UpdateApp(name: "ios", bundleId: "x", environment: .production))
        }
        #expect(error?.kind == .conflict)
        let kept = try instance.operations.carryOut(UpdateApp(name: "ios", environment: .sandbox)).app
        #expect(kept == changed)
    }

    @Test(arguments: ["", " a", "a\u{A0}", "two\nlines", "a\u{202E}b", String(repeating: "x", count: 257)])
    func `a name that cannot be read or typed again is refused`(name: String) throws {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        var app = TestInstance.stubApp("other")
        app.variables = [.init(name: name, defaultValue: nil)]
        #expect(failure { () throws(OperationError) in _ = try operations.carryOut(app) }?.kind == .refused)
        app.variables = []
        app.sounds = [.init(internalName: name, label: "l")]
        #expect(failure { () throws(OperationError) in _ = try operations.carryOut(app) }?.kind == .refused)
        let named = TestInstance.stubApp(name)
        #expect(failure { () throws(OperationError) in _ = try operations.carryOut(named) }?.kind == .refused)
        let service = CreateService(name: name)
        #expect(
            failure { () throws(OperationError) in _ = try operations.carryOut(service) }?.kind == .refused)
        #expect(try operations.carryOut(ListApps()).map(\.name) == ["ios"])
        #expect(try operations.carryOut(ListServices()).count == 1)
    }

    @Test func `a name can contain every visible letter`() throws {
        let instance = try TestInstance.withApp()
        for name in ["Café à Paris", "旅行", "👩‍👩‍👧 family", "a;b'c\"d"] {
            #expect(try instance.operations.carryOut(CreateService(name: name)).name == name)
        }
    }

    @Test func `a gateway that its vendor has shut down causes a warning, unless a private gateway is set`()
        throws
    {
        func warnings(_ instance: TestInstance) throws -> [String] {
            var apple = TestInstance.stubApp("old")
            (apple.connector, apple.bundleId) = ("ios", "com.example.neotrips")
            apple.credential = try .certificate()
            var google = TestInstance.stubApp("droid", platform: .android)
            google.connector = "androidPushConnectorV2"
            google.credential = try .projectKey()
            return try instance.operations.carryOut(apple).warnings
                + instance.operations.carryOut(google).warnings
        }
        let bare = try warnings(try TestInstance.withApp())
        #expect(bare.contains { $0.contains("Apple") && $0.contains("nmac/iosBinary/@gateway") })
        #expect(bare.contains { $0.contains("Google") && $0.contains("nmac/fcm/@address") })
        let settings = #"<nmac><fcm address="fcm.example"/><iosBinary gateway="apns.example"/></nmac>"#
        let named = try warnings(try TestInstance.withApp(settings))
        #expect(!named.contains { $0.contains("Apple") || $0.contains("Google") })
    }

    @Test func `a change to an app lists the deliveries that keep the previously submitted settings`() throws
    {
        let instance = try TestInstance.withApp()
        let operations = instance.operations
        func change(_ value: String, live: Bool = false) throws -> [String] {
            try operations.carryOut(
                UpdateApp(
                    name: "ios", variables: [.init(name: "city", defaultValue: value)], liveDeliveries: live)
            ).warnings
        }
        #expect(try change("Rome").isEmpty)
        let id = try operations.carryOut(try TestInstance.submission()).id
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let warnings = try change("Paris")
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("delivery \(id), which has not ended") == true)
        #expect(warnings.first?.contains("use liveDeliveries") == true)
        func city() throws -> String? {
            try instance.store.deliveries.revision(of: app.id, in: id)?.variables.first?.defaultValue
        }
        #expect(try city() == "Rome")
        #expect(try operations.carryOut(UpdateApp(name: "ios", liveDeliveries: true)).warnings.isEmpty)
        #expect(try city() == "Paris")
        #expect(try change("Oslo", live: true).isEmpty)
        #expect(try city() == "Oslo")
        // A change to a setting that is not sent does not require that deliveries are bound again.
        #expect(try operations.carryOut(UpdateApp(name: "ios", integrationKey: "other")).warnings.isEmpty)
    }
}
