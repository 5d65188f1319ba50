import Foundation
import PushAPI
import PushModel
import PushStore
import Synchronization
import TestRequests
import TestSupport
import Testing

/// Tests of calls that take a long time, and of other calls that must not wait for them.
@Suite struct SlowCallsTests {
    /// Requests that are each sent on a separate thread, because some are not answered for a long time.
    private final class Sent: Sendable {
        private let replies = Mutex<[Int: PlainHTTP.Reply]>([:])
        var all: [PlainHTTP.Reply] { replies.withLock { Array($0.values) } }

        init(_ requests: [APIRequest], to address: String) {
            for (number, request) in requests.enumerated() {
                Thread.detachNewThread {
                    guard let reply = try? request.ask(at: address) else { return }
                    self.replies.withLock { $0[number] = reply }
                }
            }
        }

        convenience init(_ count: Int, _ request: APIRequest, to address: String) {
            self.init(Array(repeating: request, count: count), to: address)
        }
    }

    private static func message(to user: String, token: String?) -> APIRequest {
        APIRequest(
            "POST", "/messages", token: token,
            body: #"{"app": "shop-ios", "userKey": "\#(user)", "content": {"body": "x"}}"#)
    }

    private static func register(in web: WebFixture) throws -> PlainHTTP.Reply {
        let token = String(repeating: "a1", count: 32)
        let form = "registrationToken=\(token)&mobileAppUuid=key&userKey=anna"
        return try PlainHTTP.post("/nms/mobile/1/registerIOS.jssp", Array(form.utf8), at: web.address)
    }

    @Test func `a slow app test only blocks other app tests`() async throws {
        try await APICaller.with { caller in
            let (web, address) = (caller.web, caller.web.address)
            let test = APIRequest("POST", "/apps/shop-ios/test", token: caller.token)
            var first = Sent([], to: address)
            try await web.engine.whileAccountsHang {
                first = Sent(1, test, to: address)
                try await eventually("the test has begun") { web.engine.accountsAsked == 1 }
                let others = Sent(30, test, to: address)
                try await eventually("the other tests are refused") {
                    others.all.map(\.status) == Array(repeating: 503, count: 30)
                }
                let stop = try caller.ask("POST", "/deliveries/1/stop")
                #expect(stop.status == 404)
                let changed = try caller.ask("PATCH", "/services/shop", #"{"label": "S"}"#)
                #expect(changed.status == 200)
            }
            try await eventually("the first is answered") { first.all.map(\.status) == [200] }
            #expect(try test.ask(at: address).status == 200)
        }
    }

    @Test
    func `messages, registrations and reports do not wait for reads, and reads that are late are refused`()
        async throws
    {
        try await APICaller.with { caller in
            let (web, address) = (caller.web, caller.web.address)
            let reader = try web.operations.carryOut(
                CreateAccessToken(name: "reader", scopes: [.read]))
            #expect(try Self.register(in: web).status == 200)
            var reads = Sent([], to: address)
            try await web.engine.whileAccountsHang {
                reads = Sent(
                    60, APIRequest("GET", "/apps/shop-ios/explanation", token: reader.token), to: address)
                try await eventually("some reads have begun") { web.engine.accountsAsked >= 2 }
                for _ in 0..<5 {
                    let sent = Sent(1, Self.message(to: "anna", token: caller.token), to: address)
                    try await eventually("the message is accepted") { sent.all.map(\.status) == [202] }
                }
                #expect(try Self.register(in: web).status == 200)
                #expect(try web.get("/r/?id=nonsense").status == 200)
                // A change does not wait, and neither does a token that has to be looked up.
                let change = Sent(
                    1, APIRequest("PATCH", "/services/shop", token: caller.token, body: #"{"label": "S"}"#),
                    to: address)
                try await eventually("the change is made") { change.all.map(\.status) == [200] }
                let guess = "pmta_" + String(repeating: "x", count: 43)
                let made = Sent(20, APIRequest("GET", "/services", token: guess), to: address)
                try await eventually("made-up tokens are refused") {
                    made.all.map(\.status) == Array(repeating: 401, count: 20)
                }
                try await eventually("reads that cannot begin are refused") { reads.all.count >= 58 }
                #expect(reads.all.allSatisfy { $0.status == 503 && $0.header("retry-after") == "5" })
            }
            try await eventually("those that had begun are answered") { reads.all.count == 60 }
            let read = Sent(1, APIRequest("GET", "/services", token: reader.token), to: address)
            try await eventually("reads are answered again") { read.all.map(\.status) == [200] }
        }
    }

    @Test func `an unresponsive master does not block any read, and its status is reported as unavailable`()
        async throws
    {
        try await APICaller.with { caller in
            let (web, address) = (caller.web, caller.web.address)
            web.engine.say(.running())
            try await web.engine.whileHanging {
                let status = Sent(
                    8, APIRequest("GET", "/status", token: caller.token), to: address)
                try await eventually("the status is asked for") { web.engine.asked >= 1 }
                let others = Sent(
                    (1...4).map { _ in APIRequest("GET", "/services", token: caller.token) }, to: address)
                try await eventually("others are answered") {
                    others.all.map(\.status) == [200, 200, 200, 200]
                }
                try await eventually("the status is refused") { status.all.count == 8 }
                #expect(status.all.allSatisfy { $0.status == 503 && $0.header("retry-after") == "5" })
            }
            try await eventually("the status is there") { try caller.ask("GET", "/status").status == 200 }
            web.engine.fail("it broke")
            try await eventually("its failure is reported") { try caller.ask("GET", "/status").status == 503 }
        }
    }

    @Test func `storm decisions, which can take minutes, do not block other changes`() async throws {
        try await APICaller.with { caller in
            let (web, address) = (caller.web, caller.web.address)
            var storms = Sent([], to: address)
            try await web.engine.whileAccountsHang {
                storms = Sent(
                    ["confirm", "discard", "confirm", "discard"].map {
                        APIRequest("POST", "/storms/shop-ios/\($0)", token: caller.token)
                    }, to: address)
                try await eventually("some have begun") { web.engine.accountsAsked >= 2 }
                let change = Sent(
                    1, APIRequest("PATCH", "/services/shop", token: caller.token, body: #"{"label": "S"}"#),
                    to: address)
                try await eventually("the change is made") { change.all.map(\.status) == [200] }
            }
            try await eventually("the storms are answered") { storms.all.count == 4 }
        }
    }

    @Test func `a stop that waits for a child does not block other requests`() async throws {
        try await APICaller.with { caller in
            let (web, address) = (caller.web, caller.web.address)
            #expect(try Self.register(in: web).status == 200)
            let document =
                #"{"label": "l", "service": "shop", "apps": ["shop-ios"], "target": {"all": true}, "content": {"title": "t"}}"#
            for number in 1...8 {
                #expect(try caller.ask("POST", "/deliveries", document).status == 201)
                let id = DeliveryID(rawValue: Int64(number))
                _ = try web.store.preparation.prepareChunk(of: id, at: WebFixture.noon)
            }
            var stops = Sent([], to: address)
            try await web.engine.whileChildHangs {
                stops = Sent(
                    (1...8).map { APIRequest("POST", "/deliveries/\($0)/stop", token: caller.token) },
                    to: address)
                try await eventually("all stops wait for the child") { web.engine.withdrawals == 8 }
                let others = Sent(
                    [
                        APIRequest("GET", "/services/shop", token: caller.token),
                        APIRequest("PATCH", "/services/shop", token: caller.token, body: #"{"label": "S"}"#),
                        APIRequest("POST", "/deliveries", token: caller.token, body: document),
                        Self.message(to: "anna", token: caller.token),
                    ], to: address)
                try await eventually("all others are answered") {
                    others.all.map(\.status).sorted() == [200, 200, 201, 202]
                }
                #expect(stops.all.isEmpty)
            }
            try await eventually("the stops are answered") {
                stops.all.map(\.status) == Array(repeating: 200, count: 8)
            }
        }
    }
}
