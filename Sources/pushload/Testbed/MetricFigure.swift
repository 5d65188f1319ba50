internal import Glibc

/// A figure of a service's page of metrics, asked for while nobody else uses the thread.
enum MetricFigure {
    private static let patience = Duration.seconds(10)

    /// - Parameter sample: with its labels.
    /// - Returns: nil where the page has no line of it.
    static func value(of sample: String, on page: String) -> Double? {
        page.split(separator: "\n").first { $0.hasPrefix("\(sample) ") }
            .flatMap { Double($0.dropFirst(sample.utf8.count + 1)) }
    }

    /// - Returns: nil where the page does not come, or has no line of this name.
    static func read(_ name: String, port: Int) -> Double? {
        let line = HTTPLine()
        let request = HTTPRequest("GET", "/metrics", headers: [("Connection", "close")])
        line.begin(request.written(host: "127.0.0.1"), port: port)
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            var polled = pollfd(fd: line.descriptor, events: line.interest, revents: 0)
            guard unsafe poll(&polled, 1, 100) >= 0 else { return nil }
            let isOpen = line.turn(polled.revents)
            if let reply = line.reader.next() {
                return value(of: name, on: String(decoding: reply.body, as: UTF8.self))
            }
            guard isOpen else { return nil }
        }
        return nil
    }
}
