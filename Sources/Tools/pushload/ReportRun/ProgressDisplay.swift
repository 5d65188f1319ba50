internal import Glibc

/// Progress on standard error: on a terminal, a bar that is redrawn in place; otherwise, a line for each
/// completed tenth of the task.
final class ProgressDisplay {
    private let isTerminal = isatty(2) == 1
    private var label = ""
    private var begin = ContinuousClock.now
    private var drawn = ContinuousClock.now
    private var tenth = -1
    private static let redrawEvery: Duration = .milliseconds(200)

    /// Begins a new task, whose progress is counted from now.
    func begin(_ label: String) {
        (self.label, begin, drawn, tenth) = (label, .now, .now, -1)
        if isTerminal { draw(ProgressBar(label, fraction: 0, seconds: 0)) } else { Terminal.remark(label) }
    }

    /// - Parameter fraction: The completed fraction, from 0 to 1.
    func show(_ fraction: Double) {
        let now = ContinuousClock.now
        let bar = ProgressBar(label, fraction: fraction, seconds: (now - begin).inSeconds)
        if isTerminal {
            guard now - drawn >= Self.redrawEvery else { return }
            drawn = now
            draw(bar)
        } else if Int(bar.fraction * 10) > tenth, let left = bar.left {
            tenth = Int(bar.fraction * 10)
            Terminal.remark("\(label): \(Int(bar.fraction * 100)) %, \(ProgressBar.clock(left)) left")
        }
    }

    /// Removes the bar.
    func end() { if isTerminal { Self.write("\r\u{1B}[K") } }

    private func draw(_ bar: ProgressBar) { Self.write("\r\(bar.line(width: Self.width - 1))\u{1B}[K") }

    private static var width: Int {
        var size = winsize()
        let isKnown = unsafe ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return isKnown ? Int(size.ws_col) : 80
    }

    private static func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
