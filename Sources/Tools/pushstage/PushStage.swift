internal import ArgumentParser
internal import Glibc

/// Runs one stage of the engine alone, on one thread, so that its instructions can be counted.
///
/// ``counted(_:)`` contains the code that is counted: callgrind collects between the function's entry and its
/// return. The counted code does not depend on time or chance. The first round warms up caches and memory and
/// is not counted. **Neighbours.** `Benchmarks/guard.py` runs this program under callgrind.
@main
struct PushStage: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pushstage", abstract: "Run one stage of the engine alone, to count its instructions.",
        discussion: "Prints the number of counted messages. Benchmarks/guard.py runs it under callgrind.")

    @Argument(help: "One of: \(StageName.allCases.map(\.rawValue).joined(separator: ", ")).")
    var stage: StageName

    @Option(help: "The number of messages to count, rounded up to whole rounds.")
    var messages = 10_000

    @Option(
        help: ArgumentHelp("The folder for the store. Run the stage with --fill first.", valueName: "folder"))
    var folder: String

    @Flag(help: "Only write to the folder the data that the stage requires.")
    var fill = false

    func validate() throws {
        guard (1...10_000_000).contains(messages) else {
            throw ValidationError("--messages must be from 1 to 10000000")
        }
    }

    func run() throws {
        let rounds = (messages - 1) / stage.type.messagesPerRound + 1
        let total = (rounds + 1) * stage.type.messagesPerRound
        if fill { return try stage.type.fill(folder, messages: total) }
        let stage = try stage.type.init(folder, messages: total)
        try stage.prepareRound()
        try stage.runRound()
        for _ in 0..<rounds {
            try stage.prepareRound()
            try counted(stage)
        }
        try stage.check()
        print(total - type(of: stage).messagesPerRound)
    }
}

/// Runs the code that is counted. callgrind finds it by the name of this function.
@inline(never)
private func counted(_ stage: any Stage) throws { try stage.runRound() }

enum StageName: String, ExpressibleByArgument, CaseIterable {
    case render, personalise, frame, answer, rejection, record, prepare, `import`

    var type: any Stage.Type {
        switch self {
        case .render: RenderStage.self
        case .personalise: PersonaliseStage.self
        case .frame: FrameStage.self
        case .answer: AnswerStage.self
        case .rejection: RejectionStage.self
        case .record: RecordStage.self
        case .prepare: PrepareStage.self
        case .import: ImportStage.self
        }
    }
}

/// One stage of the engine.
protocol Stage: AnyObject {
    static var messagesPerRound: Int { get }
    /// Writes to the folder the data that a stage with the given number of messages needs. A separate process
    /// does this without callgrind, so that callgrind does not slow it down.
    static func fill(_ folder: String, messages: Int) throws
    init(_ folder: String, messages: Int) throws
    /// Prepares the next round. This is not counted.
    func prepareRound() throws
    func runRound() throws
    /// - Throws: An error if the stage did not do its work correctly. Its count is then meaningless.
    func check() throws
}

extension Stage {
    static func fill(_ folder: String, messages: Int) throws {}
    func prepareRound() throws {}
    func check() throws {}
}

/// The reason why a count is meaningless.
struct StageError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
