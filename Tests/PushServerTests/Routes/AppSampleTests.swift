import Foundation
import PushAPI
import PushConfig
import PushModel
import PushServer
import PushStore
import TestSupport
import Testing

/// The samples that `app integration` prints and Docs/Send/Apps.md shows. Those in Swift that need no SDK are
/// compiled and run against a web module.
@Suite struct AppSampleTests {
    @Test(arguments: ["anna+news@example.com", "Zoë & Söhne = 100 %"])
    func `the registration sample in Swift transmits each character of a user key`(userKey: String)
        async throws
    {
        try await WebFixture.withApp { web, app in
            let sample = try Self.sample(containing: "registerIOS.jssp", for: app, at: web.address)
            let source = """
                import Foundation
                #if canImport(FoundationNetworking)
                    import FoundationNetworking
                #endif
                let deviceToken = Data(repeating: 0xa1, count: 32)
                let deviceId = "5f3a0000-1111-2222-3333-444455556666"
                let userKey = CommandLine.arguments[1]
                \(sample)
                print((response as! HTTPURLResponse).statusCode, String(decoding: body, as: UTF8.self))
                """
            let output = try await Self.run(source, in: web.folder, argument: userKey)
            #expect(output.hasPrefix("200 "), "\(output)")
            let found = try web.store.subscriberFinder.find(userKey: userKey, in: app.id)
            #expect(found.map(\.token) == [String(repeating: "a1", count: 32)])
        }
    }

    @Test func `the report sample in Swift sends a report that the server can read`() async throws {
        try await WebFixture.withApp { web, app in
            let sample = try Self.sample(containing: "r/?id=h", for: app, at: web.address)
            let source = """
                import Foundation
                #if canImport(FoundationNetworking)
                    import FoundationNetworking
                #endif
                let (mId, dId) = (CommandLine.arguments[1], "5")
                \(sample)
                print((answer as! HTTPURLResponse).statusCode)
                """
            #expect(try await Self.run(source, in: web.folder, argument: "1193046231") == "200\n")
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_hits_total{result="unknown"}"#] == 1)
            #expect(scrape[#"pushmta_hits_total{result="malformed"}"#] == 0)
        }
    }

    @Test func `keys with quotes, dollars and backslashes are literals in each language`() throws {
        var settings = AppSettings(
            name: "ios", platform: .ios, integrationKey: #"a"b\(c)$d"#, connector: .stub,
            environment: .production, bundleID: "", credentialIdentity: "", messageIDFormat: .integer)
        func code() -> String {
            let app = App(
                id: AppID(rawValue: 1), service: ServiceID(rawValue: 1), revision: AppRevisionID(rawValue: 1),
                settings: settings)
            return AppSnippets(AppView(app, service: "shop"), server: PublicURL("https://a.example/push/"))
                .all.map(\.code).joined(separator: "\n")
        }
        let ios = code()
        #expect(ios.contains(##"let integrationKey = "a\"b\\(c)$d""##))
        #expect(ios.contains(##"[nl setIntegrationKey:@"a\"b\\(c)$d"];"##))
        #expect(ios.contains(#"[nl setMarketingHost:@"https://a.example/push/"];"#))
        #expect(ios.contains(#""campaignclassic.marketingServer": "a.example/push","#))
        settings.platform = .android
        #expect(code().contains(##"val integrationKey = "a\"b\\(c)\$d""##))
    }

    @Test(arguments: [Platform.ios, .android])
    func `the page for app developers shows the samples of the command`(platform: Platform) throws {
        let page = try String(contentsOf: Repository.file("Docs/Send/Apps.md"), encoding: .utf8)
        let samples = AppSnippets.example(platform)
        #expect(samples.count == 4)
        for sample in samples {
            #expect(
                page.contains("```\(sample.language)\n\(sample.code)\n```\n"),
                "missing from Docs/Send/Apps.md:\n```\(sample.language)\n\(sample.code)\n```")
        }
    }

    private static func sample(containing text: String, for app: App, at address: String) throws -> String {
        let server = try #require(PublicURL("http://\(address)"))
        let samples = AppSnippets(AppView(app, service: "shop"), server: server).all
        return try #require(samples.first { $0.language == "swift" && $0.code.contains(text) }).code
    }

    /// Compiles a program and runs it.
    /// - Returns: The output of the program, or of the compiler if it fails.
    private static func run(_ source: String, in folder: URL, argument: String) async throws -> String {
        let (file, program) = (folder.appending(path: "main.swift"), folder.appending(path: "sample"))
        try source.write(to: file, atomically: true, encoding: .utf8)
        let compiled = try await ProgramOutput.of("swiftc", ["-o", program.path, file.path])
        guard FileManager.default.isExecutableFile(atPath: program.path) else { return compiled }
        return try await ProgramOutput.of(program.path, [argument])
    }
}
