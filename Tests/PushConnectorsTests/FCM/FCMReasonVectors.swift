import Foundation
import PushModel
import Testing

/// A row in the table of all gateways' answers, read without our own CSV code.
struct ReasonVector: CustomTestStringConvertible {
    let status: String
    let reason: String
    let verdict: Verdict
    var testDescription: String { "\(status) \(reason)" }

    static func rows(of provider: String) throws -> [ReasonVector] {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../PushWireTests/Vectors/provider-reasons.csv").standardized
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix(provider + ",") }.map { try ReasonVector($0) }
    }

    /// Only the note, which is the last column, is ever quoted.
    private init(_ line: Substring) throws {
        let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        (status, reason) = (cells[1], cells[2])
        let scopes: [String: Verdict.Scope] = [
            "token": .token, "message": .message, "topic": .topic, "account": .account,
            "transient": .transient,
        ]
        let schedules: [String: Verdict.Schedule] = [
            "none": .none, "now": .now, "soon": .soon, "calendar": .calendar, "hold": .hold,
        ]
        let quarantines: [String: Verdict.Quarantine] = ["no": .no, "yes": .yes, "by-counter": .byCounter]
        let reasons: [String: FailureReason] = [
            "Undefined": .undefined, "(none)": .undefined, "User unknown": .userUnknown,
            "Unreachable": .unreachable,
            "Refused": .refused,
        ]
        var verdict = Verdict(
            scope: try #require(scopes[cells[3]]), schedule: try #require(schedules[cells[4]]),
            minimumDelaySeconds: Int32(cells[5]) ?? 0, maximumTries: Int32(cells[6]) ?? 0,
            countsAttempt: cells[7] == "yes",
            failureType: try #require(FailureType.allCases.first { $0.label == cells[8] }),
            failureReason: try #require(reasons[cells[9]]), quarantine: try #require(quarantines[cells[10]]))
        // The file has no column for this. If an answer is about the message and leads to another attempt, it
        // may be about more than the message.
        verdict.mayWiden = verdict.scope == .message && verdict.schedule == .soon
        self.verdict = verdict
    }
}
