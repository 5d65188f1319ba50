package import PushModel
internal import Synchronization

/// Which message a device's report is about, for as many threads as ask: what is asked often is kept, so that
/// a report costs no read.
package final class HitDirectory: Sendable {
    /// Of all deliveries: a million messages are about 200 parts, of 40 bytes each.
    static let mostParts = 200_000

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

    /// What can be said without reading the store.
    package enum Known: Equatable, Sendable {
        case message(HitRecord)
        /// There is no such message.
        case noMessage
        /// Ask ``find(_:at:)``.
        case unread
    }

    package func known(_ hit: TrackingHit, at now: WallMoment) -> Known {
        guard let parts = look(up: hit.delivery) else { return .unread }
        if let found = message(of: hit, in: parts) { return .message(record(hit, found, at: now)) }
        // Only of what is being prepared there may be more than is known; and what is bound anew may have
        // other ids from now on.
        return parts.isWhole && !parts.formats.values.contains(.number) ? .noMessage : .unread
    }

    /// The same with a look at the store, on a thread that may wait.
    /// - Returns: nil: there is no such message, or it is gone.
    package func find(_ hit: TrackingHit, at now: WallMoment) throws(StoreError) -> HitRecord? {
        guard let fresh = try reader.parts(of: hit.delivery, after: look(up: hit.delivery)) else {
            return nil
        }
        keep(fresh)
        return message(of: hit, in: fresh).map { record(hit, $0, at: now) }
    }

    /// The deliveries of these messages may have been removed: they are looked up again.
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
            // What was submitted when an integer was the number as it is.
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
            while known.parts > Self.mostParts || known.deliveries.count > Self.mostDeliveries {
                guard let oldest = known.deliveries.min(by: { $0.value.use < $1.value.use }),
                    oldest.key != parts.delivery
                else { break }
                known.deliveries[oldest.key] = nil
                known.parts -= oldest.value.parts.parts.count
            }
        }
    }

    private static let mostDeliveries = 10_000
}
