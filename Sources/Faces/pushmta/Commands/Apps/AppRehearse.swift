internal import ArgumentParser
internal import PushAPI
internal import PushModel

struct AppRehearse: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Test the whole chain with a test device, from its registration to a click.",
        discussion: """
            Start the application on a test device while the command runs. The command waits until the \
            device registers, sends it a message, and waits for the gateway's answer, the receipt and the \
            click. Progress is reported on standard error. At the end, the command prints each link of the \
            chain, and what to do about a missing link. Exit status 1 if a link is missing.

            While the command waits for the registration, it also reports other registrations, such as one \
            with an unknown integration key. It sees those that reach the service on this host. Devices that \
            register for the first time are seen on all hosts.

            If the command is interrupted, it cancels its message unless the message was sent.

            Example: pushmta app rehearse shop-ios-sandbox --user-key anna
            """)

    @OptionGroup var members: MemberArguments<RehearseApp>
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    /// Detects invalid limits before anything is opened.
    func validate() throws { _ = try members.request() }

    func run() throws {
        let (request, operations) = (try members.request(), try Operations(config))
        var shown = RehearsalProgress()
        let rehearsal = try Interruption.observed { isInterrupted in
            try operations.carryOut(
                request,
                watchedBy: Watch(report: { shown.show($0.result) }, isCancelled: isInterrupted))
        } lastWord: {
            "interrupted: a message that was not sent yet is cancelled"
        }
        if json.isWanted {
            try StandardOutput.json(rehearsal)
        } else {
            try StandardOutput.lines(RehearseApp.lines(rehearsal))
        }
        if !rehearsal.complete { throw CommandExit.failed }
    }
}

extension RehearseApp: CommandUseCase {
    static func lines(_ rehearsal: Rehearsal) -> [String] {
        rehearsal.links.flatMap { link -> [String] in
            let text = link.text.isEmpty ? "not reached" : link.text
            let details = link.seen.map { "  seen: \($0)" } + (link.advice.map { ["  to do: \($0)"] } ?? [])
            return ["\(link.link.rawValue): \(text)"] + details
        } + [rehearsal.complete ? "every link works" : "the chain is incomplete"]
    }
}

/// Reports each step of a rehearsal once.
private struct RehearsalProgress {
    private var shown: Set<String> = []

    mutating func show(_ rehearsal: Rehearsal) {
        for link in rehearsal.links {
            let lines =
                link.seen.map { "seen: \($0)" }
                + (link.text.isEmpty ? [] : ["\(link.link.rawValue): \(link.text)"])
            for line in lines where shown.insert(line).inserted {
                StandardError.line(line.printable(atMost: CommandFailure.maxLineLength))
            }
        }
    }
}
