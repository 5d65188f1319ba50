import PushAPI
import Testing

struct PollFeedbackTests {
    @Test func `an app whose gateway has no feedback service is refused`() throws {
        let instance = try TestInstance.withApp()
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(PollFeedback(app: "ios"))
        }
        #expect(error?.kind == .refused)
        #expect(error?.description.contains("connector stub") == true)
    }
}
