internal import FoundationEssentials
internal import Glibc
internal import PushModel
internal import PushSchedule
internal import PushWire

/// What the loop answers to other processes.
extension LinkLoop {
    func serveControl() {
        control?.serve { request in
            switch request {
            case .nudge:
                writer.send(.look)
                return []
            case .status:
                guard let bytes = try? JSONEncoder().encode(status()) else { return [] }
                return Array(bytes)
            }
        }
    }

    private func status() -> MasterStatus {
        MasterStatus(
            pid: getpid(),
            uptimeSeconds: Int(Clocks.monotonic().milliseconds(since: startedAt) / 1_000),
            state: drainDeadline == nil ? "running" : "draining",
            unrecorded: ledger.unrecorded,
            waitingRanges: ledger.waitingRanges,
            children: children.sorted { $0.key < $1.key }.map { id, child in
                MasterStatus.Child(
                    pid: child.process.processID, generation: id.rawValue, state: child.state.rawValue,
                    outstanding: ledger.outstanding(of: id), waiting: Int(child.heartbeat.waiting),
                    inFlight: Int(child.heartbeat.inFlight), connections: Int(child.heartbeat.openConnections),
                    residentKilobytes: Int(child.heartbeat.residentKilobytes))
            },
            accounts: accounts.sorted { $0.key < $1.key }.map { id, definition in
                let gate = ledger.gate(of: id) ?? AccountGate()
                return MasterStatus.Account(name: definition.name, state: gate.state.name, reason: gate.reason)
            })
    }
}

extension AccountGate.State {
    fileprivate var name: String {
        switch self {
        case .open: "open"
        case .closed: "closed"
        case .probing: "probing"
        case .stopped: "stopped"
        }
    }
}
