/// A delivery as `delivery show --json` tells it.
package struct DeliveryReport: Decodable, Equatable, Sendable {
    package struct Counts: Decodable, Equatable, Sendable {
        package var targeted = 0
        package var excluded = 0
        package var pending = 0
        package var sent = 0
        package var retrying = 0
        package var failed = 0
        package var cancelled = 0
        package var received = 0
        package var clicked = 0
    }

    package struct Failure: Decodable, Equatable, Sendable {
        package var providerReason: String
        package var count: Int
    }

    package var id: Int
    package var label: String
    package var state: String
    package var counts: Counts
    package var startedAt: String?
    package var finishedAt: String?
    package var messagesPerSecond: Double?
    package var messagesRemovedAt: String?
    /// nil: the report is one of a list.
    package var failures: [Failure]?

    package var isOver: Bool { ["finished", "stopped", "failed"].contains(state) }

    /// What every commit of the engine promises.
    package var addsUp: Bool {
        counts.targeted == counts.pending + counts.retrying + counts.sent + counts.failed + counts.cancelled
    }

    /// Between the two times of the report; nil before the end.
    package var seconds: Double? {
        guard let start = startedAt.flatMap(Self.secondsOfDay),
            let end = finishedAt.flatMap(Self.secondsOfDay)
        else {
            return nil
        }
        return end >= start ? end - start : end - start + 86_400
    }

    package var summary: String {
        "\(state): \(counts.sent) sent, \(counts.pending) pending, \(counts.retrying) retrying, "
            + "\(counts.failed) failed, \(counts.cancelled) cancelled of \(counts.targeted)"
    }

    /// Of `2026-11-21T10:00:00.250Z`.
    private static func secondsOfDay(_ text: String) -> Double? {
        guard let time = text.split(separator: "T").last?.dropLast() else { return nil }
        let parts = time.split(separator: ":").compactMap { Double($0) }
        return parts.count == 3 ? parts[0] * 3600 + parts[1] * 60 + parts[2] : nil
    }
}
