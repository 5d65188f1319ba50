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
        line.begin(
            Array("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".utf8), port: port)
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end, line.descriptor >= 0 {
            var polled = pollfd(fd: line.descriptor, events: line.interest, revents: 0)
            guard unsafe poll(&polled, 1, 100) >= 0 else { return nil }
            switch line.turn(polled.revents) {
            case .nothing: continue
            case .lost: return nil
            case .answered(let reply):
                return value(of: name, on: String(decoding: reply.body, as: UTF8.self))
            }
        }
        return nil
    }
}
