internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Waits for conditions, never for a fixed time. Each wait checks its condition repeatedly and sleeps between
/// checks for an eighth of the time waited so far. The pause is at most a fiftieth of a second, or twice the
/// duration of the check if that is longer: a check that runs a process must not occupy the processors that
/// the awaited work needs.
package enum Waiting {
    /// The maximum wait. It is long enough for any machine, however busy, so a longer wait indicates a fault
    /// and not a slow machine.
    package static let patience: Duration = .seconds(120)
    private static let minPollInterval: Duration = .milliseconds(1)
    package static let maxPollInterval: Duration = .milliseconds(20)
    /// The maximum pause between checks if each check runs a process, which takes about as long as this
    /// pause, and if the expected state is permanent.
    static let maxCommandInterval: Duration = .milliseconds(200)

    /// - Parameters:
    ///   - what: The name of the condition in the error.
    ///   - maxPollInterval: The maximum pause between checks that take little time. It should be longer if
    ///     the check itself uses the resource that is measured.
    /// - Throws: ``LoadError`` with the result of `seen` at the end.
    package static func until<Answer>(
        _ what: String, within limit: Duration = patience,
        maxPollInterval: Duration = Waiting.maxPollInterval,
        seen: () -> String = { "" }, _ answer: () async throws -> Answer?
    ) async throws -> Answer {
        let clock = ContinuousClock()
        let begin = clock.now
        let deadline = begin.advanced(by: limit)
        while true {
            try Interruption.check()
            let check = clock.now
            if let answer = try await answer() { return answer }
            let now = clock.now
            guard now < deadline else { throw LoadError.timedOut(what, after: limit, last: seen()) }
            let longest = max(maxPollInterval, (now - check) * 2)
            try await Task.sleep(for: min(max((now - begin) / 8, minPollInterval), longest))
        }
    }
}

/// Ends every wait after SIGINT or SIGTERM, so that processes are ended and folders are removed after these
/// signals, too.
package enum Interruption {
    private static let isPending = Atomic(false)

    package static func listen() {
        for number in [SIGINT, SIGTERM] {
            _ = signal(number) { _ in Interruption.isPending.store(true, ordering: .relaxed) }
        }
    }

    package static func check() throws {
        if isPending.load(ordering: .relaxed) { throw LoadError.interrupted }
    }
}

extension Duration {
    package var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// The machine's wall clock, which the gateways' logs and the database also use.
enum EpochTime {
    /// The current time in milliseconds since 1970.
    static var now: Int { Int(Date().timeIntervalSince1970 * 1_000) }
}
