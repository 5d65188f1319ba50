package import PushModel
internal import PushStore

/// Lists messages of all deliveries, newest first: of deliveries to many subscribers, and messages that were
/// sent one by one.
package struct ListMessages: FilteredList {
    package typealias Item = MessageView
    package static let name = "message.list"
    package static let operation = Operation(
        .get, "/messages", .read,
        """
        Lists messages of all deliveries whose messages are kept, newest first, with what the devices reported.
        """)
    package static let members: [Member<Self>] = [
        .query(\.app, "app", "Return only messages of this app."),
        .query(\.state, "state", "Return only messages in this state."),
        .query(
            \.userKey, "userKey",
            "Return only messages to this person's devices, including devices that were removed."
        ).secret,
        .query(\.token, "token", "Return only messages to the device with this token.").secret,
        .query(
            \.single, "single", "Return only messages that were sent one by one.", default: false),
        .query(\.limit, "limit", "The maximum number of messages.", in: 1...1_000, default: 100),
        .cursor(\.cursor),
    ]

    private var app: String?
    private var state: MessageState?
    private var userKey: String?
    private var token: String?
    private var single = false
    package private(set) var limit = 100
    package var cursor: Int64?

    package init() {}
    package init(to who: SubscriberName, app: String? = nil, limit: Int = 100) {
        (userKey, token, self.app, self.limit) = (who.userKey, who.token, app, limit)
    }

    /// For each page, a limited number of messages is read. With filters, a page may therefore contain few
    /// messages or none even if more pages follow.
    package func perform(in operations: Operations) throws -> Page<MessageView> {
        guard userKey == nil || token == nil else {
            throw OperationError(.usage, "give token or userKey, or neither")
        }
        let who = userKey.map(SubscriberName.userKey) ?? token.map(SubscriberName.token)
        let apps = who == nil && app == nil ? [] : try operations.apps(named: app)
        let filter = MessageFilter(
            app: app == nil ? nil : apps.first?.id, state: state,
            devices: try who.map { try Set($0.devices(of: apps, named: app, in: operations)) },
            isSingle: single)
        let cipher = MessageIDCipher(key: try operations.key())
        let page = try operations.store.messageStatus.page(
            before: cursor.map(MessageID.init(rawValue:)), limit: limit, only: filter)
        return Page(
            page.messages.map { MessageView($0, by: cipher) }, next: page.next?.rawValue, of: self)
    }
}

extension SubscriberName {
    /// The maximum number of one person's devices whose messages are found together.
    static let maxDevices = 10_000

    /// Returns the devices of these apps, including removed devices whose messages are still kept.
    /// - Parameter name: The name of the only app; `nil` if any app counts.
    /// - Throws: If nothing is known about the person, or if there are too many devices.
    func devices(
        of apps: [App], named name: String?, in operations: Operations
    ) throws -> [SubscriptionID] {
        var devices = try all(of: apps, in: operations, atMost: Self.maxDevices).map(\.subscription)
        if let userKey {
            let removed = try operations.store.personTraces.remembered(userKey)
            let chosen = name == nil ? nil : Set(apps.map(\.id))
            devices += removed.filter { chosen?.contains($0.app) ?? true }
        }
        guard !devices.isEmpty else { throw notFoundError(of: name) }
        guard devices.count <= Self.maxDevices else {
            throw OperationError.refused(
                """
                more than \(Numerals.grouped(Self.maxDevices)) devices have \(described); give the token of \
                one device
                """)
        }
        return devices
    }
}

extension MessageState: Codable, Word {
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}
