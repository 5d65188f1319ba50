import PushModel
import PushWire
import TestSupport
import Testing

@Suite struct `The child link` {
    static let orders: [LinkOrder] = [
        .welcome(WelcomeOrder(generation: 7, capacity: 20_000, maximumAgeSeconds: 600, idleSeconds: 60)),
        .welcome(
            WelcomeOrder(
                generation: 7, capacity: 20_000, maximumAgeSeconds: 600, idleSeconds: 60,
                lease: MonotonicTime(nanoseconds: 1 << 50))),
        .lease(until: MonotonicTime(nanoseconds: 1 << 50)),
        .account(
            AccountOrder(
                account: 3, connector: .iosHTTP2, environment: .sandbox,
                credential: OpaqueCredential(bytes: [1, 2, 3]),
                gateway: gateway)),
        .job(
            JobOrder(
                job: 4, account: 3, delivery: DeliveryID(rawValue: 12), priority: .veryHigh,
                platform: .android, bundleID: "com.example",
                messageIDFormat: .uuid, tracking: true, expiresAt: WallTime(secondsSince1970: 1_800_000_000),
                isNowOrNever: true,
                variables: [
                    AppVariable(name: "a", defaultValue: nil), AppVariable(name: "é", defaultValue: ""),
                    AppVariable(name: "o", defaultValue: nil, isOptional: true),
                ],
                contentJSON: Array("{}".utf8))),
        .drain,
        .retireJob(4),
        .recall(account: 3),
        .resume(account: 3),
        .withdraw(DeliveryID(rawValue: 1 << 40)),
        .retireAccount(3),
        .pollFeedback(account: 3),
        .clockJumped(graceSeconds: 600),
    ]

    static let reports: [LinkReport] = [
        .hello(version: ChildLink.version, processID: 4_711),
        .heartbeat(
            Heartbeat(
                waiting: 1, inFlight: 2, openConnections: 3, residentKilobytes: 4,
                accounts: [AccountBeat(account: 5, inFlight: 6, window: 7, openConnections: 8), counted])),
        .accountNews(AccountNews(account: 1, kind: .refused, text: "InvalidProviderToken")),
        .accountNews(
            AccountNews(account: 1, kind: .refused, text: "TopicDisallowed", topic: "com.example.voip")),
        .accountNews(AccountNews(account: 1, kind: .busy, text: "QUOTA_EXCEEDED", seconds: 60)),
        .renamed(MessageID(rawValue: 1 << 40), token: "a:b-c_d"),
        .feedback(
            account: 3, [RetiredToken(token: "ab12", since: WallTime(secondsSince1970: 1_800_000_000))]),
        .feedbackEnded(account: 3, failure: nil),
        .feedbackEnded(account: 3, failure: "cut in the middle of a tuple"),
        .withdrawn(DeliveryID(rawValue: 1 << 40), inFlight: 70_000),
    ]

    private static var counted: AccountBeat {
        var beat = AccountBeat(account: 6, inFlight: 0, window: 0, openConnections: 0)
        beat.waits.add(nanoseconds: 3_000_000, count: 70_000)
        for milliseconds in [0, 1, 500, 90_000] {
            beat.answers.add(nanoseconds: Int64(milliseconds) * 1_000_000)
        }
        return beat
    }

    private static var gateway: GatewayOrder {
        var gateway = GatewayOrder()
        gateway.address = "127.0.0.1"
        gateway.port = 4_430
        gateway.trustedCertificates = "-----BEGIN CERTIFICATE-----"
        gateway.settings = Array(#"{"connectionsPerChild":2}"#.utf8)
        gateway.proxy = ProxyOrder(host: "proxy.example", port: 3_128, user: "u", password: "p")
        return gateway
    }

    private static func frames(_ bytes: [UInt8]) throws -> [LinkFrame] {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        var frames: [LinkFrame] = []
        while let frame = try decoder.next() { frames.append(frame) }
        return frames
    }

    @Test(arguments: orders) func `each order is received as it was sent`(order: LinkOrder) throws {
        var writer = ByteWriter()
        order.encode(into: &writer)
        let frames = try Self.frames(writer.bytes)
        #expect(frames.count == 1)
        #expect(try LinkOrder(frames[0]) == order)
    }

    @Test(arguments: reports) func `each report is received as it was sent`(report: LinkReport) throws {
        var writer = ByteWriter()
        report.encode(into: &writer)
        #expect(try LinkReport(try Self.frames(writer.bytes)[0]) == report)
    }

    @Test func `the frames are the same wherever their bytes are split`() throws {
        var writer = ByteWriter()
        for order in Self.orders { order.encode(into: &writer) }
        let whole = try Self.frames(writer.bytes)
        #expect(whole.count == Self.orders.count)
        for split in 0...writer.bytes.count {
            var decoder = FrameDecoder()
            var frames: [LinkFrame] = []
            for piece in [writer.bytes[..<split], writer.bytes[split...]] {
                decoder.feed(Array(piece))
                while let frame = try decoder.next() { frames.append(frame) }
            }
            #expect(frames == whole, "split at \(split)")
            #expect(decoder.pendingBytes == 0)
        }
    }

    @Test func `a frame that is truncated at any length is refused`() throws {
        for order in Self.orders.prefix(3) {
            var writer = ByteWriter()
            order.encode(into: &writer)
            let frame = try Self.frames(writer.bytes)[0]
            for length in 0..<frame.bytes.count {
                #expect(throws: LinkError.self) {
                    try LinkOrder(LinkFrame(kind: frame.kind, bytes: Array(frame.bytes.prefix(length))))
                }
            }
        }
    }

    @Test func `impossible lengths and frame types are refused`() {
        var tooLong = FrameDecoder()
        tooLong.feed([0xFF, 0xFF, 0xFF, 0xFF, 1])
        #expect(throws: LinkError.frameTooLong(bytes: 0xFFFF_FFFF)) { try tooLong.next() }
        var unknown = FrameDecoder()
        unknown.feed([1, 0, 0, 0, 99])
        #expect(throws: LinkError.unknownKind(99)) { try unknown.next() }
        var empty = FrameDecoder()
        empty.feed([0, 0, 0, 0, 1])
        #expect(throws: LinkError.frameTooLong(bytes: 0)) { try empty.next() }
    }

    @Test func `the link disconnects from a peer that speaks another version`() throws {
        var writer = ByteWriter()
        var order = WelcomeOrder(generation: 1, capacity: 1, maximumAgeSeconds: 1, idleSeconds: 1)
        order.version = 200
        LinkOrder.welcome(order).encode(into: &writer)
        let frame = try Self.frames(writer.bytes)[0]
        #expect(throws: LinkError.versionMismatch(theirs: 200)) { try LinkOrder(frame) }
    }
}
