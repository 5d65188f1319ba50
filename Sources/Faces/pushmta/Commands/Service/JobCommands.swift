internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct JobCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "job",
        abstract: "Manage jobs: operations that consist of many steps and were submitted by clients of the "
            + "API.",
        subcommands: [command(ListJobs.self), command(ShowJob.self), command(CancelJob.self)])
}

extension ListJobs: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta job list --limit 20")
    static func lines(_ page: Page<JobView>) -> [String] {
        var table = TextTable(["ID", "OPERATION", "STATE", "PROGRESS", "CREATED", "CALLER"], numeric: ["ID"])
        for job in page.items {
            table.append([
                "\(job.id)", job.operation, job.stateText, job.progressText, job.createdAt.utcText,
                job.caller,
            ])
        }
        return table.lines
    }
}

extension ShowJob: CommandUseCase {
    static let form = CommandForm(
        discussion: """
            A job is kept for 30 days after it ends. An operation that a command runs is not a job.

            Example: pushmta job show 5
            """)
    static func lines(_ job: JobView) -> [String] { job.lines }
}

extension CancelJob: CommandUseCase {
    static let form = CommandForm(discussion: "Example: pushmta job cancel 5")
    static func lines(_ job: JobView) -> [String] {
        [
            job.endedAt == nil
                ? "job \(job.id) ends after its current step" : "job \(job.id) is cancelled already"
        ]
    }
}

extension JobView {
    fileprivate var stateText: String { endedAt == nil && isCancelled ? "cancelling" : state.word }

    fileprivate var progressText: String {
        guard let done else { return "" }
        guard let total, total > 0 else { return "\(Numerals.grouped(done)) done" }
        let left = remainingSeconds.map { ", \($0) s left" } ?? ""
        return "\(min(100, done * 100 / total)) %\(left)"
    }

    fileprivate var lines: [String] {
        FieldList([
            ("job", "\(id)"), ("operation", operation), ("state", stateText), ("progress", progressText),
            ("caller", caller), ("created", createdAt.utcText), ("ended", endedAt?.utcText ?? ""),
            ("result", result.map { $0.text } ?? ""), ("errors", errors.joined(separator: "; ")),
        ]).lines
    }
}
