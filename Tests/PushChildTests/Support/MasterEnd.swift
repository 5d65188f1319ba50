import CPushShims
import Foundation
import GatewayAPNs
import Glibc
import PushChild
import PushModel
import PushTransport
import PushWire
import Synchronization
import TestSupport
import Testing

/// A child on its own thread, and the master's end of its link, which the test controls. The time limit for
/// waits is long enough for any machine.
final class MasterEnd {
    /// The result of the child's run.
    enum Ending: Equatable { case returned, threw(String) }

    private(set) var descriptor: Int32
    private var decoder = FrameDecoder()
    private var frames: [LinkFrame] = []
    private var isAtEnd = false
    private let ending: Ended
    private let childEnd: Int32

    private final class Ended: Sendable {
        let value = Mutex<Ending?>(nil)
        let signal = DispatchSemaphore(value: 0)
    }

    /// Starts a child and welcomes it.
    init(capacity: UInt32 = 20_000, idleSeconds: UInt32 = 3_600) throws {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe push_socketpair(&pair) == 0)
        descriptor = pair[0]
        // The maximum buffer that the kernel grants, so that data that is sent in one call arrives in one
        // read.
        var size: Int32 = 8 << 20
        unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let theirs = pair[1]
        childEnd = theirs
        let ending = Ended()
        self.ending = ending
        Thread.detachNewThread {
            let result: Ending
            do {
                try Child(loop: try TransportLoop(), link: ChildSideLink(descriptor: theirs)).run()
                result = .returned
            } catch {
                result = .threw("\(error)")
            }
            // Has the same effect as the end of the process.
            shutdown(theirs, Int32(SHUT_RDWR))
            ending.value.withLock { $0 = result }
            ending.signal.signal()
        }
        try send(
            .welcome(
                WelcomeOrder(
                    generation: 1, capacity: capacity, maximumAgeSeconds: 600, idleSeconds: idleSeconds)))
    }

    deinit {
        hangUp()
        if ending.value.withLock({ $0 }) == nil { _ = end() }
        close(childEnd)
    }

    /// Closes the master's end, as when the master ends.
    func hangUp() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Returns how the child's run ended; `nil` if it is still running.
    func end() -> Ending? {
        _ = ending.signal.wait(timeout: .now() + 30)
        ending.signal.signal()
        return ending.value.withLock { $0 }
    }

    // MARK: Orders

    func send(_ order: LinkOrder) throws {
        var writer = ByteWriter()
        order.encode(into: &writer)
        try send(writer.bytes)
    }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        let end = Date().addingTimeInterval(Patience.seconds)
        while sent < bytes.count {
            try #require(Date() < end)
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe push_send(descriptor, $0.baseAddress!, $0.count)
            }
            if count > 0 { sent += count } else { wait(for: Int16(POLLOUT)) }
        }
    }

    /// Returns a valid credential that no gateway knows.
    static func credential() throws -> [UInt8] {
        let key = try APNsSigningKey(
            keyID: "ABCDEFGHIJ", teamID: "ABCDEFGHIJ",
            privateKeyPEM: """
                -----BEGIN PRIVATE KEY-----
                MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgevZzL1gdAFr88hb2
                OF/2NxApJCzGCEDdfSp6VQO30hyhRANCAAQRWz+jn65BtOMvdyHKcvjBeBSDZH2r
                1RTwjmYSi9R/zpBnuQ4EiMnCqfMPWiZqB4QdbAd0E7oH50VpuZ1P087G
                -----END PRIVATE KEY-----

                """)
        return APNsCredential.token(key).opaque.bytes
    }

    func account(
        _ number: AccountID = 1, connector: ConnectorName = .stub, credential: [UInt8] = [], port: UInt16 = 1
    ) throws {
        var gateway = GatewayOrder()
        gateway.address = "127.0.0.1"
        gateway.port = port
        try send(
            .account(
                AccountOrder(
                    account: number, connector: connector, environment: .production,
                    credential: OpaqueCredential(bytes: credential), gateway: gateway)))
    }

    func job(
        _ number: JobID = 1, account: AccountID = 1, content: String = #"{"title":"Hello"}"#,
        validFor seconds: Int64 = 3_600, priority: DeliveryPriority = .normal, delivery: Int64 = 1
    ) throws {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        try send(
            .job(
                JobOrder(
                    job: number, account: account, delivery: DeliveryID(rawValue: delivery),
                    priority: priority,
                    platform: .ios,
                    bundleID: "com.example.app", messageIDFormat: .uuid, tracking: true,
                    expiresAt: WallTime(secondsSince1970: Int64(time.tv_sec) + seconds), variables: [],
                    contentJSON: Array(content.utf8))))
    }

    func grant(_ number: GrantID, job: JobID = 1, messages: ClosedRange<Int64>) throws {
        try send(Self.grant(number, job: job, messages: messages))
    }

    static func grant(
        _ number: GrantID, job: JobID = 1, messages: ClosedRange<Int64>, tokenBytes: Int = 64
    ) -> [UInt8] {
        var builder = GrantFrameBuilder(grant: number, job: job, expectedMessages: messages.count)
        let token = [UInt8](repeating: UInt8(ascii: "a"), count: tokenBytes)
        for message in messages {
            builder.append(
                MessageID(rawValue: message), id: OpaqueID(high: 1, low: UInt64(message)), integerID: message,
                attempts: 2, token: token.span, parameters: [UInt8]().span)
        }
        return builder.finish()
    }

    // MARK: Reports

    private func wait(for events: Int16) {
        var item = pollfd(fd: descriptor, events: events, revents: 0)
        unsafe _ = poll(&item, 1, 1_000)
    }

    /// Whether the child has sent data that was not read yet.
    private var hasReports: Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&item, 1, 0) == 1
    }

    /// Returns the next frame; `nil` at the end of the link.
    func next(sourceLocation: SourceLocation = #_sourceLocation) throws -> LinkFrame? {
        let end = Date().addingTimeInterval(Patience.seconds)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while frames.isEmpty, !isAtEnd {
            try #require(Date() < end, "nothing is said", sourceLocation: sourceLocation)
            wait(for: Int16(POLLIN))
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count == 0 { isAtEnd = true }
            guard count > 0 else { continue }
            decoder.feed(Array(buffer[..<count]))
            while let frame = try decoder.next() { frames.append(frame) }
        }
        return frames.isEmpty ? nil : frames.removeFirst()
    }

    /// Returns the next report of this type. Heartbeats and other reports before it are skipped.
    func next(
        _ kind: LinkFrameKind, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LinkReport {
        let end = Date().addingTimeInterval(Patience.seconds)
        while Date() < end, let frame = try next(sourceLocation: sourceLocation) {
            if frame.kind == kind { return try LinkReport(frame) }
        }
        Issue.record("no \(kind) came", sourceLocation: sourceLocation)
        throw Silence()
    }

    struct Silence: Error {}

    /// Returns the reports until the given number of messages have outcomes, including other reports in the
    /// meantime.
    func outcomes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws -> Reported {
        var reported = Reported()
        try outcomes(count, into: &reported, sourceLocation: sourceLocation)
        return reported
    }

    /// Adds the reports that have arrived by now.
    func outcomesByNow(into reported: inout Reported) throws {
        while !frames.isEmpty || hasReports, let frame = try next() { try reported.add(frame) }
    }

    /// The same reports, added to earlier reports.
    func outcomes(
        _ count: Int, into reported: inout Reported, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let end = Date().addingTimeInterval(Patience.seconds)
        while reported.count < count, Date() < end, let frame = try next(sourceLocation: sourceLocation) {
            try reported.add(frame)
        }
        #expect(reported.count == count, sourceLocation: sourceLocation)
    }
}
