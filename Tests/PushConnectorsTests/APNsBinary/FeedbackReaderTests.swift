import Foundation
import PushConnectors
import PushModel
import PushTransport
import PushWire
import Testing

/// How much a feedback service may say, and how fast.
@Suite struct FeedbackReaderTests {
    private final class Ear: FeedbackListener {
        var tuples = 0
        var end: FeedbackEnd?
        func feedback(_ tuples: [FeedbackTuple]) { self.tuples += tuples.count }
        func feedbackEnded(_ end: FeedbackEnd) { self.end = end }
    }

    private struct Reading {
        var tuples = 0
        var end: FeedbackEnd?
        /// Of the loop.
        var turns = 0
        var seconds = 0.0
    }

    private func read(_ tuples: Int, limits: FeedbackReader.Limits) throws -> Reading {
        let line = "1600000000 \(String(repeating: "ab", count: 32))\n"
        let sink = try BinarySink(feedback: String(repeating: line, count: tuples))
        let order = AccountOrder(
            account: 1, connector: .ios, environment: .production, credential: try Gateway.certificate().opaque,
            gateway: try sink.order())
        let (loop, ear) = (try TransportLoop(), Ear())
        var reading = Reading()
        let start = Date()
        let reader = try FeedbackReader(order, loop: loop, listener: ear, limits: limits)
        try withExtendedLifetime(reader) {
            while ear.end == nil, Date().timeIntervalSince(start) < 60 {
                _ = try loop.wait(atMostMilliseconds: 1_000)
                reading.turns += 1
            }
        }
        reading.seconds = Date().timeIntervalSince(start)
        (reading.tuples, reading.end) = (ear.tuples, ear.end)
        return reading
    }

    @Test func `a service that talks fast is read at our pace, to its end, and without a turn of the loop in vain`()
        throws
    {
        var limits = FeedbackReader.Limits()
        limits.tuplesPerSecond = 10_000
        let reading = try read(10_000, limits: limits)
        #expect(reading.end == .complete)
        #expect(reading.tuples == 10_000)
        // A share is overdrawn by less than one read, which is 400 of these.
        #expect(reading.seconds >= 0.5)
        #expect(reading.turns < 200)
    }

    @Test func `what is enough for one reading ends it, and it is said that there was more`() throws {
        var limits = FeedbackReader.Limits()
        limits.tuples = 1_000
        let reading = try read(1_001, limits: limits)
        #expect(
            reading.end == .cut(reason: "it told of 1000 devices and did not end: no more is believed"))
        #expect(reading.tuples == 1_000)
        #expect(try read(1_000, limits: limits).end == .complete)
    }
}
