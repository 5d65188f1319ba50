internal import ArgumentParser
internal import Glibc
internal import PushModel
internal import PushStore

struct QuarantineRelease: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "release", abstract: "Make subscribers valid again and forget their errors.",
        discussion: """
            Deliveries prepared from now on are sent to them. A gateway that still calls their tokens dead puts them \
            back. Exit status 1 where nobody was there to release.
            """)

    @Option(help: "The application's name.")
    var app: String

    @Option(name: .customLong("token"), help: ArgumentHelp(
        "A registration token, whole; may be repeated.", valueName: "token"))
    var tokens: [String] = []

    @Option(help: ArgumentHelp("All subscribers with this user key.", valueName: "key"))
    var userKey: String?

    @Flag(help: "All subscribers of the application that have errors.")
    var all = false

    @Flag(help: "Do not ask before --all.")
    var yes = false

    @OptionGroup var config: ConfigurationOption

    func validate() throws {
        let ways = [!tokens.isEmpty, userKey != nil, all].count { $0 }
        guard ways == 1 else { throw ValidationError("Give one of --token, --user-key and --all.") }
        guard tokens.count <= QuarantineWriter.subscriptionsPerCall else {
            throw ValidationError("Give at most \(QuarantineWriter.subscriptionsPerCall) tokens at once.")
        }
        if yes, !all { throw ValidationError("--yes belongs to --all.") }
    }

    func run() throws {
        let instance = try Instance(config)
        let store = try instance.openStore()
        let app = try store.catalogue.requireApp(named: app)
        if all, !yes { try Self.confirm(app, try store.quarantine.counts(of: app.id)[app.id] ?? QuarantineCounts()) }
        let writer = store.quarantineWriter
        // Tokens of iOS are kept in lower case.
        let spelt = app.settings.platform == .ios ? tokens.map { $0.lowercased() } : tokens
        let sum = try Self.inSteps(of: instance) { () throws(StoreError) in
            if let userKey { return try writer.release(app.id, userKey: userKey) }
            return all ? try writer.releaseAll(of: app.id) : try writer.release(app.id, tokens: spelt)
        }
        try StandardOutput.line(
            "\(Numerals.count(sum.released, "subscriber")) released, "
                + "errors of \(Numerals.grouped(sum.forgiven)) more forgotten")
        if sum.released + sum.forgiven == 0 { throw Ending.failed }
    }

    private static func inSteps(
        of instance: Instance, _ step: () throws(StoreError) -> ReleaseStep
    ) throws(StoreError) -> ReleaseStep {
        var courtesy = Courtesy(storePath: instance.storePath)
        var progress = ProgressLine()
        var sum = ReleaseStep()
        repeat {
            if sum.hasMore { courtesy.pause() }
            sum += try step()
            progress.show { "\(Numerals.grouped(sum.released)) released" }
        } while sum.hasMore
        progress.clear()
        return sum
    }

    private static func confirm(_ app: App, _ counts: QuarantineCounts) throws(CommandFailure) {
        guard isatty(STDIN_FILENO) == 1, StandardError.isTerminal else {
            throw .refused("--all releases every subscriber of \(app.name) that has errors; add --yes to do that")
        }
        StandardError.write(
            """
            release \(Numerals.grouped(counts.quarantined)) quarantined and \(Numerals.grouped(counts.disabled)) \
            disabled subscribers of \(app.name)? [y/N] 
            """)
        let answer = readLine() ?? ""
        guard ["y", "yes"].contains(answer.lowercased()) else { throw .refused("nothing was released") }
    }
}
