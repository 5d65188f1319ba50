import GatewayFCM
import PushModel
import PushWire
import Testing

/// Compares a gateway's table with the vectors, row by row and column by column.
func expect(
    _ rows: [FCMReasons.Row], toBeTheVectorsOf provider: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let vectors = try APNsReasonVectors(provider: provider).rows
    try #require(!vectors.isEmpty)
    #expect(rows.count == vectors.count, sourceLocation: sourceLocation)
    for (row, vector) in zip(rows, vectors) {
        let name = Comment(rawValue: "\(vector["http_status"] ?? "") \(vector["reason"] ?? "")")
        let verdict = row.verdict
        // Campaign gives no reason here. Our only value for no reason is zero.
        let reason = vector["failure_reason"] == "(none)" ? "Undefined" : vector["failure_reason"]
        let columns: [(String, String?)] = [
            (row.wire, vector["reason"]), (text(row.status), vector["http_status"]),
            (String(describing: verdict.scope), vector["scope"]),
            (String(describing: verdict.schedule), vector["schedule"]),
            (number(verdict.minimumDelaySeconds), vector["min_delay_s"]),
            (number(verdict.maximumTries), vector["max_tries"]),
            (verdict.countsAttempt ? "yes" : "no", vector["counts_attempt"]),
            (verdict.failureType.label, vector["failure_type"]), (verdict.failureReason.label, reason),
            (text(verdict.quarantine), vector["quarantine"]),
        ]
        for (ours, theirs) in columns { #expect(ours == theirs, name, sourceLocation: sourceLocation) }
    }
    let keys = rows.map { "\($0.wire) \($0.status)" }
    #expect(Set(keys).count == keys.count, sourceLocation: sourceLocation)
}

private func text(_ status: FCMReasons.Status) -> String {
    switch status {
    case .code(let code): String(code)
    case .anyClientError: "4xx"
    case .anyServerError: "5xx"
    case .none: ""
    }
}

private func text(_ quarantine: Verdict.Quarantine) -> String {
    switch quarantine {
    case .no: "no"
    case .yes: "yes"
    case .byCounter: "by-counter"
    }
}

private func number(_ number: Int32) -> String { number == 0 ? "" : String(number) }
