internal import PushMaster
internal import PushModel
internal import PushSystem

/// One line at the foot of a terminal that says how far long work is; nothing where standard error is no
/// terminal.
struct ProgressLine {
    private var lastShown: MonotonicTime?
    private var isShowing = false

    /// - Parameter text: asked for only when it is shown: a few times a second.
    mutating func show(_ text: () -> String) {
        guard StandardError.isTerminal else { return }
        let now = Clocks.monotonic()
        if let lastShown, now.milliseconds(since: lastShown) < 200 { return }
        lastShown = now
        isShowing = true
        StandardError.write("\r\u{1B}[K" + text())
    }

    /// Makes room for other output.
    mutating func clear() {
        guard isShowing else { return }
        StandardError.write("\r\u{1B}[K")
        isShowing = false
    }
}
