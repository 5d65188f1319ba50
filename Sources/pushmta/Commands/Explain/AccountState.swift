internal import PushMaster
internal import PushModel
internal import PushStore
internal import PushWire

/// What an account does now, by its master, and what is known of its answers, by the store.
struct AccountState {
    private let app: String
    private let trust: AccountTrust?
    private let master: MasterStatus?
    /// nil where the master has not met it.
    private let account: MasterStatus.Account?

    init(account: AppAccount, app: String, master: MasterStatus?, trust: AccountTrust?) {
        self.app = app
        self.trust = trust
        self.master = master
        self.account = master?.accounts.first { $0.mark == account.mark.rawValue }
    }

    var lines: [String] { FieldList(answers).lines + masterLines }

    private var answers: [(name: String, value: String)] {
        guard let trust else { return [("answers", "the app never had one through this account")] }
        let proof = trust.hasAccepted ? "had messages accepted" : "never had a message accepted: no verdict is believed"
        var fields = [
            ("answers", "\(proof); first seen \(trust.firstSeen.utcText)"),
            ("since the last decision", "\(trust.accepted) accepted, \(trust.aboutTokens) call a token bad"),
            ("held verdicts", Numerals.grouped(trust.waiting)),
        ]
        if let storm = trust.stormSince {
            fields.append(("storm", "since \(storm.utcText): see 'pushmta quarantine storm show'"))
        }
        return fields
    }

    private var masterLines: [String] {
        guard let master else { return ["no master runs: what the account does now is not known"] }
        guard let account else { return ["the master (process \(master.pid)) has not used the account yet"] }
        var fields = [("master", "process \(master.pid), \(master.state)")]
        fields.append(("state", AccountHold(account)?.line(app: app) ?? "open"))
        fields.append(("out", "\(Numerals.grouped(account.outstanding)) messages are with children"))
        fields.append(
            (
                "window",
                "\(Numerals.grouped(account.inFlight)) in flight of \(Numerals.grouped(account.window)) that may be, on "
                    + Numerals.count(account.connections, "connection")
            ))
        if let rate = account.ratePerSecond {
            fields.append(("quota now", "\(Numerals.grouped(rate)) messages a second"))
        }
        if account.children.isEmpty { fields.append(("children", "none has served it")) }
        for child in master.children where account.children.contains(child.pid) {
            fields.append(
                (
                    "child \(child.pid)",
                    "\(child.state), \(Numerals.count(child.connections, "connection")), "
                        + "\(Numerals.grouped(child.outstanding)) out, of all its accounts"
                ))
        }
        return FieldList(fields).lines + troubleLines(account)
    }

    private func troubleLines(_ account: MasterStatus.Account) -> [String] {
        guard !account.troubles.isEmpty else { return ["no troubles since the master started"] }
        var table = TextTable(["LAST", "TIMES", "TROUBLE"], numeric: ["TIMES"])
        for trouble in account.troubles {
            let last = WallTime(secondsSince1970: trouble.last).utcText
            table.append([last, Numerals.grouped(trouble.count), trouble.text])
        }
        return ["", "troubles since the master started"] + table.lines
    }

    var answersJSON: JSONValue {
        guard let trust else { return .null }
        return [
            "hasAccepted": .boolean(trust.hasAccepted), "accepted": .integer(trust.accepted),
            "aboutTokens": .integer(trust.aboutTokens), "held": .integer(trust.waiting),
            "stormSince": .string(trust.stormSince?.utcText), "firstSeenAt": .string(trust.firstSeen.utcText),
        ]
    }

    /// null where no master runs.
    var json: JSONValue {
        guard let master else { return .null }
        let children = master.children.filter { account?.children.contains($0.pid) == true }
        return [
            "pid": .integer(Int64(master.pid)), "state": .string(master.state),
            "account": account.map { .object(StatusView.members($0)) } ?? .null,
            "children": .array(children.map { child in
                [
                    "pid": .integer(Int64(child.pid)), "state": .string(child.state),
                    "connections": .integer(child.connections), "outstanding": .integer(child.outstanding),
                ]
            }),
        ]
    }
}
