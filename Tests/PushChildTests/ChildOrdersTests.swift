import Glibc
import PushChild
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests orders that arrive during trouble: a changed credential, a clock that was set, and a feedback
/// service to be read.
@Suite struct ChildOrdersTests {
    /// A gateway that accepts connections and never sends a byte.
    private final class SilentGateway {
        let port: UInt16
        private let descriptor: Int32

        init() throws {
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            try #require(descriptor >= 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let descriptor = descriptor
            try #require(
                unsafe withUnsafeMutablePointer(to: &address) { pointer in
                    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        unsafe bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                            && getsockname(descriptor, $0, &length) == 0
                    }
                })
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }
    }

    /// Sets up account 1 with 100 messages that wait for a silent gateway, and account 2, which works.
    private static func waiting(_ gateway: SilentGateway) throws -> MasterEnd {
        let master = try MasterEnd()
        try master.account(
            1, connector: .iosHTTP2, credential: try MasterEnd.credential(), port: gateway.port)
        try master.account(2)
        for number in 1...2 { try master.job(JobID(number), account: AccountID(number)) }
        try master.grant(1, job: 1, messages: 1...100)
        return master
    }

    @Test(arguments: [LinkOrder.recall(account: 1), .retireAccount(1)])
    func
        `when an account changes, its unsubmitted messages are returned, and other accounts are not affected`(
            order: LinkOrder
        ) throws
    {
        let gateway = try SilentGateway()
        let master = try Self.waiting(gateway)
        try master.send(order)
        try master.grant(2, job: 2, messages: 201...300)
        let reported = try master.outcomes(200)
        #expect(reported.requeued.sorted() == Array(1...100))
        #expect(reported.accepted.sorted() == Array(201...300))
        // The child reports nothing, because the master itself ordered this.
        #expect(reported.news.isEmpty)
    }

    @Test func `after a recall, the account continues with the next messages`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.job()
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
        try master.send(.recall(account: 1))
        try master.grant(2, messages: 11...20)
        #expect(try master.outcomes(10).accepted.sorted() == Array(11...20))
    }

    @Test func `messages for a retired account are returned too`() throws {
        let gateway = try SilentGateway()
        let master = try Self.waiting(gateway)
        try master.send(.retireAccount(1))
        #expect(try master.outcomes(100).requeued.count == 100)
        try master.grant(2, job: 1, messages: 101...110)
        #expect(try master.outcomes(10).requeued.sorted() == Array(101...110))
    }

    @Test func `an order about an unknown account changes nothing`() throws {
        let master = try MasterEnd()
        try master.send(.recall(account: 7))
        try master.send(.retireAccount(7))
        try master.account()
        try master.job()
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
    }

    @Test func `after a clock jump, no message expires until a grace period is over`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.send(.clockJumped(graceSeconds: 600))
        try master.job(validFor: -5)
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
        // The next clock jump's grace period ends at once.
        try master.send(.clockJumped(graceSeconds: 0))
        try master.grant(2, messages: 11...20)
        #expect(try master.outcomes(10).requeued.count == 10)
    }

    @Test func `feedback for an account that was not introduced ends immediately, with the reason`() throws {
        let master = try MasterEnd()
        try master.send(.pollFeedback(account: 7))
        let report = try master.next(.feedbackEnded)
        #expect(report == .feedbackEnded(account: 7, failure: "the account is unknown to this child"))
    }

    @Test func `feedback is requested only with a certificate, and an account with a key is refused`() throws
    {
        let master = try MasterEnd()
        try master.account(1, connector: .ios, credential: try MasterEnd.credential())
        try master.send(.pollFeedback(account: 1))
        guard case .feedbackEnded(1, let failure?) = try master.next(.feedbackEnded) else {
            Issue.record("it was read")
            return
        }
        #expect(failure.contains("certificate"))
        // The child continues.
        try master.account(2)
        try master.job(2, account: 2)
        try master.grant(1, job: 2, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
    }
}
