internal import Glibc

/// Requests on so many connections, each asked when one is free, in their order.
///
/// **Promises.** Nothing blocks: ``turn(request:)`` does what can be done at once. Whatever is added ends with an
/// answer or with none, once; whether it is asked again is for the caller to say.
struct RequestPump<Errand> {
    /// An errand that has ended.
    struct Ended {
        var errand: Errand
        /// nil: the connection was lost, or could not be made.
        var reply: HTTPReply?
        /// The pump's ``RequestPump/life`` when it was asked.
        var life: Int
    }

    /// Whoever is asked counts by himself how often he was started; the answer of one life may be read in the next.
    var life = 0
    private let port: Int
    private let lines: [HTTPLine]
    private var carried: [(errand: Errand, life: Int)?]
    private var polled: [pollfd]
    private var waiting: [Errand] = []
    private var first = 0
    private var resting: [(errand: Errand, until: ContinuousClock.Instant)] = []
    private let clock = ContinuousClock()

    /// How long one that is to be asked again rests.
    private static var rest: Duration { .milliseconds(50) }

    init(port: Int, connections: Int) {
        self.port = port
        lines = (0..<connections).map { _ in HTTPLine() }
        carried = Array(repeating: nil, count: connections)
        polled = Array(repeating: pollfd(), count: connections)
    }

    /// Whether nothing is under way, and nothing waits.
    var isIdle: Bool { first == waiting.count && resting.isEmpty && carried.allSatisfy { $0 == nil } }

    mutating func add(_ errand: Errand) { waiting.append(errand) }

    /// Asks it again in a while.
    mutating func addLater(_ errand: Errand) { resting.append((errand, clock.now + Self.rest)) }

    mutating func turn(request: (Errand) -> LoadRequest) -> [Ended] {
        wakeUp()
        for place in lines.indices where carried[place] == nil {
            guard let errand = take() else { break }
            carried[place] = (errand, life)
            lines[place].begin(request(errand).written(host: "127.0.0.1:\(port)"), port: port)
        }
        for (place, line) in lines.enumerated() {
            polled[place] = pollfd(fd: line.descriptor, events: line.interest, revents: 0)
        }
        _ = unsafe poll(&polled, nfds_t(polled.count), 0)
        var ended: [Ended] = []
        for (place, line) in lines.enumerated() {
            let isOpen = line.turn(polled[place].revents)
            let reply = line.next()
            if !isOpen || reply?.isLast == true { line.hangUp() }
            guard let (errand, life) = carried[place], reply != nil || !isOpen else { continue }
            ended.append(Ended(errand: errand, reply: reply, life: life))
            carried[place] = nil
        }
        return ended
    }

    private mutating func wakeUp() {
        guard !resting.isEmpty else { return }
        let now = clock.now
        let awake = resting.prefix { $0.until <= now }
        waiting += awake.map(\.errand)
        resting.removeFirst(awake.count)
    }

    private mutating func take() -> Errand? {
        guard first < waiting.count else { return nil }
        defer {
            first += 1
            if first == waiting.count || first > 10_000 {
                waiting.removeFirst(first)
                first = 0
            }
        }
        return waiting[first]
    }
}

/// A figure of a service's page of metrics.
enum MetricFigure {
    /// - Parameter sample: with its labels.
    /// - Returns: nil where the page has no line of it.
    static func value(of sample: String, on page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("\(sample) ") }
            .flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
    }

    /// - Returns: nil where the page does not come, or has no line of this name.
    static func read(_ name: String, port: Int) -> Double? {
        page(port: port).flatMap { value(of: name, on: $0) }
    }

    /// Asks for it while nobody else uses the thread.
    static func page(port: Int) -> String? {
        var pump = RequestPump<LoadRequest>(port: port, connections: 1)
        pump.add(LoadRequest("GET", "/metrics"))
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end {
            if let ended = pump.turn(request: \.self).first {
                return ended.reply.map { String(decoding: $0.body, as: UTF8.self) }
            }
            usleep(1_000)
        }
        return nil
    }
}
