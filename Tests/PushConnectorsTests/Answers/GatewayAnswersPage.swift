import PushConnectors
import PushModel

/// The reference page of all gateways' answers in Markdown, generated from the tables that the engine uses.
struct GatewayAnswersPage {
    private var blocks: [String] = []

    var text: String { blocks.joined(separator: "\n\n") + "\n" }

    init(of tables: [AnswerTable]) {
        blocks = ["# Answers of gateways", Self.introduction]
        blocks.append(
            tables.map { "- [\($0.gateway)](#\(Self.anchor(of: $0)))" }.joined(separator: "\n"))
        for table in tables { section(table) }
    }

    private static let introduction = """
        `make reference` writes this page from the tables that the engine uses. It explains every reason
        that a gateway returns, and every event that PushMTA treats like an answer. PushMTA's own reasons are
        in parentheses.

        - `pushmta app test`, `status`, `explain`, `delivery show`, alarms and the log show reasons with the
          section of this page that explains them. A colon and the gateway's own text may follow a reason.
        - *At fault* is the place where you must change something to prevent the answer.
        - *PushMTA* describes what PushMTA does after the answer. `nmac/retry` contains the settings for
          retries, and `nmac/quarantine` contains the settings for quarantine.
          [Accounts.md](../Operate/Accounts.md) describes accounts, quarantine and storms.
          A message whose validity is 0 has only one attempt.
        """

    private static func anchor(of table: AnswerTable) -> String {
        table.gateway.lowercased().replacing(" ", with: "-")
    }

    private mutating func section(_ table: AnswerTable) {
        blocks += ["## \(table.gateway)", table.introduction]
        var lines = ["| reason | status | at fault | PushMTA |", "|---|---|---|---|"]
        for answer in table.answers {
            let status = answer.status.isEmpty ? "–" : answer.status
            lines.append(
                "| [`\(answer.word)`](#\(answer.anchor)) | \(status) | \(answer.note.fault.rawValue) "
                    + "| \(answer.verdict.action) |")
        }
        blocks.append(lines.joined(separator: "\n"))
        var described: Set<String> = []
        for answer in table.answers where described.insert(answer.word).inserted {
            let rows = table.answers.filter { $0.word == answer.word }
            blocks += ["### \(answer.heading)", answer.note.meaning]
            blocks.append("What to do: \(answer.note.advice)")
            blocks += consequences(of: rows)
        }
    }

    private func consequences(of rows: [GatewayAnswer]) -> [String] {
        guard rows.count > 1 else { return rows.map { "PushMTA: \($0.verdict.consequences)" } }
        let lines = rows.map { "- Status \($0.status): \($0.verdict.consequences)" }
        return ["PushMTA:", lines.joined(separator: "\n")]
    }
}
