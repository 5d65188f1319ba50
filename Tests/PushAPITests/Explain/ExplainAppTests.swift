import PushAPI
import PushModel
import PushWire
import TestRequests
import Testing

struct ExplainAppTests {
    @Test func `each setting is shown with its source, and the app's identity comes first`() throws {
        let instance = try TestInstance.withApp()
        let explanation = try instance.operations.carryOut(ExplainApp(app: "ios"))
        #expect(explanation.identity.map(\.setting) == ["app", "account"])
        let retries = try #require(explanation.settings.first { $0.setting == "retries" })
        #expect(retries.why == "nmac/retry/@count, default, or the delivery's")
        #expect(explanation.answers == nil && explanation.master == nil)
        #expect(explanation.credential.warning == nil)
    }

    @Test func `the app's answers and the master's state for the app are shown next to the settings`() throws
    {
        let instance = try TestInstance.withApp()
        try instance.subscribe(2)
        try instance.refuse(try instance.operations.carryOut(try TestInstance.submission()).id)
        instance.engine.run(.example(mark: "stub production  #1"))
        let explanation = try instance.operations.carryOut(ExplainApp(app: "ios"))
        #expect(explanation.answers?.aboutTokens == 2)
        #expect(explanation.answers?.stormSince == TestInstance.noon)
        #expect(explanation.master?.account?.reason == "refused")
        #expect(explanation.master?.children.map(\.pid) == [8])
    }

    @Test func `an account is explained by its name, its mark and its short name`() throws {
        let instance = try TestInstance.withApp()
        var master = MasterStatus.example(mark: "stub production  #541908bc")
        master.accounts[0].apps = ["deleted", "ios"]
        instance.engine.run(master)
        for name in ["stub production", "stub production  #541908bc", "ios#5419", "deleted+1#5419"] {
            #expect(try instance.operations.carryOut(ExplainApp(app: name)).app == "ios", "\(name)")
        }
        let error = failure { () throws(OperationError) in
            _ = try instance.operations.carryOut(ExplainApp(app: "other#5419"))
        }
        #expect(error?.kind == .absent)
    }
}
