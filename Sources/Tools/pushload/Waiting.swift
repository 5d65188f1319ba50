internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Waiting for conditions, never for time: asks until the answer is there, with naps of an eighth of what was
/// waited, up to a fiftieth of a second.
package enum Waiting {
    /// Long for any machine, however busy: who waits for it has found a fault, not a slow machine.
    package static let patience: Duration = .seconds(120)
    private static let shortestNap: Duration = .milliseconds(1)
    package static let longestNap: Duration = .milliseconds(20)
    /// Where each question is a process, which costs as much as that nap, and what is waited for stays.
    static let longestNapBetweenCommands: Duration = .milliseconds(200)

    /// - Parameters:
    ///   - what: names the condition in the error.
    ///   - longestNap: longer where the question itself costs what is being measured.
    /// - Throws: ``LoadError`` with what `seen` says at the end.
    package static func until<Answer>(
        _ what: String, within limit: Duration = patience, longestNap: Duration = Waiting.longestNap,
        seen: () -> String = { "" }, _ answer: () async throws -> Answer?
    ) async throws -> Answer {
        let clock = ContinuousClock()
        let begin = clock.now
        let deadline = begin.advanced(by: limit)
        while true {
            try Interruption.check()
            if let answer = try await answer() { return answer }
            guard clock.now < deadline else { throw LoadError.timedOut(what, after: limit, last: seen()) }
            try await Task.sleep(for: min(max((clock.now - begin) / 8, shortestNap), longestNap))
        }
    }
}

/// SIGINT and SIGTERM end every wait, so that processes are ended and folders removed also then.
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

/// The machine's clock, which also the gateways' logs and the database have.
enum Moment {
    /// Milliseconds since 1970.
    static var now: Int { Int(Date().timeIntervalSince1970 * 1_000) }
}
