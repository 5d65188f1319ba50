import Glibc
package import Testing

/// Waits for conditions, never for a fixed time.
package enum Patience {
    /// A long time for any machine, however busy: anything that has not happened by then will never happen.
    package static let limit: Duration = .seconds(120)
    package static let seconds = Double(limit.components.seconds)

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
    let end = ContinuousClock.now + Patience.limit
    repeat {
        if try condition() { return true }
        usleep(1_000)
    } while ContinuousClock.now < end
    Issue.record("never happened: \(what)", sourceLocation: sourceLocation)
    return false
}

/// The same for a test that lets others run meanwhile.
///
/// - Throws: ``Patience/Exhausted`` if the condition never holds.
package func eventually(
    _ what: String, _ condition: () async throws -> Bool
) async throws {
    let end = ContinuousClock.now + Patience.limit
    while try await !condition() {
        guard ContinuousClock.now < end else { throw Patience.Exhausted("never happened: \(what)") }
        try await Task.sleep(for: .milliseconds(5))
    }
}
