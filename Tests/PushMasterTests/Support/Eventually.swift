import Foundation
import Testing

/// Waits until the condition holds; records an issue when it does not within a time that is long for any machine.
@discardableResult
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) rethrows -> Bool {
    let end = Date().addingTimeInterval(30)
    while Date() < end {
        if try condition() { return true }
        usleep(1_000)
    }
    Issue.record("never happened: \(what)", sourceLocation: sourceLocation)
    return false
}
