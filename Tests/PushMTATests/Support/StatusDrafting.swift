import Foundation
import PushAPI

/// Creates the status of a master for tests of the status text.
protocol StatusDrafting {}

extension StatusDrafting {
    func status(
        _ deliveries: [[String: Any]], _ accounts: [[String: Any]] = [], _ queues: [[String: Any]] = [],
        _ change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> StatusView {
        var master: [String: Any] = [
            "pid": 77, "uptimeSeconds": 306, "state": "running", "ageSeconds": 0, "operations": 0,
            "unrecorded": 12, "answersPerSecond": 1_234.5, "waitingRanges": 0, "alarms": [],
            "children": [], "accounts": accounts,
        ]
        change(&master)
        let status: [String: Any] = [
            "store": "/var/pushmta.db", "running": true, "verifyMode": false, "master": master,
            "deliveries": deliveries, "damaged": [], "queues": queues,
            "webhooks": [], "hosts": [], "waitingVerdicts": [],
        ]
        return try JSONDecoder().decode(
            StatusView.self, from: try JSONSerialization.data(withJSONObject: status))
    }

    func delivery(
        _ id: Int, _ state: String = "inProgress", sent: Int = 0, targeted: Int = 100, label: String = "Sale",
        until: String? = nil
    ) -> [String: Any] {
        var delivery: [String: Any] = [
            "id": id, "label": label, "state": state, "environments": ["production"],
            "createdAt": "2026-11-21T10:00:00.000Z",
            "counts": [
                "targeted": targeted, "excluded": 0, "pending": targeted - sent, "sent": sent, "retrying": 0,
                "failed": 0, "cancelled": 0, "received": 0, "clicked": 0,
            ],
        ]
        delivery["pausedUntil"] = until
        return delivery
    }

    func account(
        _ name: String, _ state: String = "working", reason: String = "", perSecond: Double = 0,
        troubles: [[String: Any]] = [], mark: String? = nil, apps: [String]? = nil
    ) -> [String: Any] {
        [
            "name": name, "state": state, "reason": reason, "mark": mark ?? "\(name) #1",
            "apps": apps ?? [name], "outstanding": 0,
            "granted": 0,
            "answersPerSecond": perSecond, "inFlight": 0, "window": 0, "connections": 0, "children": [],
            "troubles": troubles, "topics": [],
        ]
    }

    func queue(_ account: String, pending: Int, mark: String? = nil) -> [String: Any] {
        [
            "account": account, "mark": mark ?? "\(account) #1", "apps": [], "pending": pending,
            "retrying": 3, "paused": 4,
            "granted": 0, "unrecorded": 0, "oldestSeconds": 65, "answersPerSecond": 0,
        ]
    }
}
