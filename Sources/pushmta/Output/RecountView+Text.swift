internal import PushModel
internal import PushOperations

extension RecountView {
    var lines: [String] {
        var table = TextTable(["COUNT", "BEFORE", "NOW"], numeric: ["BEFORE", "NOW"])
        for ((name, before), (_, after)) in zip(before.named, after.named) {
            table.append([name, "\(before)", "\(after)"])
        }
        var lines = table.lines
        if mendedParts > 0 { lines.append("\(Numerals.count(mendedParts, "part")) found again") }
        if mendedHits > 0 { lines.append("\(Numerals.count(mendedHits, "figure")) of reports mended") }
        lines.append(problem.map { "still held: \($0)" } ?? end)
        return lines
    }

    private var end: String {
        switch state {
        case .startPending, .preparing, .inProgress: "delivery \(id) goes on"
        case .paused, .stopping, .stopped, .finished, .failed: "delivery \(id) is \(state.rawValue)"
        }
    }
}

extension DeliveryView.Counts {
    fileprivate var named: [(String, Int)] {
        [
            ("targeted", targeted), ("excluded", excluded), ("pending", pending), ("sent", sent),
            ("retrying", retrying),
            ("failed", failed), ("cancelled", cancelled),
        ]
    }
}
