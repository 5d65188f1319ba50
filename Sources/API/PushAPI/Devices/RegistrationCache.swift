internal import PushModel
internal import Synchronization

/// A cache of the apps that devices register with, so that not every registration reads its app from the
/// store.
///
/// A change to an app that this process carries out takes effect immediately. A change that another process
/// carries out takes effect within a second.
package final class RegistrationCache: Sendable {
    struct AppName: Hashable, Sendable {
        var platform: Platform
        var integrationKey: String
    }
    struct KnownApp: Sendable {
        var id: AppID
        var name: String
        var parameters: [ParameterDeclaration]
        /// Whether registrations are counted by integration key, because the app has two.
        var countsKeys: Bool
        var read: MonotonicTime
    }
    private struct State {
        var apps: [AppName: KnownApp] = [:]
        /// The number of changes to apps that this process has carried out.
        var changes = 0
    }

    private static let freshSeconds: Int64 = 1
    /// The maximum number of apps that are kept in memory. Only existing apps are kept, so more are not
    /// expected.
    private static let maxApps = 10_000

    private let state = Mutex(State())
    /// The recent requests of devices to this process.
    let devices = DeviceWatch()

    package init() {}

    /// Changes whenever this process has changed an app.
    var changes: Int { state.withLock(\.changes) }

    /// - Returns: `nil` if the app must be read from the store.
    func app(_ name: AppName, at now: MonotonicTime) -> KnownApp? {
        guard let known = state.withLock({ $0.apps[name] }),
            now < known.read.advanced(bySeconds: Self.freshSeconds)
        else { return nil }
        return known
    }

    /// - Parameter changes: The value of ``changes`` before the app was read. If it has changed since then,
    ///   what was read may be outdated and is not kept.
    func keep(_ app: KnownApp, as name: AppName, unlessChangedSince changes: Int) {
        state.withLock { state in
            guard state.changes == changes else { return }
            if state.apps.count >= Self.maxApps { state.apps.removeAll() }
            state.apps[name] = app
        }
    }

    func forget(_ name: AppName) { state.withLock { $0.apps[name] = nil } }

    func forgetAll() {
        state.withLock { state in
            state.apps.removeAll()
            state.changes += 1
        }
    }
}
