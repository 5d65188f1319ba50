import Foundation
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import PushAPI
import PushServer
import TestSupport
import Testing

/// Tests of requests after which the server can read nothing more, and of requests whose body waits for `100
/// Continue`.
@Suite struct MessageGuardTests {
    private static let next = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let last = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    // MARK: Other protocols

    @Test(arguments: [
        // The first requests of Java 17's HttpClient and of `curl --http2`.
        "GET /healthz HTTP/1.1\r\nConnection: Upgrade, HTTP2-Settings\r\nHost: a\r\nHTTP2-Settings: AAEAAEAA\r\n"
            + "Upgrade: h2c\r\n\r\n",
        "GET /r/?id=h1,1,1 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, UPGRADE\r\n\r\n",
        "POST /nms/mobile/1/registerIOS.jssp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nUpgrade: h2c\r\n"
            + "Connection: upgrade\r\n\r\nhello",
        "GET /healthz HTTP/1.0\r\nConnection: keep-alive, upgrade\r\nUpgrade: h2c\r\n\r\n",
        "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n",
    ])
    func `a request to upgrade to another protocol is answered normally and ends the connection`(
        request: String
    )
        async throws
    {
        try await WebFixture.with { web in
            let exchange = try Exchange.of(Self.next + request + Self.next, answers: 2, with: web)
            #expect(exchange.statuses.count == 2 && exchange.isClosed, "\(request)")
            #expect(exchange.announcesEnd, "\(request)")
            #expect(exchange.statuses.last.map { $0 == "200" || $0 >= "400" } == true, "\(request)")
        }
    }

    @Test(arguments: ["Connection: upgrade\r\n", "Upgrade: h2c\r\n", "Connection: x\r\nUpgrade: h2c\r\n"])
    func `an incomplete upgrade request has no effect`(fields: String) async throws {
        try await WebFixture.with { web in
            let request = "GET /healthz HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"
            let exchange = try Exchange.of(request + request + Self.last, answers: 3, with: web)
            #expect(exchange.statuses == ["200", "200", "200"], "\(fields)")
        }
    }

    // MARK: Broken bodies

    /// The targets, each with a method and a path, and whether the answer waits for the body.
    private static let targets = [
        ("GET /readyz", false), ("HEAD /readyz", false), ("GET /nothing", false), ("POST /nothing", false),
        ("POST /metrics", false), ("POST /api/v1/messages", true), ("POST /api/v1/deliveries", true),
        ("GET /api/v1/services", true), ("POST /api/v1/nothing", false), ("GET /r/?id=h1,1,1", false),
        ("POST /nms/mobile/1/registerIOS.jssp", true),
    ]
    private static let faults = ["zz\r\n", "5\r\nhelloworld\r\n0\r\n\r\n", "-1\r\n\r\n"]

    private static func head(_ target: String, _ token: String) -> String {
        "\(target) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer \(token)\r\n\r\n"
    }

    @Test(arguments: MessageGuardTests.targets, MessageGuardTests.faults)
    func `a request with a malformed body receives one answer, which announces that the connection closes`(
        target: (String, Bool), fault: String
    ) async throws {
        try await APICaller.with { caller in
            let request = Self.head(target.0, try #require(caller.token)) + fault
            for before in ["", Self.next] {
                let answers = before.isEmpty ? 1 : 2
                let exchange = try Exchange.of(
                    before + request + Self.next, answers: answers, with: caller.web)
                #expect(exchange.statuses == Array(["200", "400"].suffix(answers)), "\(target.0)")
                #expect(exchange.isClosed && exchange.announcesEnd, "\(target.0)")
                #expect(exchange.bodies.last?.isEmpty == target.0.hasPrefix("HEAD"), "\(target.0)")
            }
        }
    }

    @Test(arguments: MessageGuardTests.targets, ["zz\r\n", "5\r\nhello\r\n0\r\n\r\n"])
    func `a request that is answered before its body arrives is the last one, whatever its body`(
        target: (String, Bool), rest: String
    ) async throws {
        try await APICaller.with { caller in
            let head = Self.head(target.0, try #require(caller.token))
            // An answer that does not wait for the body arrives before the body is sent.
            let before = target.1 ? "alive\n" : "alive\nHTTP/1.1 "
            let exchange = try Exchange.of(
                Self.next + head, then: [(before, rest + Self.last)], answers: target.1 ? 3 : 2,
                with: caller.web)
            let isBroken = rest.hasPrefix("zz")
            if target.1, !isBroken {
                #expect(exchange.statuses.count == 3 && exchange.statuses.last == "200", "\(target.0)")
            } else {
                #expect(exchange.statuses.count == 2 && exchange.isClosed, "\(target.0)")
                #expect(exchange.announcesEnd, "\(target.0)")
                if target.1 { #expect(exchange.statuses.last == "400", "\(target.0)") }
            }
        }
    }

    // MARK: 100 Continue

    private static let invited = [
        ("/nms/mobile/1/registerIOS.jssp", "registrationToken=1", "200"),
        ("/api/v1/messages", "{}", "422"), ("/api/v1/deliveries", "[]", "422"),
    ]

    @Test(arguments: MessageGuardTests.invited, ["100-continue", "100-Continue"])
    func `a client that expects 100 Continue receives this status`(
        target: (path: String, body: String, status: String), word: String
    ) async throws {
        try await APICaller.with { caller in
            let head =
                "POST \(target.path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(caller.token ?? "")\r\n"
            let length = "Content-Length: \(target.body.utf8.count)\r\n"
            let asking = head + length + "Expect: \(word)\r\n\r\n"
            // The server sends `100 Continue` in its turn, and the connection stays open.
            var exchange = try Exchange.of(
                Self.next + asking, then: [("HTTP/1.1 100 Continue\r\n\r\n", target.body + asking)],
                answers: 3,
                with: caller.web)
            #expect(exchange.statuses.prefix(2) == ["200", "100"], "\(target.path)")
            #expect(exchange.statuses.dropFirst(2) == ["\(exchange.statuses[2])", "100"], "\(target.path)")
            // The server does not send it if the body has already arrived.
            exchange = try Exchange.of(asking + target.body + Self.last, answers: 2, with: caller.web)
            #expect(exchange.statuses.count == 2 && exchange.statuses.last == "200", "\(target.path)")
        }
    }

    @Test(arguments: [
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n", ["200"]),
        ("POST /nothing HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 0\r\n", ["404"]),
        ("GET /healthz HTTP/1.0\r\nExpect: 100-continue\r\n", ["200"]),
        ("POST /nothing HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 3\r\n", ["400"]),
    ])
    func `no client receives 100 Continue for a body that will not be read`(head: String, statuses: [String])
        async throws
    {
        try await WebFixture.with { web in
            let exchange = try Exchange.of(head + "Connection: close\r\n\r\n", answers: 1, with: web)
            #expect(exchange.statuses == statuses && exchange.isClosed, "\(head)")
        }
    }

    @Test func `a client that is refused before it sends its body learns that the connection closes`()
        async throws
    {
        try await WebFixture.with { web in
            let exchange = try Exchange.of(
                "POST /api/v1/messages HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
                answers: 2, with: web)
            #expect(exchange.statuses == ["100", "401"] && exchange.isClosed && exchange.announcesEnd)
        }
    }

    // MARK: What is left

    /// If ended connections kept memory, it would grow with their number, as fast as clients connect.
    @Test(arguments: ["GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"])
    func `no state of a connection remains after its client has disconnected`(request: String) throws {
        weak var left: EmbeddedChannel?
        do {
            let channel = EmbeddedChannel()
            left = channel
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline(
                withPipeliningAssistance: false, withErrorHandling: false)
            let limits = ConnectionLimits(ConnectionTable(most: 1, keepAlive: .seconds(1)))
            try pipeline.addHandler(MessageGuard(isSecure: false, limits: limits))
            channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
            try channel.writeInbound(ByteBuffer(string: request))
            if request.contains("Host") {
                let head = HTTPResponse(status: .ok, headerFields: [.contentLength: "0"])
                try channel.writeOutbound(HTTPResponsePart.head(head))
                try channel.writeOutbound(HTTPResponsePart.end(nil))
            }
            #expect(try channel.readOutbound(as: ByteBuffer.self) != nil)
            // The client disconnects, and no time passes.
            channel.close(promise: nil)
            channel.embeddedEventLoop.run()
        }
        #expect(left == nil)
    }
}
