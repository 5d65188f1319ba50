package import PushModel
internal import Synchronization

/// Determines which message a device's report concerns, for any number of threads. Frequently requested data
/// is kept in memory, so that a report needs no read.
package final class HitDirectory: Sendable {
    /// The maximum number of parts that are kept in memory for all deliveries together. A million messages
    /// make up about 200 parts of 40 bytes each.
    static let maxParts = 200_000

    private let reader: HitReader
    private let cipher: MessageIDCipher
    private let known = Mutex(Kept())

    private struct Kept {
        var deliveries: [DeliveryID: (parts: HitParts, use: UInt64)] = [:]
        var parts = 0
        var uses: UInt64 = 0
    }

    package init(_ reader: HitReader, _ cipher: MessageIDCipher) {
        self.reader = reader
        self.cipher = cipher
    }

    /// The answers that are possible without reading the store.
    package enum Known: Equatable, Sendable {
        case message(HitRecord)
        /// The message does not exist.
        case noMessage
        /// The answer requires ``find(_:at:)``.
        case unread
    }

    package func known(_ hit: TrackingHit, at now: WallMoment) -> Known {
        guard let parts = look(up: hit.delivery) else { return .unread }
        if let found = message(of: hit, in: parts) { return .message(record(hit, found, at: now)) }
        // An unknown message can exist only if the delivery is still being prepared, or if messages whose ids
        // were unencrypted numbers have been bound again and now have different ids.
        return parts.isWhole && !parts.formats.values.contains(.number) ? .noMessage : .unread
    }

    /// Determines which message a report concerns and reads the store if necessary. Must be called on a
    /// thread that may wait.
    /// - Returns: `nil` if there is no such message, or it was deleted.
    package func find(_ hit: TrackingHit, at now: WallMoment) throws(StoreError) -> HitRecord? {
        guard let fresh = try reader.parts(of: hit.delivery, after: look(up: hit.delivery)) else {
            return nil
        }
        keep(fresh)
        return message(of: hit, in: fresh).map { record(hit, $0, at: now) }
    }

    /// Forgets a delivery whose messages may have been removed, so that it is looked up again.
    package func forget(_ delivery: DeliveryID) {
        known.withLock { known in
            if let gone = known.deliveries.removeValue(forKey: delivery) {
                known.parts -= gone.parts.parts.count
            }
        }
    }

    private typealias Found = (message: MessageID, number: Int64, app: AppID)

    private func record(_ hit: TrackingHit, _ found: Found, at now: WallMoment) -> HitRecord {
        HitRecord(
            delivery: hit.delivery, message: found.message, number: found.number, app: found.app,
            kind: hit.kind,
            at: now)
    }

    private func message(of hit: TrackingHit, in parts: HitParts) -> Found? {
        guard parts.takesHits else { return nil }
        switch hit.message {
        case .uuid(let id):
            let revealed = cipher.reveal(id)
            guard revealed.delivery == hit.delivery, let part = parts.part(of: revealed.message) else {
                return nil
            }
            return (
                revealed.message, part.number + revealed.message.rawValue - part.message.rawValue, part.app
            )
        case .integer(let bits):
            guard let id = Int64(exactly: bits) else { return nil }
            if let number = cipher.integers(of: hit.delivery).number(of: id),
                let part = parts.part(ofNumber: number), parts.formats[part.app] != .number
            {
                return (part.message(ofNumber: number), number, part.app)
            }
            // The messages of this part were submitted when an integer id was the message's unencrypted
            // number.
            guard let part = parts.part(ofNumber: id), parts.formats[part.app] == .number else { return nil }
            return (part.message(ofNumber: id), id, part.app)
        }
    }

    private func look(up delivery: DeliveryID) -> HitParts? {
        known.withLock { known in
            known.uses += 1
            known.deliveries[delivery]?.use = known.uses
            return known.deliveries[delivery]?.parts
        }
    }

    private func keep(_ parts: HitParts) {
        known.withLock { known in
            known.parts += parts.parts.count - (known.deliveries[parts.delivery]?.parts.parts.count ?? 0)
            known.uses += 1
            known.deliveries[parts.delivery] = (parts, known.uses)
            while known.parts > Self.maxParts || known.deliveries.count > Self.maxDeliveries {
                guard let oldest = known.deliveries.min(by: { $0.value.use < $1.value.use }),
                    oldest.key != parts.delivery
                else { break }
                known.deliveries[oldest.key] = nil
                known.parts -= oldest.value.parts.parts.count
            }
        }
    }

    private static let maxDeliveries = 10_000
}
