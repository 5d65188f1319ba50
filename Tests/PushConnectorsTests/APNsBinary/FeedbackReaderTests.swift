import Foundation
import GatewayAPNsBinary
import GatewayKit
import PushConnectors
import PushModel
import PushTransport
import PushWire
import TestSupport
import Testing

/// Tests of how much a feedback service may send, and how fast.
@Suite struct FeedbackReaderTests {
    private final class TupleCollector: FeedbackListener {
        var tuples = 0
        var end: FeedbackEnd?
        func feedback(_ tuples: [FeedbackTuple]) { self.tuples += tuples.count }
        func feedbackEnded(_ end: FeedbackEnd) { self.end = end }
    }

    private struct Reading {
        var tuples = 0
        var end: FeedbackEnd?
        /// The number of turns of the loop.
        var turns = 0
        var seconds = 0.0
    }

    /// - Parameter patience: The time limit for the reader once it has begun.
    private func read(_ tuples: Int, limits: FeedbackReader.Limits, patience: Int64? = nil) throws -> Reading
    {
        let line = "1600000000 \(String(repeating: "ab", count: 32))\n"
        let sink = try BinarySink(feedback: String(repeating: line, count: tuples))
        let order = AccountOrder(
            account: 1, connector: .ios, environment: .production,
            credential: try Gateway.certificate().opaque,
            gateway: try sink.order())
        let (loop, collector) = (try TransportLoop(), TupleCollector())
        var reading = Reading()
        let start = Date()
        let reader = try FeedbackReader(order, loop: loop, listener: collector, limits: limits)
        try withExtendedLifetime(reader) {
            while collector.end == nil, Date().timeIntervalSince(start) < 60 {
                _ = try loop.wait(atMostMilliseconds: 1_000)
                reading.turns += 1
                if let patience, collector.tuples > 0 { reader.finish(withinSeconds: patience) }
            }
        }
        reading.seconds = Date().timeIntervalSince(start)
        (reading.tuples, reading.end) = (collector.tuples, collector.end)
        return reading
    }

    @Test func `a fast service is read completely at a limited rate, without idle loop iterations`() throws {
        var limits = FeedbackReader.Limits()
        limits.tuplesPerSecond = 10_000
        let reading = try read(10_000, limits: limits)
        #expect(reading.end == .complete)
        #expect(reading.tuples == 10_000)
        // The reader exceeds its share by less than one read, and a read contains 400 of these tuples.
        #expect(reading.seconds >= 0.5)
        #expect(reading.turns < 200)
    }

    @Test
    func `stopping a reader does not wait for an endless service, and the reader reports that more exists`()
        throws
    {
        var limits = FeedbackReader.Limits()
        limits.tuplesPerSecond = 100
        let reading = try read(20_000, limits: limits, patience: 0)
        #expect(reading.end == .cut(reason: "it was still sending at the end of its time limit"))
        #expect((1..<20_000).contains(reading.tuples))
        let whole = try read(100, limits: FeedbackReader.Limits(), patience: 10)
        #expect(whole.end == .complete)
    }

    @Test func `reading stops at the maximum for one read, and the reader reports that more data exists`()
        throws
    {
        var limits = FeedbackReader.Limits()
        limits.tuples = 1_000
        let reading = try read(1_001, limits: limits)
        #expect(
            reading.end == .cut(reason: "it reported 1000 devices and did not end: the rest is ignored"))
        #expect(reading.tuples == 1_000)
        #expect(try read(1_000, limits: limits).end == .complete)
    }
}
