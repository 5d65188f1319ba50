package import GRDB

/// A store's file as another program opens it. It waits while the store is being written, for as long as a
/// test on a busy machine may need.
package enum StoreFile {
    package static func open(
        _ path: String, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        change(&configuration)
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
