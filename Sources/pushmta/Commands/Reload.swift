internal import ArgumentParser
internal import PushOperations

struct Reload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload", abstract: "Have the running service read serverConf.xml anew.",
        discussion: """
            The file is checked first; one that is wrong changes nothing (exit status 3). Says what has changed, and \
            what needs a restart. Nobody loses a message: what is in flight is answered under the old settings.
            """)

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let answer = try Instance(config).askMaster(ReloadConfiguration())
        if json.isWanted { try StandardOutput.json(answer) } else { try StandardOutput.lines(answer.lines) }
    }
}
