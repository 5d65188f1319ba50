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
        lines.append(problem.map { "still held: \($0)" } ?? "delivery \(id) goes on")
        return lines
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
