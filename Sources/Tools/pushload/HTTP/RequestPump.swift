internal import Glibc

/// Requests on a fixed number of connections. The requests are sent in order, each as soon as a connection is
/// free.
///
/// **Promises.** No call blocks: ``turn(request:)`` does what is possible immediately. Every added request
/// ends once, with or without an answer. The caller decides whether to repeat it.
struct RequestPump<WorkItem> {
    /// A request that has ended.
    struct Ended {
        var workItem: WorkItem
        /// The answer; `nil` if the connection was lost or could not be established.
        var reply: HTTPReply?
        /// The pump's ``RequestPump/life`` when the request was sent.
        var life: Int
    }

    /// The number of times that the server was started. The caller updates this number. An answer that the
    /// server sent before a restart may be read after the restart.
    var life = 0
    private let port: Int
    private let lines: [HTTPClient]
    private var carried: [(workItem: WorkItem, life: Int)?]
    private var polled: [pollfd]
    private var waiting: [WorkItem] = []
    private var first = 0
    private var resting: [(workItem: WorkItem, until: ContinuousClock.Instant)] = []
    private let clock = ContinuousClock()

    /// The pause before a request is repeated.
    private static var rest: Duration { .milliseconds(50) }

    init(port: Int, connections: Int) {
        self.port = port
        lines = (0..<connections).map { _ in HTTPClient() }
        carried = Array(repeating: nil, count: connections)
        polled = Array(repeating: pollfd(), count: connections)
    }

    /// Whether no request is under way or waiting.
    var isIdle: Bool { first == waiting.count && resting.isEmpty && carried.allSatisfy { $0 == nil } }

    mutating func add(_ workItem: WorkItem) { waiting.append(workItem) }

    /// Repeats a request after a pause.
    mutating func addLater(_ workItem: WorkItem) { resting.append((workItem, clock.now + Self.rest)) }

    mutating func turn(request: (WorkItem) -> LoadRequest) -> [Ended] {
        wakeUp()
        for place in lines.indices where carried[place] == nil {
            guard let workItem = take() else { break }
            carried[place] = (workItem, life)
            lines[place].begin(request(workItem).written(host: "127.0.0.1:\(port)"), port: port)
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
            guard let (workItem, life) = carried[place], reply != nil || !isOpen else { continue }
            ended.append(Ended(workItem: workItem, reply: reply, life: life))
            carried[place] = nil
        }
        return ended
    }

    private mutating func wakeUp() {
        guard !resting.isEmpty else { return }
        let now = clock.now
        let awake = resting.prefix { $0.until <= now }
        waiting += awake.map(\.workItem)
        resting.removeFirst(awake.count)
    }

    private mutating func take() -> WorkItem? {
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

/// A figure on a service's metrics page.
enum MetricFigure {
    /// - Parameter sample: The name of the sample, with its labels.
    /// - Returns: `nil` if the page has no line for the sample.
    static func value(of sample: String, on page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("\(sample) ") }
            .flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
    }

    /// - Returns: `nil` if the page cannot be read or has no line with this name.
    static func read(_ name: String, port: Int) -> Double? {
        page(port: port).flatMap { value(of: name, on: $0) }
    }

    /// Requests the page and blocks the thread until it arrives.
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
