import Foundation
import TestSupport
import Testing

/// Tests signing in to the console of a running service with a provider and through a proxy.
struct ProviderSignInTests {
    private static let web = #"<web autoStart="true" httpPort="0"/>"#

    private static func workspace(_ web: String = web) throws -> Workspace {
        try Workspace(
            configuration: Workspace.configuration(mta: #"autoStart="true""#)
                .replacing("</serverConf>", with: "\(web)</serverConf>"))
    }

    private static func cookie(_ reply: PlainHTTP.Reply) throws -> String {
        "Cookie: \(try #require(reply.header("Set-Cookie")).prefix { $0 != ";" })"
    }

    @Test(.eachEngine)
    func `a reload enables a provider, and a restart does not interrupt a person who is there`() async throws
    {
        let provider = try SyntheticProvider { Int64(Date().timeIntervalSince1970) }
        let workspace = try Self.workspace()
        try workspace.write("\(SyntheticProvider.secret)\n", to: "openid.secret")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600],
            ofItemAtPath: workspace.folder.appending(path: "openid.secret").path(percentEncoded: false))
        var (attempt, query) = ("", "")
        try await workspace.withMaster { _ in
            let address = try await WebTests.address(of: workspace)
            #expect(try !PlainHTTP.get("/console/sign-in", at: address).body.contains("openid"))
            let openID = """
                <web autoStart="true" httpPort="0"><openId issuer="\(provider.issuer)" \
                clientId="\(SyntheticProvider.client)" clientSecretFile="openid.secret"/></web>
                """
            let present = try workspace.text(of: "serverConf.xml")
            try workspace.write(present.replacing(Self.web, with: openID), to: "serverConf.xml")
            let reload = try await workspace.succeed("reload")
            #expect(reload.output.contains("web/openId/@issuer"), "\(reload.output)")
            #expect(!reload.output.contains("needs a restart"), "\(reload.output)")
            try await workspace.succeed("user", "create", "mara", "--role", "viewer")
            #expect(try PlainHTTP.get("/console/sign-in", at: address).body.contains("openid"))
            let left = try PlainHTTP.get("/console/sign-in/openid?next=%2Faccount", at: address)
            let location = try #require(left.header("Location"))
            attempt = try Self.cookie(left)
            query = try provider.signIn(at: location, ["preferred_username": "\"mara\""])
        }
        try await workspace.withMaster { _ in
            let address = try await WebTests.address(of: workspace)
            let path = "/console/sign-in/openid/callback?\(query)"
            let back = try PlainHTTP.get(path, at: address, fields: attempt)
            #expect(back.status == 303 && back.header("Location") == "/console/account", "\(back.body)")
            let account = try PlainHTTP.get("/console/account", at: address, fields: try Self.cookie(back))
            #expect(account.status == 200 && account.body.contains("<bdi>mara</bdi>"))
            #expect(try PlainHTTP.get(path, at: address, fields: attempt).status == 400)
            let audit = try await workspace.succeed("audit").output
            #expect(audit.contains("session.begin") && audit.contains("with OpenID Connect"), "\(audit)")
            #expect(provider.faults.isEmpty)
        }
    }

    @Test func `the log states why a provider cannot be used`() async throws {
        let provider = try SyntheticProvider { 0 }
        provider.change { $0.metadata = ["issuer": "\"https://other.example\""] }
        let workspace = try Self.workspace(
            """
            <web autoStart="true" httpPort="0"><openId issuer="\(provider.issuer)" clientId="a"/></web>
            """)
        try await workspace.withMaster { master in
            let address = try await WebTests.address(of: workspace)
            let answer = try PlainHTTP.get("/console/sign-in/openid", at: address)
            #expect(answer.status == 503 && !answer.body.contains("other.example"))
            try await master.waitForOutput(
                "signing in with OpenID Connect failed: the provider states the issuer https://other.example")
        }
    }

    @Test func `a header field with people is a finding without trusted proxies, and works with them`()
        async throws
    {
        let alone = try Self.workspace(#"<web autoStart="true" httpPort="0" personHeader="X-User"/>"#)
        let check = try await alone.run("config", "check")
        #expect(check.status != 0)
        let text = check.output + check.errors
        #expect(text.contains("web/@personHeader: has no effect without web/@trustedProxies"), "\(text)")
        let workspace = try Self.workspace(
            #"<web autoStart="true" httpPort="0" personHeader="X-User" trustedProxies="127.0.0.1"/>"#)
        try await workspace.withMaster { _ in
            let address = try await WebTests.address(of: workspace)
            try await workspace.succeed("user", "create", "mara", "--role", "viewer")
            let answer = try PlainHTTP.get(
                "/console/account", at: address, fields: "X-Forwarded-For: 192.0.2.1",
                "X-Forwarded-Proto: https", "X-User: mara")
            #expect(answer.status == 303 && answer.header("Location") == "/console/account")
            let audit = try await workspace.succeed("audit").output
            #expect(audit.contains("from 192.0.2.1 as a proxy states"), "\(audit)")
        }
    }
}
