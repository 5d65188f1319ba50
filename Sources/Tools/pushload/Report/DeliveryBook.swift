/// The deliveries that arrived, the time at which each delivery was due, and the number of each delivery's
/// messages that have not ended.
package struct DeliveryBook: Equatable, Sendable {
    private struct Entry: Equatable {
        var due: Int
        var left: Int
    }

    private var open: [Int: Entry] = [:]
    private var known: [Int: Int] = [:]
    /// Log lines of deliveries whose numbers are not known yet. The engine may write a log line before it
    /// answers the submission of the delivery.
    private var early: [AttemptLine] = []
    /// The numbers of the deliveries, in the order in which they were accepted.
    package private(set) var deliveries: [Int] = []
    /// Messages that have ended, according to the log.
    package private(set) var ended = 0
    /// Messages of ended deliveries for which no line arrived.
    package private(set) var missingLines = 0

    package init() {}

    /// Messages of all accepted deliveries that have not ended.
    package private(set) var waiting = 0

    package var openDeliveries: [Int] { open.keys.sorted() }

    /// - Parameters:
    ///   - due: The time at which the delivery was due, in milliseconds since 1970.
    ///   - sample: Receives those lines of the delivery that were read from the log before the delivery was
    ///     accepted.
    package mutating func accept(_ delivery: Int, due: Int, messages: Int, into sample: inout Sample) {
        guard known[delivery] == nil else { return }
        deliveries.append(delivery)
        known[delivery] = due
        waiting += messages
        if messages > 0 { open[delivery] = Entry(due: due, left: messages) }
        let lines = early
        early = []
        for line in lines { note(line, into: &sample) }
    }

    package mutating func note(_ line: AttemptLine, into sample: inout Sample) {
        guard let due = known[line.delivery] else {
            early.append(line)
            return
        }
        switch line.outcome {
        case .retrying: sample.retried += 1
        case .other: break
        case .sent, .failed:
            sample.ended += 1
            sample.latency.record(line.time - due)
            ended += 1
            guard var entry = open[line.delivery] else { return }
            entry.left -= 1
            waiting -= 1
            open[line.delivery] = entry.left > 0 ? entry : nil
        }
    }

    /// Records that the whole delivery has ended according to the engine. No further lines are expected.
    package mutating func close(_ delivery: Int) {
        guard let entry = open.removeValue(forKey: delivery) else { return }
        missingLines += entry.left
        waiting -= entry.left
    }
}
