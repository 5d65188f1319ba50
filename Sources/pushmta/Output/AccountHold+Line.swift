internal import PushOperations

extension AccountHold {
    /// What it is, why, and what to do.
    var line: String {
        switch state {
        case "stopped": return "\(account) is stopped: \(reason)"
        case "stalled": return "\(account) is stalled: \(reason)"
        case "probing": return "\(account) is being tried with one message: \(reason)"
        default:
            let next = secondsUntilProbe.map { $0 > 0 ? ", next try in \($0) s" : ", next try now" } ?? ""
            let name = app?.quotedForShell ?? "APP"
            return
                "\(account) is held back\(next): \(reason); its messages wait, 'pushmta explain \(name)' says more"
        }
    }
}
