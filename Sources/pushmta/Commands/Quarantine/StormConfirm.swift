internal import ArgumentParser
internal import PushConfig
internal import PushMaster
internal import PushModel
internal import PushStore

struct StormConfirm: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "confirm", abstract: "Believe the answers of a storm: their tokens go into quarantine.",
        discussion: """
            For devices that are really gone. A device that registered again after the answer is left alone. The \
            account goes on at once. An interruption leaves the rest waiting; the same command finishes it. Exit \
            status 1 where there is nothing to decide.
            """)

    @OptionGroup var subject: StormArgument

    func run() throws {
        let instance = try Instance(subject.config)
        let store = try instance.openStore()
        let account = try subject.account(in: store, of: instance)
        let quarantine = instance.settings.nmac.quarantine
        let rules = QuarantineRules(
            maxErrors: quarantine.maxErrors,
            significantErrorDelaySeconds: Int64(quarantine.significantErrorDelaySec))
        let sum = try StormJudgement(instance).reach { () throws(StoreError) in
            try store.verdicts.confirmStorm(account, rules: rules, at: Clocks.moment())
        }
        try StandardOutput.line(
            """
            \(Numerals.count(sum.quarantined, "token")) quarantined, \(Numerals.count(sum.counted, "error")) counted, \
            \(Numerals.grouped(sum.ignored)) left alone: registered again since, gone, or excluded already
            """)
    }
}
