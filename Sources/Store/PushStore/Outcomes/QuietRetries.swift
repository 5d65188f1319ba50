internal import PushModel
internal import PushQueue

/// An adjustment that moves retries out of their delivery's quiet hours, if the delivery has any.
///
/// A retry that would be due in quiet hours, in the recipient's local time, is due at the end of the quiet
/// hours instead. The preparation of messages follows the same rule (``DueTimes``). The message's validity
/// continues to run. If it ends before the quiet hours do, the message fails at the end of its validity, with
/// its last answer.
struct QuietRetries {
    private let quietHours: QuietHours
    private var zones: RecipientZones
    private let db: any Session

    /// Reads the delivery's row once, and only if a message is to be tried again.
    /// - Returns: `nil` if nothing is to be moved.
    init?(_ batch: OutcomeBatch, _ db: any Session) throws {
        guard batch.others.contains(where: { $0.isTriedAgain }) else { return nil }
        let text = try db.value(
            String.self, sql: HotSQL.calendarOfDelivery, arguments: [batch.delivery.rawValue])
        guard let calendar = try StoredJSON.calendar(text), let quietHours = calendar.quietHours else {
            return nil
        }
        self.quietHours = quietHours
        zones = RecipientZones(calendar)
        self.db = db
    }

    /// Moves the due times of some messages of one part.
    mutating func move(_ outcomes: inout PartOutcomes, of members: () throws -> PartMembers) throws {
        let places = outcomes.others.indices.filter { outcomes.others[$0].change.isTriedAgain }
        guard !places.isEmpty else { return }
        let indices = ContiguousArray(Set(places.map { outcomes.others[$0].index }).sorted())
        let subscriptions = try members().subscriptions(at: indices)
        let names = try RecipientZones.names(of: subscriptions, db)
        let nameOfMessage = Dictionary(zip(indices, names), uniquingKeysWith: { first, _ in first })
        for place in places {
            guard case .retrying(let due, let cause) = outcomes.others[place].change else { continue }
            let zone = zones.rules(nameOfMessage[outcomes.others[place].index] ?? [])
            if let end = quietHours.end(at: due, offset: { zone.offset(at: $0) }) {
                outcomes.others[place].change = .retrying(due: end, cause)
            }
        }
    }
}

extension MessageRecord {
    fileprivate var isTriedAgain: Bool { if case .retrying = change { true } else { false } }
}

extension PartOutcome.Change {
    fileprivate var isTriedAgain: Bool { if case .retrying = self { true } else { false } }
}

extension HotSQL {
    /// ?1 delivery.
    static let calendarOfDelivery = "SELECT calendar FROM delivery WHERE id = ?1"
}
