internal import ArgumentParser
internal import PushConfig
internal import PushMaster
internal import PushOperations
internal import PushStore

struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have the running service read serverConf.xml again and reopen its logs.",
        discussion: """
            The log and the delivery log are reopened by their names, as after logrotate, whatever the file says. The \
            service then checks the file. If the file is wrong, no setting changes (exit status 3). The command prints \
            which settings changed, and which of them need a restart. No message is lost: what is in flight is answered \
            under the old settings.
            """)

    /// The service reopens its logs also for a file that this command refuses as well, and then says what is wrong with
    /// the file.
    private static func askMaster(
        ofRefused config: ConfigurationOption, _ error: ConfigurationError
    ) throws -> ReloadView {
        guard let instance = try? Instance(servedBesideRefused: config) else { throw error }
        do { return try instance.askMaster(ReloadConfiguration()) } catch let failure as OperationError
            where failure == .otherVersion
        { throw error }
    }

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let answer: ReloadView
        do { answer = try Instance(config).askMaster(ReloadConfiguration()) } catch let error
            as ConfigurationError
        {
            answer = try Self.askMaster(ofRefused: config, error)
        }
        if json.isWanted { try StandardOutput.json(answer) } else { try StandardOutput.lines(answer.lines) }
    }
}
