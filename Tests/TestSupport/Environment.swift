import Foundation

/// Values that `make` sets for tests that are short by default.
package enum Environment {
    package static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
