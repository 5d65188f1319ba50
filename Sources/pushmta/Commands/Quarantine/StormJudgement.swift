internal import PushModel
internal import PushStore

/// Carries out an operator's judgement in transactions of bounded size, and tells the master.
struct StormJudgement {
    private let instance: Instance

    init(_ instance: Instance) { self.instance = instance }

    /// - Parameter step: one transaction; nil where there is nothing to decide.
    func reach(_ step: () throws(StoreError) -> VerdictStep?) throws -> VerdictStep {
        var courtesy = Courtesy(storePath: instance.storePath)
        var progress = ProgressLine()
        var sum = VerdictStep()
        repeat {
            if sum.hasMore { courtesy.pause() }
            guard let more = try step() else {
                throw CommandFailure.failed("somebody else has judged this storm meanwhile")
            }
            sum += more
            progress.show {
                "\(Numerals.count(sum.quarantined + sum.counted + sum.ignored + sum.discarded, "verdict")) judged"
            }
        } while sum.hasMore
        progress.clear()
        // The account was stopped for this: the master looks, and lets it go on.
        instance.nudgeMaster()
        return sum
    }
}
