import Foundation
import PushConfig
import PushServer
import PushWire
import TestSupport
import Testing

@Suite struct WebModuleTests {
    @Test func `a port that is in use leads to a log line that states the remedy`() async throws {
        try await WebFixture.with { web in
            let port = try #require(web.address.split(separator: ":").last.flatMap { Int($0) })
            let error = #expect(throws: WebError.self) { _ = try WebFixture { $0.httpPort = port } }
            let line = error?.description ?? ""
            #expect(
                line.contains("127.0.0.1:\(port)") && line.contains("web/@httpPort") && !line.contains("\n"))
        }
    }

    @Test func `an address that does not belong to this machine is reported`() {
        let error = #expect(throws: WebError.self) { _ = try WebFixture { $0.bind = "192.0.2.1" } }
        #expect(error?.description.contains("web/@bind") == true)
    }

    @Test func `the server stops in time even if a client keeps its connection open`() async throws {
        let web = try WebFixture()
        let idle = try PlainHTTP.connect(to: web.address)
        defer { close(idle) }
        #expect(try web.get("/healthz").status == 200)
        web.close()
        #expect(throws: PlainHTTP.Failure.self) { _ = try web.get("/healthz") }
    }

    @Test func `the metrics page contains every metric once, in registry order`() async throws {
        try await WebFixture.with { web in
            web.engine.say(.running())
            let reply = try web.get("/metrics")
            #expect(reply.status == 200)
            #expect(reply.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            #expect(Scrape(reply.body).names == Metric.all.map(\.name))
        }
    }

    @Test func `up to a thousand accounts have their own labels, and all other accounts share one label`()
        async throws
    {
        try await WebFixture.with { web in
            web.engine.say(
                .running { $0.accounts = (1...1_500).map { MasterStatus.account("account \($0)") } })
            var scrape = try Scrape(of: web.address)
            try await eventually("the accounts are there") {
                scrape = try Scrape(of: web.address)
                return !scrape.samples(of: "pushmta_account_window_messages").isEmpty
            }
            let windows = scrape.samples(of: "pushmta_account_window_messages")
            #expect(windows.count == 1_001)
            #expect(scrape[#"pushmta_account_window_messages{account="other"}"#] == 250_000)
        }
    }

    @Test func `the metrics describe the store, its disk and this process`() async throws {
        try await WebFixture.with { web in
            web.engine.say(.running())
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_deliveries{state="inProgress"}"#] == 0)
            #expect(scrape["pushmta_store_look_failed"] == 0)
            #expect((scrape["pushmta_store_bytes"] ?? 0) > 0)
            #expect((scrape["pushmta_disk_free_bytes"] ?? 0) > 0)
            #expect((scrape["pushmta_open_files"] ?? 0) > 5)
        }
    }

    @Test func `the metrics count requests by route and status`() async throws {
        try await WebFixture.with { web in
            for _ in 0..<3 { _ = try web.get("/healthz") }
            _ = try web.get("/nowhere")
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_web_requests_total{route="/healthz",status="200"}"#] == 3)
            #expect(scrape[#"pushmta_web_requests_total{route="other",status="404"}"#] == 1)
            #expect(scrape[#"pushmta_web_request_seconds_count{route="/healthz"}"#] == 3)
            #expect((scrape["pushmta_web_connections"] ?? 0) >= 1)
        }
    }

    @Test func `a process without a master omits the master's counters`() async throws {
        try await WebFixture.with(hasMaster: false) { web in
            let scrape = try Scrape(of: web.address)
            #expect(scrape[#"pushmta_master_state{state="none"}"#] == 1)
            #expect(scrape.samples(of: "pushmta_answers_total").isEmpty)
            #expect(scrape.samples(of: "pushmta_store_commit_seconds").isEmpty)
            #expect(!scrape.samples(of: "pushmta_store_bytes").isEmpty)
        }
    }
}
