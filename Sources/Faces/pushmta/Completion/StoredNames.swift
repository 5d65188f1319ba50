internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore

/// What a shell offers for names that are in the store.
extension CompletionKind {
    static let appNames = names { try $0.catalogue.apps().map(\.name) }
    static let serviceNames = names { try $0.catalogue.services().map(\.name) }
    static let webhookNames = names { try $0.webhooks.list().map(\.order.name) }
    /// Of all services.
    static let templateNames = names { store in
        Set(try store.templates.list().map(\.name)).sorted()
    }
    /// The newest.
    static let deliveryIDs = names { try $0.deliveries.list().map { "\($0.id.rawValue)" } }

    private static func names(_ read: @escaping @Sendable (Store) throws -> [String]) -> CompletionKind {
        .custom { words, _, _ in StoredNames.read(commandLine: words, read) }
    }
}

/// Names out of the store for somebody who pressed the tabulator: at once or not at all, and without a word where
/// they cannot be had. The store is neither made nor brought up to date for it.
enum StoredNames {
    /// A server that does not answer is not waited for any longer.
    private static let patienceSeconds: UInt32 = 2

    static func read(commandLine words: [String], _ read: (Store) throws -> [String]) -> [String] {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(patienceSeconds)
        defer { alarm(0) }
        let path = configuration(in: words) ?? ConfigurationPlace.path()
        guard
            let configuration = try? ConfigurationFile.load(
                path: path, schema: ConnectorCatalogue.settings, productVersion: ProductVersion.text),
            let store = try? Store.look(at: configuration.settings.store.place),
            let names = try? read(store)
        else { return [] }
        return names
    }

    /// The value of `--config`. Words come as they were typed: one in quotes is none that there is a file for.
    static func configuration(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--config", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
        }
        return nil
    }
}
