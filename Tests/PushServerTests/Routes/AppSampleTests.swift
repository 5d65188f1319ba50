import Foundation
import PushModel
import PushServer
import PushStore
import TestSupport
import Testing

/// The samples of Docs/Send/Apps.md, compiled and run against a web module.
@Suite struct AppSampleTests {
    @Test(arguments: ["anna+news@example.com", "Zoë & Söhne = 100 %"])
    func `the registration sample in Swift transmits each character of a user key`(userKey: String)
        async throws
    {
        let sample = try #require(try Self.swiftBlock(containing: "registerIOS.jssp"))
        try await WebFixture.withApp { web, app in
            let source = """
                import Foundation
                #if canImport(FoundationNetworking)
                    import FoundationNetworking
                #endif
                let server = URL(string: "http://\(web.address)")!
                let deviceToken = Data(repeating: 0xa1, count: 32)
                let integrationKey = "key"
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

    /// Returns the Swift code block on the page that contains the text.
    private static func swiftBlock(containing text: String) throws -> Substring? {
        let page = try String(contentsOf: Repository.file("Docs/Send/Apps.md"), encoding: .utf8)
        return page.matches(of: /```swift\n(?<code>(?s:.*?))\n```/).map(\.output.code)
            .first { $0.contains(text) }
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
