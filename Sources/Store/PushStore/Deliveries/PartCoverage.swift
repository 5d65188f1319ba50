internal import PushModel
internal import PushQueue

/// Checks whether a delivery's parts, in order, contain each of its messages exactly once: numbered from 1,
/// without a gap.
struct PartCoverage {
    /// One part according to its rows, and another part that overlaps it, if any.
    struct Piece {
        var part: Part
        /// The delivery and the app according to the part's row in `part_progress`; `nil` if there is no such
        /// row.
        var progress: (delivery: DeliveryID, app: AppID)?
        /// Whether the content of the part's messages exists. Always `true` for a part without waiting
        /// messages, which no longer needs the content.
        var hasContent = true
        /// Another part that contains one of its messages.
        var rival: (part: PartID, delivery: DeliveryID)?
    }

    /// The number of the last message in the parts that were added so far.
    private(set) var prepared: Int64 = 0
    /// The first problem that was found.
    private var found: String?

    /// - Parameter piece: The next part, in ascending order of ids.
    mutating func add(_ piece: Piece) {
        let part = piece.part
        let next = prepared + 1
        if part.firstOrdinal > next {
            note(
                """
                its messages \(next) to \(part.firstOrdinal - 1) belong to no part; its part \(part.id) \
                begins after them
                """
            )
        } else if part.firstOrdinal < next {
            note(
                """
                its part \(part.id) contains message \(part.firstOrdinal), which the part before it also \
                contains
                """
            )
        }
        switch piece.progress {
        case nil:
            note(
                """
                its part \(part.id) has no record of its messages' progress: its row in part_progress is \
                missing
                """
            )
        case let progress? where progress.delivery != part.delivery:
            note(
                """
                its part \(part.id) belongs to delivery \(progress.delivery) according to its row in \
                part_progress
                """
            )
        case let progress? where progress.app != part.app:
            note(
                """
                its part \(part.id) belongs to app \(part.app), but the part's row in part_progress names \
                app \(progress.app)
                """
            )
        default: break
        }
        if !piece.hasContent {
            note(
                """
                its part \(part.id) waits, but the content of its messages (content \(part.content)) is \
                missing
                """
            )
        }
        if let rival = piece.rival {
            note(
                """
                its part \(part.id) contains messages that part \(rival.part) of delivery \
                \(rival.delivery) also contains
                """
            )
        }
        prepared = max(prepared, part.firstOrdinal + Int64(part.count) - 1)
    }

    private mutating func note(_ problem: String) { found = found ?? problem }

    /// - Parameter count: The number of prepared messages according to the delivery's own row.
    func problem(prepared count: Int64) -> String? {
        if let found { return found }
        // If the number is impossible or too small, the delivery's own row is damaged, not its parts.
        guard count > prepared, count < Self.maxMessages else { return nil }
        return "its messages \(prepared + 1) to \(count) belong to no part"
    }

    private static let maxMessages: Int64 = 1 << 40
}

extension PartCoverage {
    private static let partsPerStep = 100

    /// - Throws: ``StoreError`` whose remedy is `setAside`, if a part's row is invalid.
    static func read(_ delivery: DeliveryID, in reader: Connection) throws(StoreError) -> PartCoverage {
        var coverage = PartCoverage()
        var last: Int64 = .min
        while true {
            let step = try reader.read("recount a delivery", of: delivery) { db in
                try pieces(of: delivery, after: last, db)
            }
            for piece in step.pieces { coverage.add(piece) }
            guard let next = step.last else { return coverage }
            last = next
        }
    }

    /// Leaves out parts that, according to their row in `part_progress`, belong to another existing delivery.
    private static func pieces(
        of delivery: DeliveryID, after last: Int64, _ db: any Session
    ) throws -> (pieces: [Piece], last: Int64?) {
        let rows = try db.rows(
            sql: """
                SELECT p.id, p.app_id, p.first_number, p.count, q.delivery_id, q.app_id, d.id, p.content,
                    p.content = 0 OR q.is_open = 0 OR EXISTS (
                        SELECT 1 FROM message_content c JOIN message_revision x
                            ON x.delivery_id = c.delivery_id AND x.revision_id = c.revision_id
                        WHERE c.id = p.content AND c.delivery_id = p.delivery_id AND x.app_id = p.app_id)
                FROM part p LEFT JOIN part_progress q ON q.part_id = p.id LEFT JOIN delivery d ON d.id = \
                q.delivery_id
                WHERE p.delivery_id = ?1 AND p.id > ?2 ORDER BY p.id LIMIT ?3
                """,
            arguments: [delivery.rawValue, last, partsPerStep])
        var pieces: [Piece] = []
        for row in rows {
            let id = PartID(rawValue: try row[0])
            let owner = (try row[4] as Int64?).map(DeliveryID.init(rawValue:))
            if let owner, owner != delivery, try row[6] as Int64? != nil { continue }
            let part = Part(
                id: id, delivery: delivery, app: AppID(rawValue: try row[1]), firstOrdinal: try row[2],
                count: try row[3], content: MessageContentID(rawValue: try row[7]))
            guard let part else { throw DamagedPart(id, of: delivery, PartDamage(.contents, .count)) }
            let app = (try row[5] as Int64?).map(AppID.init(rawValue:))
            pieces.append(
                Piece(
                    part: part, progress: owner.flatMap { owner in app.map { (owner, $0) } },
                    hasContent: try row[8] as Bool? ?? true,
                    rival: try rival(of: part, db)))
        }
        return (pieces, try rows.last?[0])
    }

    private static func rival(of part: Part, _ db: any Session) throws -> (
        part: PartID, delivery: DeliveryID
    )? {
        let (first, last) = (part.messages.lowerBound.rawValue, part.messages.upperBound.rawValue)
        let neighbours = [
            try db.row(
                sql: "SELECT id, delivery_id, count FROM part WHERE id < ?1 ORDER BY id DESC LIMIT 1",
                arguments: [first]),
            try db.row(
                sql: "SELECT id, delivery_id, count FROM part WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT 1",
                arguments: [first, last]),
        ]
        for case let neighbour? in neighbours {
            let (id, count): (Int64, Int64) = (try neighbour[0], try neighbour[2])
            // A part that claims more messages than a part can have is itself damaged, so it is not a rival.
            let isRival =
                id > first || (0...Int64(Connection.maximumRows)).contains(count) && id + count > first
            if isRival { return (PartID(rawValue: id), DeliveryID(rawValue: try neighbour[1])) }
        }
        return nil
    }
}
