import PushModel
import PushWire

extension MasterStatus {
    /// Returns the status of a master with one child and one account, whose breaker is closed.
    static func example(mark: String, name: String = "stub production") -> MasterStatus {
        MasterStatus(
            pid: 7, uptimeSeconds: 65, state: "running", unrecorded: 3, waitingRanges: 2,
            children: [
                Child(
                    pid: 8, generation: 1, state: "working", outstanding: 5, waiting: 4, inFlight: 1,
                    connections: 2,
                    residentKilobytes: 9_000)
            ],
            accounts: [
                AccountStatus(
                    name: name, mark: mark, state: "waiting", reason: "refused", secondsUntilProbe: 30,
                    outstanding: 5,
                    inFlight: 1, window: 500, connections: 2, ratePerSecond: nil, children: [8],
                    troubles: [
                        .init(text: "refused", count: 2, lastAt: WallTime(secondsSince1970: 1_795_262_400))
                    ])
            ])
    }
}
