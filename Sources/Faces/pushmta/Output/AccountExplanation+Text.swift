package import PushAPI
internal import PushConnectors
internal import PushModel
internal import PushWire

extension AccountExplanation {
    /// - Parameter columns: The width of the terminal, at which texts are wrapped; `nil` if there is none.
    package func lines(within columns: Int?) -> [String] {
        var table = TextTable(["SETTING", "VALUE", "WHY"])
        for row in settings.dropFirst(identity.count) { table.append([row.setting, row.value, row.why]) }
        let who = FieldList(
            identity.map { ($0.setting, $0.why.isEmpty ? $0.value : "\($0.value) (\($0.why))") })
        return who.lines(within: columns) + [""] + table.lines(wrappedTo: columns) + [""]
            + FieldList(answerFields).lines(within: columns) + masterLines(columns)
    }

    private var answerFields: [(name: String, value: String)] {
        guard let answers else { return [("answers", "the app has not received any through this account")] }
        let proof =
            answers.isProved
            ? "proved by accepted messages" : "not yet proved by accepted messages: no verdict is believed"
        var fields = [
            ("answers", "\(proof); first seen \(answers.firstSeenAt.utcText)"),
            (
                "since the last decision",
                "\(answers.accepted) accepted, \(answers.aboutTokens) reject a token"
            ),
            ("held verdicts", Numerals.grouped(answers.held)),
            (
                "normal share",
                "\(Self.percent(answers.normalDeadShare)) of the tokens are dead, according to answers so far"
            ),
        ]
        if let storm = answers.stormSince {
            fields.append(("storm", "since \(storm.utcText): see 'pushmta quarantine storm show'"))
        }
        return fields
    }

    /// Returns a text such as `2.0 %`.
    private static func percent(_ share: Double) -> String { "\(StatusView.tenths(share * 100)) %" }

    private func masterLines(_ columns: Int?) -> [String] {
        guard let master else { return ["no master runs: the current state of the account is unknown"] }
        guard let account = master.account else {
            return ["the master (process \(master.pid)) has not used the account yet"]
        }
        return FieldList(fields(of: account, master)).lines(within: columns) + account.failureLines(columns)
    }

    private func fields(of account: AccountStatus, _ master: Master) -> [(name: String, value: String)] {
        var fields = [("master", "process \(master.pid), \(master.state)")]
        fields.append(("state", AccountHold(account, app: app)?.line ?? "working"))
        for topic in account.topics {
            fields.append(("topic", AccountHold(topic, of: account, app: app).line))
        }
        if let limit = account.limitedBy { fields.append(("limited by", limit.explanation)) }
        fields.append(("out", "\(Numerals.grouped(account.outstanding)) messages are with children"))
        let window =
            "\(Numerals.grouped(account.inFlight)) in flight of at most \(Numerals.grouped(account.window)), "
            + "on "
            + Numerals.count(account.connections, "connection")
        fields.append(("window", window))
        if let rate = account.ratePerSecond {
            fields.append(("quota now", "\(Numerals.grouped(rate)) messages a second"))
        }
        if account.children.isEmpty { fields.append(("children", "no child has served it")) }
        for child in master.children {
            let text =
                "\(child.state), \(Numerals.count(child.connections, "connection")), "
                + "\(Numerals.grouped(child.outstanding)) messages out, for all its accounts"
            fields.append(("child \(child.pid)", text))
        }
        return fields
    }
}

extension AccountStatus {
    fileprivate func failureLines(_ columns: Int?) -> [String] {
        guard !troubles.isEmpty else { return ["no troubles since the master started"] }
        var table = TextTable(["LAST", "TIMES", "TROUBLE"], numeric: ["TIMES"])
        for trouble in troubles {
            table.append([trouble.lastAt.utcText, "\(trouble.count)", trouble.text])
        }
        return ["", "troubles since the master started"] + table.lines(wrappedTo: columns)
            + answerLines.flatMap { $0.wrapped(to: columns, indentation: 2) }
    }

    /// The meaning of each trouble that is an answer from the gateway, unless the state of the account or of
    /// a topic already shows the meaning.
    private var answerLines: [String] {
        let holds: [AccountHold?] = [AccountHold(self)] + topics.map { AccountHold($0, of: self) }
        var shown = Set(holds.compactMap { $0?.answer?.word })
        return troubles.compactMap { ConnectorCatalogue.answer(to: $0.text, ofAccount: name) }
            .filter { shown.insert($0.word).inserted }
            .map { "\($0.word): \($0.explanation(of: ""))" }
    }
}
