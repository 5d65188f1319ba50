internal import PushModel
internal import PushOperations

extension AccountHold {
    /// What it is, why, and what to do.
    var line: String {
        if let topic, state == "stopped" {
            return "\(topic) of \(account) is stopped, other apps of the account continue: \(reason)"
        }
        if let topic {
            let next = secondsUntilProbe.map { $0 > 0 ? ", next try in \($0) s" : ", next try now" } ?? ""
            return
                "the gateway refuses topic \(topic) of \(account)\(next): \(reason); its messages wait and others go on; "
                + "check bundle id, push type and what the credential covers"
        }
        switch state {
        case "stopped": return "\(account) is stopped: \(reason)"
        case "stalled": return "\(account) is stalled: \(reason)"
        case "probing": return "\(account) is being tried with one message: \(reason)"
        default:
            let next = secondsUntilProbe.map { $0 > 0 ? ", next try in \($0) s" : ", next try now" } ?? ""
            let name = app?.quotedForShell ?? "APP"
            let end = until.map { ", until \($0.utcText) at most" } ?? ""
            return
                "\(account) is held back\(next)\(end): \(reason); its messages wait, 'pushmta explain \(name)' says more, "
                + "'pushmta account resume \(name)' ends the wait"
        }
    }
}
