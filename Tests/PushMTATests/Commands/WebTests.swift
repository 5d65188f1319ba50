import Foundation
import TestSupport
import Testing

/// Tests the web module in the form in which `run` starts it.
struct WebTests {
    private static func configuration(_ web: String, mta: String = #"autoStart="true""#) -> String {
        Workspace.configuration(mta: mta).replacing("</serverConf>", with: "<web \(web)/></serverConf>")
    }

    private static func workspace(mta: String = #"autoStart="true""#) throws -> Workspace {
        try Workspace(configuration: configuration(#"autoStart="true" httpPort="0""#, mta: mta))
    }

    /// Returns the address on which a master's web module listens, as shown by `status`.
    static func address(of workspace: Workspace) async throws -> String {
        var address = ""
        try await eventually("the web module listens") {
            let status = try await workspace.run("status", "--json")
            let report = try? JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
            address = (report?["master"] as? [String: Any])?["web"] as? String ?? ""
            return !address.isEmpty
        }
        return String(address.dropFirst("http://".count))
    }

    @Test
    func `if a master is running, the web module reports that it is ready, and status shows its address`()
        async throws
    {
        let workspace = try Self.workspace()
        try await workspace.withMaster { _ in
            let address = try await Self.address(of: workspace)
            try await eventually("it is ready") { try PlainHTTP.get("/readyz", at: address).status == 200 }
            #expect(try PlainHTTP.get("/healthz", at: address).status == 200)
            let status = try await workspace.succeed("status")
            #expect(status.output.contains("http://\(address)"))
            let scrape = try Scrape(of: address)
            #expect(scrape[#"pushmta_master_state{state="running"}"#] == 1)
            #expect(!scrape.samples(of: "pushmta_store_rows_total").isEmpty)
        }
    }

    @Test(.eachEngine)
    func `with a second port, the first one answers devices only, and status and the log show both`()
        async throws
    {
        let web = #"autoStart="true" httpPort="0" adminPort="0""#
        let workspace = try Workspace(configuration: Self.configuration(web))
        try await workspace.withMaster { master in
            let address = try await Self.address(of: workspace)
            let status = try await workspace.succeed("status").output
            let found = try #require(status.firstMatch(of: /web admin +http:\/\/([0-9.:]+)\n/), "\(status)")
            let admin = String(found.output.1)
            try await master.waitForOutput(
                "web listens on http://\(address) for devices, and on http://\(admin) for everything else")
            #expect(status.contains("http://\(admin)/console/"), "\(status)")
            try await master.waitForOutput("sign in as admin with http://\(admin)/console/welcome?key=")
            #expect(try PlainHTTP.get("/console/sign-in", at: admin).status == 200)
            #expect(try PlainHTTP.get("/console/sign-in", at: address).status == 404)
            try await eventually("it is ready") { try PlainHTTP.get("/readyz", at: admin).status == 200 }
            for path in ["/metrics", "/healthz", "/readyz", "/api/v1/apps"] {
                #expect(try PlainHTTP.get(path, at: address).status == 404, "\(path)")
            }
            #expect(try PlainHTTP.get("/r/test", at: address).status == 200)
            #expect(try PlainHTTP.get("/r/test", at: admin).status == 404)
            #expect(try Scrape(of: admin)[#"pushmta_master_state{state="running"}"#] == 1)
            // Commands use the Unix socket of the instance.
            try await workspace.succeed("service", "create", "shop")
            let present = try workspace.text(of: "serverConf.xml")
            try workspace.write(
                present.replacing(#"adminPort="0""#, with: #"adminPort="1""#), to: "serverConf.xml")
            let reload = try await workspace.succeed("reload")
            #expect(
                reload.output.contains("web/@adminPort: 0 -> 1, which needs a restart"), "\(reload.output)")
            #expect(try PlainHTTP.get("/healthz", at: admin).status == 200)
        }
    }

    @Test func `config check reports metrics on a public port without a second port`() async throws {
        let workspace = try Workspace(configuration: Self.configuration(#"bind="0.0.0.0""#))
        let check = try await workspace.run("config", "check")
        #expect((check.output + check.errors).contains("and so can /metrics, /healthz, /readyz and the API"))
    }

    @Test func `the first token is created even if the store is in another folder than the token`()
        async throws
    {
        let web = #"<web autoStart="true" httpPort="0"/></serverConf>"#
        let workspace = try Workspace(
            configuration: Workspace.configuration(store: "elsewhere/pushmta.db")
                .replacing("</serverConf>", with: web))
        try await workspace.withMaster { master in
            try await master.waitForOutput("serving")
            #expect(try !workspace.text(of: "var/api.token").isEmpty)
        }
    }

    @Test func `if the web port is in use, run fails before it serves and states the remedy`() async throws {
        let first = try Self.workspace()
        try await first.withMaster { _ in
            let address = try await Self.address(of: first)
            let port = address.split(separator: ":").last.map(String.init) ?? ""
            let second = try Workspace(
                configuration: Self.configuration("autoStart=\"true\" httpPort=\"\(port)\""))
            let run = try await second.run("run")
            #expect(run.status == 1)
            #expect(run.errors.contains("web/@httpPort") && run.errors.contains(port))
            #expect(!run.errors.contains("serving"))
        }
    }

    @Test func `the error for a second master on a store names the first master and not the port`()
        async throws
    {
        let workspace = try Self.workspace()
        try await workspace.withMaster { _ in
            let address = try await Self.address(of: workspace)
            let port = address.split(separator: ":").last.map(String.init) ?? ""
            try workspace.write(
                Self.configuration("autoStart=\"true\" httpPort=\"\(port)\""), to: "other.xml")
            let run = try await workspace.run("--config", "other.xml", "run")
            #expect(run.status == 1 && !run.errors.contains("httpPort"), "\(run.errors)")
        }
    }

    @Test
    func `a web module without a master serves what it can, and queries a master that is running elsewhere`()
        async throws
    {
        let workspace = try Self.workspace(mta: #"autoStart="false""#)
        let web = try workspace.start(["run", "--module", "web", "--log-file", "web.log"])
        do {
            var address = ""
            try await eventually("it listens") {
                let log = (try? workspace.text(of: "web.log")) ?? ""
                address = log.firstMatch(of: /http:\/\/([0-9.:]+)/).map { String($0.output.1) } ?? ""
                return !address.isEmpty
            }
            #expect(try PlainHTTP.get("/healthz", at: address).status == 200)
            let alone = try PlainHTTP.get("/readyz", at: address)
            // It accepts requests from devices and callers, and reports that no messages are being sent.
            #expect(alone.status == 200 && alone.body.contains("no master runs"))
            #expect(try Scrape.value(#"pushmta_master_state{state="none"}"#, at: address) == 1)

            let master = try workspace.start(["run", "--module", "mta"])
            try await eventually("it is notified of the master") {
                try PlainHTTP.get("/readyz", at: address).body == "ready\n"
            }
            master.signal(SIGTERM)
            #expect(try await master.finished().status == 0)
        } catch {
            web.signal(SIGKILL)
            _ = try await web.finished()
            throw error
        }
        // Two signals, as an impatient operator would send.
        web.signal(SIGTERM)
        web.signal(SIGTERM)
        let end = try await web.finished()
        let log = try workspace.text(of: "web.log")
        #expect(end.status == 0, "\(end.status): \(end.errors) \(log)")
    }

    @Test func `a reload keeps the web module's address, and reports that a new port needs a restart`()
        async throws
    {
        let workspace = try Self.workspace()
        try await workspace.withMaster { _ in
            let address = try await Self.address(of: workspace)
            try workspace.write(Self.configuration(#"autoStart="true" httpPort="1""#), to: "serverConf.xml")
            let reload = try await workspace.succeed("reload")
            #expect(reload.output.contains("web/@httpPort: 0 -> 1, which needs a restart"))
            #expect(try PlainHTTP.get("/healthz", at: address).status == 200)
        }
    }
}
