import Foundation

/// What `make` asks of stories that tests tell in short.
package enum Environment {
    package static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }
}
