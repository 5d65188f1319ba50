import Foundation
import PushAPI
import PushModel
import PushServer
import PushStore
import PushWire
import TestRequests
import TestSupport
import Testing

@Suite struct HealthTests {
    @Test func `the process is alive while its loops run, and not alive if the master's loop hangs`()
        async throws
    {
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

    @Test func `the process is ready while the master is running, and otherwise states the reason`()
        async throws
    {
        try await WebFixture.with { web in
            #expect(try web.get("/readyz").status == 503)
            web.engine.say(.running())
            try await eventually("it is ready") { try web.get("/readyz").status == 200 }
            web.engine.say(.running { $0.state = "draining" })
            try await eventually("it is not") { try web.get("/readyz").body == "draining\n" }
            let alarm = MasterStatus.Alarm(kind: "store", cause: "the disk is full", seconds: 5)
            web.engine.say(.running { $0.alarms = [alarm] })
            try await eventually("the alarm is reported") {
                try web.get("/readyz").body == "alarm store: the disk is full\n"
            }
            web.engine.fail("no socket")
            try await eventually("it was ready before, and its state is unknown now") {
                try web.get("/readyz").status == 503
            }
        }
    }

    @Test func `trouble with an app or a gateway is reported and leaves the process ready`() async throws {
        try await WebFixture.with { web in
            let kinds = ["account", "children", "part", "delivery", "clock", "key"]
            web.engine.say(
                .running {
                    $0.alarms = kinds.map { MasterStatus.Alarm(kind: $0, cause: "for a test", seconds: 5) }
                })
            try await eventually("it is ready, and reports all of them") {
                let reply = try web.get("/readyz")
                return reply.status == 200
                    && reply.body == "ready\n" + kinds.map { "alarm \($0): for a test\n" }.joined()
            }
            let scrape = try Scrape(of: web.address)
            for kind in kinds { #expect(scrape[#"pushmta_alarms{kind="\#(kind)"}"#] == 1, "\(kind)") }
        }
    }

    @Test func `a removed key is reported, and has no effect while the process is running`() async throws {
        try await WebFixture.with(hasMaster: false) { web in
            _ = try web.operations.carryOut(CreateService(name: "shop"))
            _ = try web.operations.carryOut(
                CreateApp(
                    name: "android", service: "shop", platform: .android, integrationKey: "key",
                    connector: "stub"))
            let token = try web.operations.carryOut(
                CreateAccessToken(name: "caller", scopes: [.send])
            ).token
            let form = "registrationToken=\(String(repeating: "t", count: 40))&mobileAppUuid=key&userKey=anna"
            #expect(
                try PlainHTTP.post(
                    "/nms/mobile/1/registerAndroid.jssp", Array(form.utf8), at: web.address
                ).status == 200)
            let path = web.folder.appending(path: "var/instance.key").path(percentEncoded: false)
            try FileManager.default.removeItem(atPath: path)
            let message = APIRequest(
                "POST", "/messages", token: token,
                body: #"{"app": "android", "userKey": "anna", "content": {"body": "x"}}"#)
            #expect(try message.ask(at: web.address).status == 202)
            try await eventually("the loss is reported") {
                let reply = try web.get("/readyz")
                return reply.status == 200
                    && reply.body.contains(
                        "alarm key: the instance key \(path) is missing, but the store \(web.store.path) ")
            }
        }
    }

    @Test func `without a master, the health answer states that no master is running`() async throws {
        try await WebFixture.with(hasMaster: false) { web in
            let reply = try web.get("/readyz")
            #expect(reply.status == 200 && reply.body.contains("no master runs"))
            web.engine.say(.running())
            try await eventually("it asks the one elsewhere") { try web.get("/readyz").body == "ready\n" }
        }
    }

    @Test func `an unresponsive master does not delay health requests`() async throws {
        try await WebFixture.with { web in
            let statuses = try web.engine.hanging.withLock { _ in
                try ["/healthz", "/readyz", "/metrics"].map { try web.get($0).status }
            }
            #expect(statuses == [200, 503, 200])
        }
    }
}
