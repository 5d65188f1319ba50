import PushWeb
import PushWire
import TestSupport
import Testing

@Suite struct HealthTests {
    @Test func `it is alive while loops turn, and not when the master's does not`() async throws {
        try await WebFixture.with { web in
            #expect(try web.get("/healthz").status == 200)
            web.engine.turned(secondsAgo: 3)
            #expect(try web.get("/healthz").status == 200)
            web.engine.turned(secondsAgo: 30)
            let dead = try web.get("/healthz")
            #expect(dead.status == 503 && dead.body.contains("30 s"))
            #expect(dead.header("content-type")?.hasPrefix("text/plain") == true)
        }
    }

    @Test func `it is ready when the master runs, and says why it is not`() async throws {
        try await WebFixture.with { web in
            #expect(try web.get("/readyz").status == 503)
            web.engine.say(.running())
            try await eventually("it is ready") { try web.get("/readyz").status == 200 }
            web.engine.say(.running { $0.state = "draining" })
            try await eventually("it is not") { try web.get("/readyz").body == "draining\n" }
            let alarm = MasterStatus.Alarm(kind: "store", cause: "the disk is full", seconds: 5)
            web.engine.say(.running { $0.alarms = [alarm] })
            try await eventually("the alarm is told") {
                try web.get("/readyz").body == "alarm store: the disk is full\n"
            }
            web.engine.fail("no socket")
            try await eventually("it was ready before, and nobody knows now") {
                try web.get("/readyz").status == 503
            }
        }
    }

    @Test func `alone it says that no master runs`() async throws {
        try await WebFixture.with(hasMaster: false) { web in
            let reply = try web.get("/readyz")
            #expect(reply.status == 503 && reply.body.contains("no master runs"))
            web.engine.say(.running())
            try await eventually("it asks the one elsewhere") { try web.get("/readyz").status == 200 }
        }
    }

    @Test func `a master that does not answer holds nobody up`() async throws {
        try await WebFixture.with { web in
            let statuses = try web.engine.hanging.withLock { _ in
                try ["/healthz", "/readyz", "/metrics"].map { try web.get($0).status }
            }
            #expect(statuses == [200, 503, 200])
        }
    }
}
