package import PushModel
internal import PushStore

/// An app's integration key, and its use while the app has two.
package struct IntegrationKeyState: View, Equatable {
    package static let about = [
        "since": "the time since which registrations are counted",
        "lastAt": "the time of the last registration; null if there was none",
        "isInUse": "whether less than \(quietDays) days have passed since the last registration or, if there "
            + "was none, since counting began",
    ]
    /// The number of days without a registration after which a key counts as unused.
    package static let quietDays: Int64 = 30

    package var key: String
    package var registrations: Int
    package var since: WallTime
    package var lastAt: WallTime?
    package var isInUse: Bool

    init(_ use: IntegrationKeyUse, now: WallTime) {
        (key, registrations, since, lastAt) = (use.key, use.registrations, use.since, use.last)
        isInUse = now.seconds(since: use.last ?? use.since) < Self.quietDays * 86_400
    }

    /// A text such as `12 registrations since 2026-11-01T08:00:00Z, the last at 2026-11-21T10:00:00Z`.
    package var use: String {
        let last = lastAt.map { ", the last at \($0.utcText)" } ?? ""
        return "\(Numerals.count(registrations, "registration")) since \(since.utcText)\(last)"
    }
}

extension Operations {
    /// Returns the keys of an app that has two; otherwise an empty list.
    func integrationKeys(of app: App) throws -> [IntegrationKeyState] {
        try store.catalogue.integrationKeyUse(of: app).map {
            IntegrationKeyState($0, now: clock.moment().time)
        }
    }
}

extension UpdateApp {
    /// Adds and retires integration keys. A key is retired first, so that one request can do both.
    /// - Returns: A warning if devices still register with the retired key.
    func changeKeys(
        of app: App, _ settings: inout AppSettings, in operations: Operations
    ) throws -> [String] {
        var warnings: [String] = []
        if let key = retiredIntegrationKey {
            let remaining = settings.integrationKeys.filter { ExactText($0) != ExactText(key) }
            guard remaining.count < settings.integrationKeys.count else {
                throw OperationError.refused(
                    "app \(app.name) has no integration key \(key.printable(atMost: 128)); "
                        + "\(see: ShowApp(name: app.name)) shows its keys")
            }
            guard let left = remaining.first else {
                throw OperationError(
                    .conflict,
                    "\(key) is the only integration key of app \(app.name); add another key first, with "
                        + "\(command: "--add-integration-key", api: "addedIntegrationKey")")
            }
            (settings.integrationKey, settings.formerIntegrationKey) = (left, nil)
            let state = try operations.integrationKeys(of: app).first { ExactText($0.key) == ExactText(key) }
            if let state, state.isInUse { warnings.append(state.retirementWarning) }
        }
        if let key = addedIntegrationKey {
            try NameRule.check(key, "the integration key")
            if let former = settings.formerIntegrationKey {
                throw OperationError(
                    .conflict,
                    "app \(app.name) already has two integration keys, \(settings.integrationKey) and "
                        + "\(former); retire one of them first, with "
                        + "\(command: "--retire-integration-key", api: "retiredIntegrationKey")")
            }
            settings.formerIntegrationKey = settings.integrationKey
            settings.integrationKey = key
        }
        if let former = settings.formerIntegrationKey,
            ExactText(former) == ExactText(settings.integrationKey)
        {
            throw OperationError(
                .conflict, "app \(app.name) already has the integration key \(former); choose another key")
        }
        return warnings
    }
}

extension IntegrationKeyState {
    fileprivate var retirementWarning: String {
        "the retired integration key \(key) may still be in use (\(use)): builds of the app that have it can "
            + "no longer register; to let them register, add the key again"
    }
}
