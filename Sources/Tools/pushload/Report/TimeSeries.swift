/// The observations of a run in one interval.
package struct Sample: Equatable, Sendable {
    /// The time since the first arrival was due, in seconds.
    package var begin: Double
    package var end: Double
    /// The number of messages that have ended: sent or failed.
    package var ended = 0
    /// The number of attempts after which the engine will try the message again.
    package var retried = 0
    /// The number of devices that registered.
    package var registered = 0
    /// The maximum number of messages that had arrived but not ended.
    package var waiting = 0
    /// The maximum number of messages that waited for their gateway's answer, as last reported by the
    /// children. Children report this number once per second.
    package var inFlight = 0
    /// The CPU seconds of each process and stage.
    package var cpu: [Stage: Double] = [:]
    /// The resident memory at the end of the interval, in bytes, by process.
    package var memory: [String: Int] = [:]
    /// The size of the store on disk at the end of the interval, in bytes, including the store's log.
    package var storeBytes = 0
    /// The latencies of messages that ended, measured from their due time to their end, in milliseconds.
    package var latency = Histogram()
    /// The latencies of registrations, measured from their due time to their answer, in milliseconds.
    package var registrationLatency = Histogram()

    /// A thread of a process, under the name that the program gives it.
    package struct Stage: Hashable, Comparable, Sendable {
        package var process: String
        package var thread: String

        package init(_ process: String, _ thread: String) { (self.process, self.thread) = (process, thread) }

        package static func < (one: Stage, other: Stage) -> Bool {
            (one.process, one.thread) < (other.process, other.thread)
        }
    }

    package init(from begin: Double, to end: Double) { (self.begin, self.end) = (begin, end) }

    package var seconds: Double { end - begin }
    package var endedPerSecond: Double { seconds > 0 ? Double(ended) / seconds : 0 }
    package var registeredPerSecond: Double { seconds > 0 ? Double(registered) / seconds : 0 }

    /// The number of cores in use, by process.
    package var coresByProcess: [String: Double] {
        guard seconds > 0 else { return [:] }
        return cpu.reduce(into: [:]) { $0[$1.key.process, default: 0] += $1.value / seconds }
    }

    /// Adds the sample that follows this sample. Of two momentary values, the greater is kept, because
    /// readers look for peaks.
    mutating func join(_ next: Sample) {
        end = next.end
        ended += next.ended
        retried += next.retried
        registered += next.registered
        waiting = max(waiting, next.waiting)
        inFlight = max(inFlight, next.inFlight)
        cpu.merge(next.cpu, uniquingKeysWith: +)
        memory.merge(next.memory, uniquingKeysWith: max)
        storeBytes = max(storeBytes, next.storeBytes)
        latency += next.latency
        registrationLatency += next.registrationLatency
    }
}

/// Consecutive samples in bounded memory. If there are too many samples, each pair of adjacent samples is
/// joined into one.
package struct TimeSeries: Equatable, Sendable {
    package private(set) var samples: [Sample] = []
    /// The number of appended samples that are joined into one sample of the series.
    package private(set) var joined = 1
    /// The number of appended samples in the last sample of the series.
    private var inLast = 0
    private let most: Int

    /// - Parameter most: The maximum number of samples. An odd number is rounded up.
    package init(most: Int = 240) { self.most = max(2, most + most % 2) }

    package mutating func append(_ sample: Sample) {
        if inLast < joined, let last = samples.indices.last {
            samples[last].join(sample)
            inLast += 1
            return
        }
        if samples.count == most { halve() }
        samples.append(sample)
        inLast = 1
    }

    /// Joins each pair of adjacent samples. All samples are complete, and their number is even.
    private mutating func halve() {
        samples = stride(from: 0, to: samples.count, by: 2).map { place in
            var pair = samples[place]
            pair.join(samples[place + 1])
            return pair
        }
        joined *= 2
    }

    // MARK: Over all of it

    package var seconds: Double { (samples.last?.end ?? 0) - (samples.first?.begin ?? 0) }
    package var ended: Int { samples.sum(of: \.ended) }
    package var registered: Int { samples.sum(of: \.registered) }
    package var retried: Int { samples.sum(of: \.retried) }
    package var maxWaiting: Int { samples.map(\.waiting).max() ?? 0 }
    package var maxInFlight: Int { samples.map(\.inFlight).max() ?? 0 }

    package var latency: Histogram { samples.reduce(into: Histogram()) { $0 += $1.latency } }
    package var registrationLatency: Histogram {
        samples.reduce(into: Histogram()) { $0 += $1.registrationLatency }
    }

    /// The CPU seconds of each process and stage.
    package var cpu: [Sample.Stage: Double] {
        samples.reduce(into: [:]) { $0.merge($1.cpu, uniquingKeysWith: +) }
    }

    /// The maximum resident memory of each process, in bytes.
    package var peakMemory: [String: Int] {
        samples.reduce(into: [:]) { $0.merge($1.memory, uniquingKeysWith: max) }
    }
}
