package import PushAPI
internal import PushModel

extension SizingView {
    /// - Parameters:
    ///   - gateway: The gateway's name, for people.
    ///   - file: The file whose settings the calculation uses; `nil` for the defaults.
    package func lines(gateway: String, file: String?) -> [String] {
        let what =
            "\(Numerals.count(perSecond, "message")) a second to \(gateway), \(roundTripMilliseconds) ms to "
            + "an answer, store \(store), "
            + "\(file.map { "settings of \($0)" } ?? "default settings: there is no file")"
        return [what, ""] + FieldList(needs).lines + [""] + table.lines + [""] + verdict + proposals
    }

    private var needs: [(name: String, value: String)] {
        [
            ("children", Numerals.grouped(children)),
            ("connections", "\(Numerals.grouped(connectionsPerChild)) in each child"),
            (
                "streams",
                "\(Numerals.grouped(streams)) on each connection, for "
                    + "\(Numerals.count(requestsAtOnce, "request")) at once"
            ),
            (
                "memory",
                "\(Numerals.bytes(memoryBytes)): the master \(Numerals.bytes(masterBytes)), a child "
                    + Numerals.bytes(childBytes)
            ),
            ("cores", "\(StatusView.tenths(max(coresNeeded, 0.1))) of \(Numerals.grouped(cores))"),
        ]
    }

    private var table: TextTable {
        var table = TextTable(
            ["LIMIT", "NOW", "CHANGED", "DECIDED BY"], numeric: ["NOW", "CHANGED"])
        for factor in factors {
            table.append([
                factor.name.text, factor.perSecondNow.map { "\($0)" } ?? "-",
                factor.perSecond.map { "\($0)" } ?? "-",
                factor.settings.isEmpty ? factor.name.decision : factor.settings.joined(separator: ", "),
            ])
        }
        return table
    }

    private var verdict: [String] {
        func line(_ limit: Limit, _ when: String) -> String {
            """
            limited by \(limit.factor.text)\(when), to \(Numerals.count(limit.perSecond, "message")) a \
            second
            """
        }
        var lines =
            changes.isEmpty
            ? [line(limitNow, "")] : [line(limitNow, " now"), line(limit, " with the changes")]
        if !isEnough { lines.append("that is not enough: \(limit.factor.remedy)") }
        return lines
    }

    private var proposals: [String] {
        guard !changes.isEmpty else { return ["no setting needs to change"] }
        return ["", "changes in serverConf.xml:"]
            + FieldList(
                changes.map {
                    (
                        "  \($0.setting)",
                        "\($0.to), now \($0.from)\($0.needsRestart ? "; needs a restart" : "")"
                    )
                }
            ).lines
    }
}

extension SizingView.Factor.Name {
    fileprivate var text: String {
        switch self {
        case .requests: "requests at once"
        case .room: "room for messages"
        case .children: "children"
        case .cpu: "CPU"
        case .store: "the store"
        case .provider: "the provider's quota"
        }
    }

    /// What determines the limit of this factor; empty if settings determine it.
    fileprivate var decision: String {
        switch self {
        case .cpu: "the host's cores"
        case .store: "the highest rate that was measured"
        case .provider: "no quota is published"
        case .requests, .room, .children: ""
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .requests, .room, .children, .cpu:
            "divide the rate among hosts that share a store on PostgreSQL, or give this host more cores"
        case .store: "no higher rate has been measured; measure yours with 'pushload report'"
        case .provider: "ask the provider for a larger quota, or divide the rate among several projects"
        }
    }
}
