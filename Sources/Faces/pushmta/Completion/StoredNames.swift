internal import ArgumentParser
internal import Glibc
internal import PushAPI
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore

/// Shell completions for names that are in the store.
extension CompletionKind {
    static let appNames = names { try $0.catalogue.apps().map(\.name) }
    static let serviceNames = names { try $0.catalogue.services().map(\.name) }
    static let personNames = names { try $0.people.list().map(\.name) }
    static let webhookNames = names { try $0.webhooks.list().map(\.order.name) }
    /// The templates of all services.
    static let templateNames = names { store in
        Set(try store.templates.list().map(\.name)).sorted()
    }
    /// The newest deliveries.
    static let deliveryIDs = names { try $0.deliveries.list().map { "\($0.id.rawValue)" } }

    private static func names(_ read: @escaping @Sendable (Store) throws -> [String]) -> CompletionKind {
        .custom { words, _, _ in StoredNames.read(commandLine: words, read) }
    }
}

/// Reads names from the store for a user who presses the Tab key. The read must be fast, and fails silently.
/// It neither creates nor upgrades the store.
enum StoredNames {
    /// The maximum time to wait for a server that does not answer.
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

    /// Returns the value of `--config`. The words are passed as the user typed them, so a quoted path matches
    /// no file.
    static func configuration(in words: [String]) -> String? {
        for (index, word) in words.enumerated() {
            if word == "--config", index + 1 < words.count { return words[index + 1] }
            if word.hasPrefix("--config=") { return String(word.dropFirst("--config=".count)) }
        }
        return nil
    }
}
