import Foundation
import PushConfig
import PushServer
import PushTransport
import TestSupport
import TestTLS
import Testing

/// The files of a web module's certificate and key.
final class TLSTestFiles {
    let folder: String
    let chain: String
    let key: String

    init(_ folder: String) {
        self.folder = folder
        (chain, key) = (folder + "/chain.pem", folder + "/key.pem")
    }

    func write(_ identity: TestAuthority.Identity) throws {
        try write(chain, identity.certificatePEM)
        try write(key, identity.keyPEM)
    }

    func write(_ path: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
    }

    func name(_ settings: inout WebConfiguration) {
        (settings.certificateChain, settings.privateKey) = (chain, key)
    }
}

/// Tests of HTTPS with a client that verifies the server's identity.
@Suite struct WebTLSTests {
    private static func with(_ story: (TLSTestFiles, TestAuthority, WebFixture) async throws -> Void)
        async throws
    {
        try await TemporaryFolder.with { folder in
            let (files, authority) = (TLSTestFiles(folder), TestAuthority())
            try files.write(authority.issue())
            try await WebFixture.with(changing: files.name) { web in try await story(files, authority, web) }
        }
    }

    private static func status(_ web: WebFixture, _ authority: TestAuthority) throws -> Int {
        try SecureHTTP.ask("/healthz", at: web.address, trusting: authority).status
    }

    @Test func `the server presents its certificate and accepts only HTTPS`() async throws {
        try await Self.with { _, authority, web in
            #expect(web.module.isSecure)
            #expect(try Self.status(web, authority) == 200)
            #expect(throws: (any Error).self) { try Self.status(web, TestAuthority(name: "Another")) }
            #expect(throws: PlainHTTP.Failure.self) { try web.get("/healthz") }
            let page = try SecureHTTP.ask("/metrics", at: web.address, trusting: authority)
            let scrape = Scrape(String(decoding: page.body, as: UTF8.self))
            let left = try #require(scrape["pushmta_web_certificate_left_seconds"])
            #expect((29.0 * 86_400...30 * 86_400).contains(left))
        }
    }

    @Test func `a renewed certificate and key take effect without a restart`() async throws {
        try await Self.with { files, authority, web in
            #expect(try Self.status(web, authority) == 200)
            let next = TestAuthority(name: "Next")
            try files.write(next.issue())
            // The server loads the new certificate without an order, which takes some seconds.
            try await eventually("the new one is shown") { (try? Self.status(web, next)) == 200 }
            #expect(throws: (any Error).self) { try Self.status(web, authority) }
            #expect(web.log.lines.contains { $0.contains("certificateChain has changed") })
        }
    }

    @Test func `an unusable certificate and key change nothing and are reported once`() async throws {
        try await Self.with { files, authority, web in
            let next = TestAuthority(name: "Next").issue()
            // The certificate is written first and the key later. In between, the two do not match.
            try files.write(files.chain, next.certificatePEM)
            for _ in 0..<3 { web.module.go(on: WebConfiguration()) }
            #expect(try Self.status(web, authority) == 200)
            let told = web.log.lines.filter { $0.hasPrefix("error ") }
            #expect(told.count == 1 && told[0].contains("not the key of the first certificate"), "\(told)")
            try files.write(files.key, Array("nonsense".utf8))
            web.module.go(on: WebConfiguration())
            try FileManager.default.removeItem(atPath: files.chain)
            web.module.go(on: WebConfiguration())
            #expect(try Self.status(web, authority) == 200)
            #expect(
                web.log.lines.contains { $0.contains("web/@certificateChain: \(files.chain) cannot be read") }
            )
        }
    }

    @Test func `an unusable certificate or key at the start leads to a log line that states the remedy`()
        throws
    {
        try TemporaryFolder.with { folder in
            let files = TLSTestFiles(folder)
            func failure() -> String {
                let error = #expect(throws: WebError.self) { _ = try WebFixture(files.name) }
                return error?.description ?? ""
            }
            #expect(failure().contains("web/@certificateChain: \(files.chain) cannot be read"))
            let (one, other) = (TestAuthority().issue(), TestAuthority().issue())
            try files.write(files.chain, one.certificatePEM)
            #expect(failure().contains("web/@privateKey: \(files.key) cannot be read"))
            try files.write(files.key, one.keyPEM(password: "secret"))
            #expect(failure().contains("web/@privateKey: \(files.key) does not contain a private key"))
            try files.write(files.key, other.keyPEM)
            #expect(failure().contains("is not the key of the first certificate"))
            try files.write(files.chain, one.keyPEM)
            #expect(
                failure().contains("web/@certificateChain: \(files.chain) does not contain a certificate"))
        }
    }

    @Test func `a certificate that expires soon is reported`() async throws {
        try await TemporaryFolder.with { folder in
            let files = TLSTestFiles(folder)
            try files.write(TestAuthority().issue(days: -10 ... -1))
            try await WebFixture.with(changing: files.name) { web in
                #expect(web.log.lines.contains { $0.hasPrefix("warning ") && $0.contains("has expired") })
            }
        }
    }
}
