internal import ArgumentParser
internal import PushOperations

struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Have the running service read serverConf.xml again and reopen its logs.",
        discussion: """
            The service checks the file first. If the file is wrong, nothing changes (exit status 3). The command prints \
            which settings changed, and which of them need a restart. No message is lost: what is in flight is answered \
            under the old settings. The log and the delivery log are reopened by their names, as after logrotate.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let answer = try Instance(config).askMaster(ReloadConfiguration())
        if json.isWanted { try StandardOutput.json(answer) } else { try StandardOutput.lines(answer.lines) }
    }
}
