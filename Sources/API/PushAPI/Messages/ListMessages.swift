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
        Lists messages of all deliveries whose messages are kept, newest first, with what the devices \
        reported.
        """, reach: .services)
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

    package private(set) var app: String?
    private var state: MessageViewState?
    private var userKey: String?
    private var token: String?
    private var single = false
    package private(set) var limit = 100
    package var cursor: Int64?

    /// The person or the device whose messages are listed; `nil` if the request names none.
    package var who: SubscriberName? {
        userKey.map(SubscriberName.userKey) ?? token.map(SubscriberName.token)
    }

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
        let apps = who == nil && app == nil ? [] : try operations.appNames(named: app)
        let filter = MessageFilter(
            app: app == nil ? nil : apps.first?.id, state: state?.stored.state,
            isScheduled: state?.stored.isScheduled,
            devices: try who.map { try $0.known(of: apps, named: app, in: operations).all },
            isSingle: single)
        let cipher = MessageIDCipher(key: try operations.key())
        let page = try operations.store.messageStatus.page(
            before: cursor.map(MessageID.init(rawValue:)), limit: limit, only: filter)
        return Page(
            page.messages.map { MessageView($0, by: cipher) }, next: page.next?.rawValue, of: self)
    }
}

extension MessageState: Codable, Word {
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}
