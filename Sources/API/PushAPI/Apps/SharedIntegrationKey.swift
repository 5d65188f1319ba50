internal import PushModel

/// Apps with the same integration key. No app can be given another one's key, but earlier versions compared keys within
/// one platform and environment only, and their stores keep working.
struct SharedIntegrationKey {
    let key: String
    /// At least two, by name.
    let apps: [App]

    static func all(among apps: [App]) -> [SharedIntegrationKey] {
        Dictionary(grouping: apps) { ExactText($0.settings.integrationKey) }.values
            .filter { $0.count > 1 }
            .map {
                SharedIntegrationKey(
                    key: $0[0].settings.integrationKey, apps: $0.sorted { $0.name < $1.name })
            }
            .sorted { $0.key < $1.key }
    }

    /// The other apps with this key; empty if it is not this app's key.
    func others(than app: App) -> [String] {
        guard apps.contains(where: { $0.id == app.id }) else { return [] }
        return apps.filter { $0.id != app.id }.map(\.name)
    }

    /// What is ambiguous, and what to do.
    var warning: String {
        let names = apps.map(\.name).joined(separator: ", ")
        let isOfOnePlatform = Set(apps.map(\.settings.platform)).count < apps.count
        let effect = isOfOnePlatform ? "; devices that register with it join the app in production" : ""
        return
            "apps \(names) have the same integration key\(effect): give each its own, "
            + "and build the apps with it"
    }
}
