internal import Glibc
internal import PushAPI
internal import PushMaster
internal import PushModel

/// One run of `top`. It turns the user's keys and the master's reports into screens.
struct TopSession {
    private let probe: TopProbe
    private let terminal = TopTerminal()
    private let interruption: Interruption
    private var screen: TopScreen
    private var decoder = TopKeyDecoder()
    private var rates = TopRates()

    /// The maximum wait, in milliseconds. A signal that arrives just before the wait begins is noticed only
    /// when the wait ends.
    private static let waitMilliseconds: Int32 = 1_000

    /// - Parameter intervalSeconds: A value within ``Top/intervals``.
    init(_ instance: Instance, intervalSeconds: Double) throws {
        screen = TopScreen(intervalSeconds: intervalSeconds)
        interruption = Interruption(SIGINT, SIGTERM, SIGHUP)
        // The size is read again each time the screen is drawn; the handler does nothing, so the signal only
        // ends the wait.
        signal(SIGWINCH) { _ in }
        probe = try TopProbe(instance, intervalMilliseconds: Int64(intervalSeconds * 1_000))
    }

    /// Runs until the user quits or the terminal is gone.
    mutating func run() throws {
        try terminal.take()
        defer { terminal.restore() }
        while true {
            try terminal.draw(screen.lines(terminal.size))
            let isThere = wait()
            if interruption.isPending {
                terminal.restore()
                interruption.obey()
            }
            for news in probe.news.take() { take(news) }
            guard isThere, let typed = terminal.typed() else { return }
            for key in decoder.keys(in: typed) {
                if key == .quit { return }
                obey(key)
            }
        }
    }

    /// Waits until there is input or news, or until it is time to check the terminal's size.
    /// - Returns: Whether the terminal still exists.
    private func wait() -> Bool {
        var items = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: probe.news.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        unsafe _ = poll(&items, 2, Self.waitMilliseconds)
        return Int32(items[0].revents) & (Int32(POLLHUP) | Int32(POLLERR) | Int32(POLLNVAL)) == 0
    }

    private mutating func take(_ news: TopProbe.Update) {
        switch news {
        case .status(let status, let moment):
            rates.note(status, at: moment)
            screen.show(status, rates: rates.perSecond)
        case .failure(let why):
            rates.forget()
            screen.lose(because: why)
        case .done(let line): screen.message = line
        }
    }

    private mutating func obey(_ key: TopKey) {
        switch key {
        case .up: screen.select(.up)
        case .down: screen.select(.down)
        case .home: screen.select(.first)
        case .end: screen.select(.last)
        case .pause: pauseOrResume()
        case .longer: change(interval: screen.intervalSeconds * 2)
        case .shorter: change(interval: screen.intervalSeconds / 2)
        case .redraw, .quit: break
        }
    }

    private mutating func pauseOrResume() {
        guard let delivery = screen.selected else {
            screen.message = "no delivery is selected"
            return
        }
        let isPaused = delivery.state == .paused
        screen.message = "\(isPaused ? "resuming" : "pausing") delivery \(delivery.id)"
        probe.send(isPaused ? .resume(delivery.id) : .pause(delivery.id))
    }

    private mutating func change(interval seconds: Double) {
        screen.intervalSeconds = min(max(seconds, Top.intervals.lowerBound), Top.intervals.upperBound)
        probe.send(.interval(milliseconds: Int64(screen.intervalSeconds * 1_000)))
    }
}
