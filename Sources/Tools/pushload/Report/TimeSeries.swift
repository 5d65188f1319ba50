/// What was seen of a run in one interval.
package struct Sample: Equatable, Sendable {
    /// Since the first arrival was due, seconds.
    package var begin: Double
    package var end: Double
    /// Messages that came to their end: sent or failed.
    package var ended = 0
    /// Attempts after which a message is tried again.
    package var retried = 0
    /// Devices that registered.
    package var registered = 0
    /// Messages that arrived and have not ended, at most.
    package var waiting = 0
    /// Messages that wait for their gateway's answer, at most, as children reported it last: once a second.
    package var inFlight = 0
    /// Seconds of each process and stage.
    package var cpu: [Stage: Double] = [:]
    /// Resident at the end, bytes, by process.
    package var memory: [String: Int] = [:]
    /// Of the store on its disk at the end, its log included.
    package var storeBytes = 0
    /// Of messages that ended: from when they were due to their end, milliseconds.
    package var latency = Histogram()
    /// Of registrations: from when they were due to their answer, milliseconds.
    package var registrationLatency = Histogram()

    /// A thread of a process, by the name that the program gives it.
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

    /// Cores in use.
    package var coresByProcess: [String: Double] {
        guard seconds > 0 else { return [:] }
        return cpu.reduce(into: [:]) { $0[$1.key.process, default: 0] += $1.value / seconds }
    }

    /// Takes in the sample after this one. Of what is told for a moment the greater stays: a peak is what one
    /// looks for.
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

/// Samples one after the other, in bounded memory: where there are too many, each two become one.
package struct TimeSeries: Equatable, Sendable {
    package private(set) var samples: [Sample] = []
    /// How many samples that were appended make one of these.
    package private(set) var joined = 1
    /// The last of them has so many.
    private var inLast = 0
    private let most: Int

    /// - Parameter most: samples that are kept, an even number.
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

    /// All of them are whole, and there is an even number.
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
    package var mostWaiting: Int { samples.map(\.waiting).max() ?? 0 }
    package var mostInFlight: Int { samples.map(\.inFlight).max() ?? 0 }

    package var latency: Histogram { samples.reduce(into: Histogram()) { $0 += $1.latency } }
    package var registrationLatency: Histogram {
        samples.reduce(into: Histogram()) { $0 += $1.registrationLatency }
    }

    /// Seconds of each process and stage.
    package var cpu: [Sample.Stage: Double] {
        samples.reduce(into: [:]) { $0.merge($1.cpu, uniquingKeysWith: +) }
    }

    /// The most that each process had resident, bytes.
    package var peakMemory: [String: Int] {
        samples.reduce(into: [:]) { $0.merge($1.memory, uniquingKeysWith: max) }
    }
}
