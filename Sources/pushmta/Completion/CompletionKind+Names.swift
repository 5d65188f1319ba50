internal import ArgumentParser
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
