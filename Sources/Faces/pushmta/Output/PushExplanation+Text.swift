package import PushAPI
internal import PushModel
internal import PushWire

extension PushExplanation {
    /// - Parameter columns: The width of the terminal, at which texts are wrapped; `nil` if there is none.
    package func lines(within columns: Int?) -> [String] {
        var lines = FieldList(fields).lines(within: columns) + [""]
        for finding in findings {
            lines += "- \(finding.finding)".wrapped(to: columns, indentation: 2)
            if let what = Self.advice(finding) { lines += "  \(what)".wrapped(to: columns, indentation: 2) }
        }
        lines += messageLines(columns)
        let sections = messages.compactMap { found in
            found.section.map { "\(found.message.providerReason ?? ""): see \($0)" }
        }
        var seen: Set<String> = []
        lines += sections.filter { seen.insert($0).inserted }
        return lines
    }

    private var fields: [(name: String, value: String)] {
        var registration = registered ? "yes, \(Numerals.count(deviceCount, "device"))" : "no"
        if removedDevices > 0 { registration += "; \(removedDevices) removed" }
        var fields = [("registered", registration)]
        let states = Dictionary(grouping: devices, by: \.state)
        if !devices.isEmpty {
            fields.append(
                (
                    "state",
                    states.sorted { $0.key < $1.key }.map { "\($0.value.count) \($0.key)" }
                        .joined(separator: ", ")
                ))
        }
        if let delivery {
            fields.append(("delivery", "\(delivery.id), \(delivery.label), \(delivery.state.rawValue)"))
            fields.append(("target", delivery.target))
        }
        if let targeted { fields.append(("targeted", targeted ? "yes" : "no")) }
        return fields
    }

    private func messageLines(_ columns: Int?) -> [String] {
        guard !messages.isEmpty else { return [] }
        var table = TextTable(
            ["MESSAGE", "DELIVERY", "APP", "STATE", "ATTEMPTS", "SINCE", "RECEIVED", "CLICKED", "WHY"],
            numeric: ["DELIVERY", "ATTEMPTS"])
        for found in messages {
            let message = found.message
            table.append([
                message.id, "\(message.delivery)", message.app, message.state, "\(message.attempts)",
                message.updatedAt.utcText, message.receivedAt?.time.utcText ?? "",
                message.clickedAt?.time.utcText ?? "", message.why,
            ])
        }
        return [""] + table.lines(wrappedTo: columns)
    }

    /// Returns what to do, with the command that does it.
    private static func advice(_ finding: Finding) -> String? {
        let command: String? =
            switch finding.code {
            case .deviceExcluded: "pushmta quarantine release"
            case .paused: "pushmta delivery resume"
            case .onHold: "pushmta delivery release, pushmta delivery recount"
            case .noService: "pushmta start"
            case .accountWaits: "pushmta explain APP"
            case .failed: "pushmta delivery retry-failed"
            case .notSelected: "pushmta subscribers show, pushmta delivery show"
            case .notRegistered, .onlyRemovedDevices, .noMessages, .errorsCount, .messagesRemoved,
                .notStarted, .otherApps, .registeredLater, .notAddressed, .scheduled, .waiting, .retrying,
                .cancelled, .excluded, .notReported, .notTracked, .received, .clicked, .rehearsal:
                nil
            }
        guard let advice = finding.advice else { return command }
        return command.map { "\(advice) (\($0))" } ?? advice
    }
}
