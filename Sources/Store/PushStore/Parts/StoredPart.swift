internal import PushModel
internal import PushQueue

/// A part as it is stored: its constant values, and the states of its messages.
///
/// A part has the number of its first message. The numbers of its other messages follow consecutively, and no
/// two parts share a number. One index descent therefore finds a message's part by the message's number,
/// which also determines the index of the message within the part.
struct StoredPart {
    let part: Part
    var progress: PartProgress
    /// The term of the host that has the part, if it was queried; `nil` if no host has it or there are no
    /// hosts.
    var holder: Int64?

    var count: Int { part.count }
    func index(of message: MessageID) -> Int? { part.index(of: message) }

    /// - Throws: ``DamagedPart`` if the row is not a valid part.
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

    /// Reads the columns ``HotSQL/progressColumns``.
    /// - Parameter first: The first of these columns.
    static func row(_ statement: any Statement, from first: Int32) -> PartProgress.Row {
        PartProgress.Row(
            states: unsafe Array(statement.bytes(first)), waiting: statement.integer(first + 1),
            nextDue: statement.optionalInteger(first + 2), isOpen: statement.integer(first + 3) != 0,
            hasPending: statement.integer(first + 4) != 0, deadline: statement.integer(first + 5),
            generation: statement.integer(first + 6), revision: statement.integer(first + 7),
            heldUntil: statement.optionalInteger(first + 8))
    }
}

/// A part with invalid rows. Its delivery is put on hold; everything else continues.
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
    /// `nil` if these cannot be the values of a part. A part has no more messages than one transaction can
    /// take.
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

    /// The numbers of the part's messages.
    var numbers: ClosedRange<Int64> { messages.lowerBound.rawValue...messages.upperBound.rawValue }

    func message(at index: Int) -> MessageID {
        MessageID(rawValue: messages.lowerBound.rawValue + Int64(index))
    }

    func index(of message: MessageID) -> Int? {
        numbers.contains(message.rawValue) ? Int(message.rawValue - numbers.lowerBound) : nil
    }

    /// Returns the indices of those messages in the range that belong to the part. The range may extend
    /// beyond the part.
    func indices(of range: ClosedRange<MessageID>) -> Range<Int> {
        guard range.overlaps(messages) else { return 0..<0 }
        let clamped = range.clamped(to: messages)
        let first = Int(clamped.lowerBound.rawValue - messages.lowerBound.rawValue)
        return first..<Int(clamped.upperBound.rawValue - messages.lowerBound.rawValue) + 1
    }
}
