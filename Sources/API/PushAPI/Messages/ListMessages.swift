package import PushModel
internal import PushStore

/// Lists messages that were sent one by one, newest first. Messages of deliveries are in the deliveries'
/// logs.
package struct ListMessages: FilteredList {
    package typealias Item = MessageView
    package static let name = "message.list"
    package static let operation = Operation(
        .get, "/messages", .read, "Lists messages that were sent one by one, newest first.")
    package static let members: [Member<Self>] = [
        .query(\.app, "app", "Return only messages of this app."),
        .query(\.state, "state", "Return only messages in this state."),
        .query(\.userKey, "userKey", "Return only messages to the current devices of this person.").secret,
        .query(\.token, "token", "Return only messages to the device with this token.").secret,
        .query(\.limit, "limit", "The maximum number of messages.", in: 1...1_000, default: 100),
        .cursor(\.cursor),
    ]

    private var app: String?
    private var state: MessageViewState?
    private var userKey: String?
    private var token: String?
    package private(set) var limit = 100
    package var cursor: Int64?

    package init() {}

    /// For each page, a limited number of messages is read. With filters, a page may therefore contain few
    /// messages or none even if more pages follow.
    package func perform(in operations: Operations) throws -> Page<MessageView> {
        guard userKey == nil || token == nil else {
            throw OperationError(.usage, "give token or userKey, or neither")
        }
        let who = userKey.map(SubscriberName.userKey) ?? token.map(SubscriberName.token)
        let apps = who == nil && app == nil ? [] : try operations.apps(named: app)
        let filter = MessageFilter(
            app: app == nil ? nil : apps.first?.id, state: state?.stored.state,
            isScheduled: state?.stored.isScheduled,
            devices: try who.map { Set(try $0.all(of: apps, in: operations).map(\.subscription)) })
        let cipher = MessageIDCipher(key: try operations.key())
        let page = try operations.store.messageStatus.page(
            before: cursor.map(MessageID.init(rawValue:)), limit: limit, only: filter)
        let items = page.messages.map { status in
            MessageView(status, id: cipher.opaqueID(of: status.entry.message, in: status.delivery).text)
        }
        return Page(items, next: page.next?.rawValue, of: self)
    }
}

extension MessageState: Codable, Word {
    package var word: String { name }
    package init(from decoder: any Decoder) throws { self = try Self.word(from: decoder) }
    package func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}
