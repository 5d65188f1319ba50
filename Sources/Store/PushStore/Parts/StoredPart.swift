internal import PushModel
internal import PushQueue

/// A part as the store has it: what it is, and where its messages stand.
///
/// Its number is that of its first message; the others follow, and no two parts share one. So a message's
/// number finds its part by one descent, and gives its index within it.
struct StoredPart {
    let part: Part
    var progress: PartProgress
    /// The term of the host that has it, if that was asked for; nil: none has, or there are no hosts.
    var holder: Int64?

    var count: Int { part.count }
    func index(of message: MessageID) -> Int? { part.index(of: message) }

    /// - Throws: ``DamagedPart`` where the row is none.
    init(_ statement: any Statement) throws {
        let id = PartID(rawValue: statement.integer(0))
        let delivery = DeliveryID(rawValue: statement.integer(1))
        let count = Int(statement.integer(4))
        guard
            let part = Part(
                id: id, delivery: delivery, app: AppID(rawValue: statement.integer(2)),
                firstOrdinal: statement.integer(3), count: count,
                content: MessageContentID(rawValue: statement.integer(15)))
        else { throw DamagedPart(id, of: delivery, PartDamage(.contents, .count)) }
        self.part = part
        do { progress = try PartProgress(Self.row(statement, from: 5), count: count) } catch {
            throw DamagedPart(id, of: delivery, error)
        }
    }

    /// The columns ``HotSQL/progressColumns``, of which this is the first.
    static func row(_ statement: any Statement, from first: Int32) -> PartProgress.Row {
        PartProgress.Row(
            states: unsafe Array(statement.bytes(first)), waiting: statement.integer(first + 1),
            nextDue: statement.optionalInteger(first + 2), isOpen: statement.integer(first + 3) != 0,
            hasPending: statement.integer(first + 4) != 0, deadline: statement.integer(first + 5),
            generation: statement.integer(first + 6), revision: statement.integer(first + 7),
            heldUntil: statement.optionalInteger(first + 8))
    }
}

/// A part whose rows make no sense: its delivery is held, everything else goes on.
struct DamagedPart: Error {
    let part: PartID
    let delivery: DeliveryID
    let damage: PartDamage

    init(_ part: PartID, of delivery: DeliveryID, _ damage: PartDamage) {
        self.part = part
        self.delivery = delivery
        self.damage = damage
    }
}

extension Part {
    /// nil where these cannot be a part's: no part has more messages than one transaction takes.
    init?(
        id: PartID, delivery: DeliveryID, app: AppID, firstOrdinal: Int64, count: Int,
        content: MessageContentID = .ofDelivery
    ) {
        guard count > 0, count <= PartLimits.messages, id.rawValue > 0, firstOrdinal > 0,
            firstOrdinal < 1 << 40,
            !id.rawValue.addingReportingOverflow(Int64(count)).overflow
        else { return nil }
        let last = MessageID(rawValue: id.rawValue + Int64(count) - 1)
        self.init(
            id: id, delivery: delivery, app: app, messages: MessageID(rawValue: id.rawValue)...last,
            firstOrdinal: firstOrdinal, content: content)
    }

    var count: Int { Int(messages.upperBound.rawValue - messages.lowerBound.rawValue) + 1 }

    /// Its messages' numbers.
    var numbers: ClosedRange<Int64> { messages.lowerBound.rawValue...messages.upperBound.rawValue }

    func message(at index: Int) -> MessageID {
        MessageID(rawValue: messages.lowerBound.rawValue + Int64(index))
    }

    func index(of message: MessageID) -> Int? {
        numbers.contains(message.rawValue) ? Int(message.rawValue - numbers.lowerBound) : nil
    }

    /// Of a range that may reach beyond the part.
    func indices(of range: ClosedRange<MessageID>) -> Range<Int> {
        guard range.overlaps(messages) else { return 0..<0 }
        let clamped = range.clamped(to: messages)
        let first = Int(clamped.lowerBound.rawValue - messages.lowerBound.rawValue)
        return first..<Int(clamped.upperBound.rawValue - messages.lowerBound.rawValue) + 1
    }
}
