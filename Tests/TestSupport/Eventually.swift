import Glibc
package import Testing

/// Waits for conditions, never for a fixed time.
package enum Patience {
    /// A long time for any machine, however busy: anything that has not happened by then will never happen.
    package static let limit: Duration = .seconds(120)
    package static let seconds = Double(limit.components.seconds)

    /// The pause after a check that took this long. Many checks start a process: without a pause in proportion,
    /// tests that wait would occupy the processors that the awaited work needs.
    static func pause(after check: Duration, shortest: Duration) -> Duration {
        min(max(shortest, check * 4), .milliseconds(500))
    }

    /// The condition that a test waited for in vain.
    package struct Exhausted: Error, CustomStringConvertible {
        package let description: String
        package init(_ description: String) { self.description = description }
    }
}

/// Waits on this thread until the condition holds. Records an issue if it does not hold in time.
@discardableResult
package func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + Patience.limit
    repeat {
        let start = clock.now
        if try condition() { return true }
        let pause = Patience.pause(after: clock.now - start, shortest: .milliseconds(1))
        usleep(UInt32(pause / .microseconds(1)))
    } while clock.now < end
    Issue.record("never happened: \(what)", sourceLocation: sourceLocation)
    return false
}

/// The same for a test that lets others run meanwhile.
///
/// - Throws: ``Patience/Exhausted`` if the condition never holds.
package func eventually(
    _ what: String, _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + Patience.limit
    while true {
        let start = clock.now
        if try await condition() { return }
        guard clock.now < end else { throw Patience.Exhausted("never happened: \(what)") }
        try await Task.sleep(for: Patience.pause(after: clock.now - start, shortest: .milliseconds(5)))
    }
}
