import PushModel
import PushWire
import TestSupport
import Testing

/// Tests how a child handles stopped deliveries.
@Suite struct ChildWithdrawalTests {
    private let one = DeliveryID(rawValue: 1)

    @Test
    func `messages that no gateway has received are returned, and the child then reports none on the wire`()
        throws
    {
        let master = try MasterEnd()
        // An unreachable gateway, so no request can begin.
        try master.account(
            1, connector: .iosHTTP2, credential: try MasterEnd.credential(), port: 1)
        try master.job(1, delivery: 1)
        try master.job(2, delivery: 2)
        try master.send(
            MasterEnd.grant(1, job: 1, messages: 1...100) + MasterEnd.grant(2, job: 2, messages: 101...110)
                + Self.bytes(.withdraw(one)))
        let report = try master.next(.withdrawn)
        #expect(report == .withdrawn(one, inFlight: 0))
    }

    @Test func `all begun messages are answered, and later messages from the delivery are returned`() throws {
        let master = try MasterEnd()
        try master.account()
        try master.job(1, delivery: 1)
        try master.job(2, delivery: 2)
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
        try master.send(.withdraw(one))
        #expect(try master.next(.withdrawn) == .withdrawn(one, inFlight: 0))
        // A real master would not do this.
        try master.grant(2, job: 1, messages: 11...20)
        #expect(try master.outcomes(10).requeued.sorted() == Array(11...20))
        try master.grant(3, job: 2, messages: 21...30)
        #expect(try master.outcomes(10).accepted.sorted() == Array(21...30))
        // When its last job for the delivery is retired, the child forgets the delivery: failed messages may
        // be sent again later.
        try master.send(.retireJob(1))
        try master.job(3, delivery: 1)
        try master.grant(4, job: 3, messages: 31...40)
        #expect(try master.outcomes(10).accepted.sorted() == Array(31...40))
    }

    @Test func `the withdrawal of an unknown delivery is answered and then forgotten`() throws {
        let master = try MasterEnd()
        try master.send(.withdraw(one))
        #expect(try master.next(.withdrawn) == .withdrawn(one, inFlight: 0))
        try master.account()
        try master.job(1, delivery: 1)
        try master.grant(1, messages: 1...10)
        #expect(try master.outcomes(10).accepted.count == 10)
    }

    private static func bytes(_ order: LinkOrder) -> [UInt8] {
        var writer = ByteWriter()
        order.encode(into: &writer)
        return writer.bytes
    }
}
