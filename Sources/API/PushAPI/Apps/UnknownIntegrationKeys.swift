package import PushModel
internal import PushStore

/// Lists the integration keys with which devices tried to register although no app of their platform has the
/// key, with the most frequent first. A key that an app has in the meantime is left out.
package struct ListUnknownKeys: ShortOperation, UseCase {
    package static let name = "app.unknown-keys"
    package static let operation = Operation(
        .get, "/unknown-integration-keys", .read,
        "Lists integration keys that devices sent when they registered but that no app has.",
        reach: .instance)
    package static let members: [Member<Self>] = []

    package init() {}

    package func perform(in operations: Operations) throws -> [UnknownKeyView] {
        let apps = try operations.store.catalogue.apps().flatMap { app in
            app.settings.integrationKeys.map {
                (name: app.name, key: UnknownKeyCounts.Key(app.settings.platform, $0))
            }
        }
        let counts = try operations.store.unknownKeys.read()
        let unknown = counts.keys.filter { known in !apps.contains { $0.key == known.key } }
        let sorted = unknown.sorted {
            ($1.value.registrations, $0.key) < ($0.value.registrations, $1.key)
        }
        let views = sorted.map { key, sum in
            UnknownKeyView(
                integrationKey: key.text, platform: key.platform, registrations: sum.registrations,
                firstAt: sum.first, lastAt: sum.last,
                appsOfOtherPlatforms: apps.filter { $0.key.text == key.text }.map(\.name))
        }
        let further = counts.further.map {
            UnknownKeyView(
                integrationKey: nil, platform: nil, registrations: $0.registrations, firstAt: $0.first,
                lastAt: $0.last, appsOfOtherPlatforms: [])
        }
        return views + (further.map { [$0] } ?? [])
    }
}

/// An integration key that no app has.
package struct UnknownKeyView: View, Equatable {
    package static let about = [
        "integrationKey":
            "printable, and shortened to \(UnknownKeyCounts.maximumCharacters) characters; null stands for "
            + "all keys beyond the \(UnknownKeyCounts.maximumKeys) that are counted separately",
        "platform": "the platform of the devices; null if the key is null",
        "registrations": "registrations that were refused because of the key",
        "appsOfOtherPlatforms": "apps that have this key on another platform",
    ]

    package var integrationKey: String?
    package var platform: String?
    package var registrations: Int
    package var firstAt: WallTime
    package var lastAt: WallTime
    package var appsOfOtherPlatforms: [String]
}
