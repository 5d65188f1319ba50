import PushAPI
import PushModel
import PushStore
import Testing

struct WatchTests {
    @Test func `a long operation that is cancelled reports and keeps the progress it has made`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2_500)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        var steps: [VerdictStep] = []
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(
                DecideStorm(storm: "ios", judgement: .confirm),
                watchedBy: Watch(report: { steps.append($0) }, isCancelled: { !steps.isEmpty }))
        }
        #expect(error?.kind == .cancelled)
        #expect(steps.count == 1)
        let held = try instance.operations.carryOut(ShowStorms()).first?.held
        #expect(held == 2_500 - steps[0].judged)

        let rest = try instance.operations.carryOut(DecideStorm(storm: "ios", judgement: .confirm))
        #expect(rest.quarantined + steps[0].quarantined == 2_500)
    }
}
