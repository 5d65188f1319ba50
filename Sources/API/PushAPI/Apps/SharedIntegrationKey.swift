internal import PushModel

/// Apps with the same integration key. An app can no longer be given the key of another app, but earlier
/// versions compared keys only within one platform and environment, and stores that contain such apps must
/// continue to work.
struct SharedIntegrationKey {
    let key: String
    /// At least two apps, ordered by name.
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

    /// Returns the names of the apps that share this key with the given app; empty if the app does not have
    /// this key.
    func others(than app: App) -> [String] {
        guard apps.contains(where: { $0.id == app.id }) else { return [] }
        return apps.filter { $0.id != app.id }.map(\.name)
    }

    /// A warning that names the apps that share the key and states how to resolve this.
    var warning: String {
        let names = apps.map(\.name).joined(separator: ", ")
        let isOfOnePlatform = Set(apps.map(\.settings.platform)).count < apps.count
        let effect = isOfOnePlatform ? "; devices that register with it join the production app" : ""
        return
            "apps \(names) have the same integration key\(effect); give each app its own key, "
            + "and rebuild the apps with their keys"
    }
}
