internal import PushConnectors
internal import PushModel

/// The apps of a delivery in groups: the apps of a group get the same messages, except for ids and header
/// fields, so the content is checked once for each group. A service can have a thousand apps that differ only
/// in their names and keys.
struct AppGroups {
    let apps: [App]
    /// The first app of each group, in the order of the apps.
    private(set) var firsts: [App] = []
    /// The place of each app's group in ``firsts``.
    private(set) var places: [Int] = []

    init(_ apps: [App]) {
        self.apps = apps
        var known: [Key: Int] = [:]
        for app in apps {
            let key = Key(settings: ConnectorCatalogue.messageSettings(of: app.settings))
            let group = known[key] ?? firsts.count
            if group == firsts.count {
                known[key] = group
                firsts.append(app)
            }
            places.append(group)
        }
    }

    /// What distinguishes groups. Hashing whole lists would take longer than comparing them, because similar
    /// apps share them.
    private struct Key: Hashable {
        let settings: AppSettings

        func hash(into hasher: inout Hasher) {
            hasher.combine(settings.connector)
            hasher.combine(settings.credentialIdentity)
            for list in [settings.variables.count, settings.sounds.count, settings.parameters.count] {
                hasher.combine(list)
            }
        }
    }

    /// Returns each app with what a check finds in the first app of its group, unless it finds nothing.
    func findings<Finding: Collection>(_ check: (App) -> Finding) -> [(app: App, finding: Finding)] {
        let findings = firsts.map(check)
        guard findings.contains(where: { !$0.isEmpty }) else { return [] }
        return zip(apps, places).compactMap { app, place in
            findings[place].isEmpty ? nil : (app, findings[place])
        }
    }
}
