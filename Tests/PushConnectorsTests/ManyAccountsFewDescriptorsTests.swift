import CPushShims
import Foundation
import GatewayKit
import Glibc
import PushConnectors
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests with a child process, a gateway process, and fewer descriptors than accounts.
@Suite struct ManyAccountsFewDescriptorsTests {
    @Test
    func
        `connections of idle accounts are closed when descriptors run short, and all messages are delivered`()
        throws
    {
        let gateway = try Gateway()
        let child = try ChildProgram()
        let accounts = AccountID(1)...20
        for account in accounts { try child.introduce(account, try gateway.order()) }
        try child.allow(descriptors: 4)
        // Two rounds: accounts whose connections had to be closed connect again.
        for round in 0..<2 {
            for account in accounts {
                let first = Int64(round) * 1_000 + Int64(account.rawValue) * 10
                try child.grant(JobID(account.rawValue), messages: first...first + 4)
                try child.receive("account \(account) has its answers") { child.accepted.contains(first + 4) }
            }
        }
        #expect(child.accepted.count == 2 * 20 * 5)
        #expect(Set(child.accepted).count == 2 * 20 * 5)
        #expect(child.others == 0)
        #expect(child.failures.isEmpty)
        // Without the limit, each account has one connection.
        #expect(Set(try gateway.log().map { $0["connection"] ?? "" }).count > 20)
    }

    @Test func `if no account is idle, an account reports the shortage and continues when the shortage ends`()
        throws
    {
        let gateway = try Gateway()
        let child = try ChildProgram()
        try child.introduce(1, try gateway.order())
        try child.answerOnce()
        try child.allowNoDescriptor()
        try child.grant(1, messages: 1...3)
        try child.receive("it said so") { child.others == 3 && !child.failures.isEmpty }
        #expect(child.failures.count == 1)
        #expect(child.failures.first?.contains("too many open files: raise LimitNOFILE=") == true)
        try child.allow(descriptors: 100)
        try child.grant(1, messages: 11...13)
        try child.receive("all are accepted") { child.accepted.count == 3 }
    }
}

/// The process `pushmta mtachild`, as its master sees it.
private final class ChildProgram {
    private let process: pid_t
    private let link: Int32
    private var decoder = FrameDecoder()
    private var lastGrant: GrantID = 0
    private(set) var accepted: [Int64] = []
    /// The number of messages with any other outcome.
    private(set) var others = 0
    /// The reports about accounts that are unreachable or refused.
    private(set) var failures: [String] = []
    private var saidHello = false
    private var answers = 0

    init() throws {
        var pair: [Int32] = [-1, -1]
        try #require(unsafe push_socketpair(&pair) == 0)
        link = pair[0]
        let lock = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer {
            close(pair[1])
            close(lock)
        }
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent("pushmta").path
        let arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup(program), strdup("mtachild"), nil]
        defer { for index in unsafe arguments.indices { unsafe free(arguments[index]) } }
        var process: pid_t = 0
        try #require(unsafe push_spawn(program, arguments, pair[1], lock, &process) == 0)
        self.process = process
        try send(
            LinkOrder.welcome(
                WelcomeOrder(generation: 1, capacity: 20_000, maximumAgeSeconds: 600, idleSeconds: 3_600)))
        try receive("it sends hello") { saidHello }
    }

    deinit {
        kill(process, SIGKILL)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        close(link)
    }

    /// Limits the process to this number of descriptors in addition to its open ones.
    func allow(descriptors count: Int) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        let most = try #require(names.compactMap { Int($0) }.max()) + 1 + count
        try limitDescriptors(to: most)
    }

    /// Prevents the process from opening descriptors, even if it has closed one since. Its open descriptors
    /// stay open.
    func allowNoDescriptor() throws {
        // The descriptors below the limit are the standard ones and the link, which the child never closes.
        try limitDescriptors(to: 4)
    }

    private func limitDescriptors(to most: Int) throws {
        // prlimit(2), which the Glibc module does not declare.
        let symbol = unsafe try #require(dlsym(nil, "prlimit"))
        let prlimit = unsafe unsafeBitCast(symbol, to: SetLimits.self)
        var limits = rlimit()
        try #require(unsafe prlimit(process, RLIMIT_NOFILE.rawValue, nil, &limits) == 0)
        limits.rlim_cur = rlim_t(most)
        try #require(unsafe prlimit(process, RLIMIT_NOFILE.rawValue, &limits, nil) == 0)
    }
    private typealias SetLimits =
        @convention(c) (pid_t, UInt32, UnsafePointer<rlimit>?, UnsafeMutablePointer<rlimit>?) -> Int32

    func introduce(_ account: AccountID, _ gateway: GatewayOrder) throws {
        try send(
            LinkOrder.account(
                AccountOrder(
                    account: account, connector: .iosHTTP2, environment: .production,
                    credential: try Gateway.key().opaque, gateway: gateway)))
        var job = Sender.job(bundleID: try Gateway.bundleID)
        (job.job, job.account) = (JobID(account.rawValue), account)
        try send(LinkOrder.job(job))
    }

    /// Waits until the child has received all orders so far, by sending an order that it answers immediately.
    func answerOnce() throws {
        let before = answers
        try send(LinkOrder.pollFeedback(account: AccountID(rawValue: .max)))
        try receive("it took its orders") { answers > before }
    }

    func grant(_ job: JobID, messages: ClosedRange<Int64>) throws {
        lastGrant += 1
        var builder = GrantFrameBuilder(grant: lastGrant, job: job, expectedMessages: messages.count)
        for message in messages {
            let digits = String(message, radix: 16)
            let token = String(repeating: "a", count: 64 - digits.count) + digits
            builder.append(
                MessageID(rawValue: message), id: OpaqueID(high: 1, low: UInt64(message)), integerID: message,
                attempts: 0, token: Array(token.utf8).span, parameters: [UInt8]().span)
        }
        try send(builder.finish())
    }

    private func send(_ order: LinkOrder) throws {
        var writer = ByteWriter()
        order.encode(into: &writer)
        try send(writer.bytes)
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        let end = Date().addingTimeInterval(Patience.seconds)
        while sent < bytes.count {
            try #require(Date() < end, "the child takes nothing")
            let count = unsafe bytes[sent...].withUnsafeBytes {
                unsafe push_send(link, $0.baseAddress!, $0.count)
            }
            if count > 0 { sent += count } else { wait(for: POLLOUT) }
        }
    }

    private func wait(for events: Int32) {
        var item = pollfd(fd: link, events: Int16(events), revents: 0)
        unsafe _ = poll(&item, 1, 1_000)
    }

    /// Receives frames until the condition holds.
    func receive(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation, until condition: () -> Bool
    ) throws {
        let end = Date().addingTimeInterval(Patience.seconds)
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while !condition() {
            try #require(
                Date() < end,
                "never happened: \(what); accepted \(accepted.count), others \(others), \(failures)",
                sourceLocation: sourceLocation)
            wait(for: POLLIN)
            let count = unsafe read(link, &buffer, buffer.count)
            try #require(count != 0, "the child ended before: \(what)", sourceLocation: sourceLocation)
            guard count > 0 else { continue }
            decoder.feed(Array(buffer[..<count]))
            while let frame = try decoder.next() { try take(frame) }
        }
    }

    private func take(_ frame: LinkFrame) throws {
        if frame.kind == .outcomes {
            let outcomes = try OutcomesFrame(frame)
            for (_, messages) in outcomes.accepted { accepted += messages.map(\.rawValue) }
            others += outcomes.others.count
            return
        }
        switch try LinkReport(frame) {
        case .hello: saidHello = true
        case .feedbackEnded: answers += 1
        case .accountNews(let news) where news.kind == .unreachable || news.kind == .refused:
            failures.append(news.text)
        default: break
        }
    }
}
