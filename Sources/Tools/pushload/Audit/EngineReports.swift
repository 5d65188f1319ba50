internal import FoundationEssentials

/// A delivery as `delivery show --json` prints it.
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
    /// `nil` if the report is part of a list.
    package var failures: [Failure]?

    package var isOver: Bool { ["finished", "stopped", "failed"].contains(state) }

    /// Whether the counts add up, as they must after every commit of the engine.
    package var addsUp: Bool {
        counts.targeted == counts.pending + counts.retrying + counts.sent + counts.failed + counts.cancelled
    }

    /// The time between `startedAt` and `finishedAt`; `nil` until the delivery has ended.
    package var seconds: Double? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let start = startedAt.flatMap({ try? style.parse($0) }),
            let end = finishedAt.flatMap({ try? style.parse($0) })
        else { return nil }
        return end.timeIntervalSince(start)
    }

    package var summary: String {
        "\(state): \(counts.sent) sent, \(counts.pending) pending, \(counts.retrying) retrying, "
            + "\(counts.failed) failed, \(counts.cancelled) cancelled of \(counts.targeted)"
    }
}

/// A message as `delivery log --format jsonl` prints it. A value that is null in that output is an empty
/// string in this type.
package struct MessageRow: Decodable, Equatable, Sendable {
    package var messageId: String
    package var userKey: String
    package var token: String
    package var app: String
    package var state: String
    package var attempts: Int
    package var failureType: String
    package var failureReason: String
    package var providerReason: String
    package var providerId: String
    package var updatedAt: String

    private enum Name: String, CodingKey {
        case messageId, userKey, token, app, state, attempts, failureType, failureReason, providerReason,
            providerId,
            updatedAt
    }

    package init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Name.self)
        func text(_ name: Name) throws -> String { try row.decode(String?.self, forKey: name) ?? "" }
        (messageId, userKey, token) = (try text(.messageId), try text(.userKey), try text(.token))
        (app, state, attempts) = (
            try text(.app), try text(.state), try row.decode(Int.self, forKey: .attempts)
        )
        (failureType, failureReason) = (try text(.failureType), try text(.failureReason))
        (providerReason, providerId) = (try text(.providerReason), try text(.providerId))
        updatedAt = try text(.updatedAt)
    }
}

/// A delivery's statistics as the API returns them.
package struct StatisticsReport: Decodable, Equatable, Sendable {
    /// The counts of an app, in total or for one minute.
    package struct AppCounts: Decodable, Equatable, Sendable {
        package var app: String
        package var sent = 0
        package var failed = 0
        package var received = 0
        package var clicked = 0

        var text: String { "\(sent) sent, \(failed) failed, \(received) received, \(clicked) clicked" }
    }
    /// The number of an app's devices that have the same operating system and language.
    package struct Devices: Decodable, Equatable, Sendable {
        package var app: String
        package var os: String
        package var language: String
        package var count: Int
    }

    package var id: Int
    package var state: String
    package var counts: DeliveryReport.Counts
    package var apps: [AppCounts]
    package var minutes: [AppCounts]
    package var devices: [Devices]?
}

/// A service's statistics as the API returns them.
package struct ServiceReport: Decodable, Equatable, Sendable {
    package struct AppCounts: Decodable, Equatable, Sendable {
        package struct Day: Decodable, Equatable, Sendable { package var registered: Int }

        package var app: String
        package var valid: Int
        package var quarantined: Int
        package var disabled: Int
        package var days: [Day]
        package var devices: [StatisticsReport.Devices]
    }
    package var apps: [AppCounts]
}

/// The engine's status, as `status --json` prints it.
package struct StatusReport: Decodable, Sendable {
    package struct Master: Decodable, Sendable {
        package var pid: Int32
        package var state: String
        /// The address at which the engine's web module listens; `nil` if the engine has no web module.
        package var web: String?
        /// The number of messages that are granted to children and whose outcomes are not yet committed. If
        /// the engine crashes when it reports this number, it is the maximum number of duplicates.
        package var unrecorded: Int
        package var waitingRanges: Int
        /// The fault in the store; `nil` if there is none.
        package var trouble: String?
        package var children: [Child]
        package var accounts: [Account]
    }
    package struct Child: Decodable, Sendable {
        package var pid: Int32
        package var generation: Int
        package var state: String
        package var outstanding: Int
        package var inFlight: Int
        package var connections: Int
    }
    package struct Account: Decodable, Sendable {
        package var name: String
        package var state: String
        package var reason: String
        package var troubles: [Trouble]
        /// The time until which the account waits; `nil` if the account is not waiting for a specific time.
        package var waitEndsAt: String?
        package var topics: [Topic]
    }
    package struct Topic: Decodable, Sendable {
        package var name: String
        package var state: String
        package var reason: String
        package var waitingRanges: Int
    }
    package struct Trouble: Decodable, Sendable {
        package var text: String
        package var count: Int
        /// The time of the last occurrence, such as `2026-05-08T12:00:00Z`.
        package var lastAt: String
    }

    /// The space that the store uses.
    package struct Size: Decodable, Sendable {
        package var bytes: Int
        /// The free space, in bytes; `nil` if the store's server does not report it.
        package var freeBytes: Int?
        package var logBytes: Int
    }

    package var size: Size?
    package var master: Master?
}

/// A host as `host list --json` prints it.
package struct HostReport: Decodable, Sendable {
    package var state: String
    package var release: String
}
