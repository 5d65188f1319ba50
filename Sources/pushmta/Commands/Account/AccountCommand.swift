internal import ArgumentParser
internal import PushModel
internal import PushOperations

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Accounts: what apps with the same credential share.",
        discussion: "\"pushmta status\" shows the accounts of the running master and why one of them waits.",
        subcommands: [AccountResume.self])
}

struct AccountResume: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume", abstract: "End the wait of an account, so that its gateway is asked at once.",
        discussion: """
            An account waits when its gateway cannot be reached, refuses it, or asks for a pause; so does a topic that the \
            gateway refuses. This ends the wait of the account and of its topics: one message of each goes at once, and if \
            the gateway accepts it, the others follow. It changes nothing for an account that works. All hosts that send from the \
            store do this. A message that has its own time for another try keeps it. Exit status 3 if a \
            storm stopped the account (see "quarantine storm show").

            Example: pushmta account resume shop-ios
            """)

    @Argument(
        help: "The account's name as \"status\" shows it, or the name of one of its apps.",
        completion: .appNames)
    var name: String

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let resumed = try Operations(config).carryOut(ResumeAccount(account: name))
        var line =
            resumed.changed
            ? "account \(resumed.account) asks its gateway at once; it waited: \(resumed.reason)"
            : "account \(resumed.account) did not wait"
        if resumed.otherHosts > 0 {
            let hosts = resumed.otherHosts == 1 ? "1 other host" : "\(resumed.otherHosts) other hosts"
            line += (resumed.changed ? "" : " on this host") + "; \(hosts) will do the same if it waits there"
        }
        try StandardOutput.answer(resumed, json, line)
    }
}
