import PushAPI
import PushModel
import PushStore
import PushWire
import TestRequests
import Testing

@Suite struct ResumeAccountTests {
    private func account(_ name: String, _ state: String, topics: [AccountStatus.Topic] = [])
        -> AccountStatus
    {
        AccountStatus(
            name: name, mark: Self.mark(name), state: state,
            reason: state == "working" ? "" : "Retry-After 3600 s",
            secondsUntilProbe: nil, outstanding: 0, inFlight: 0, window: 0, connections: 0,
            ratePerSecond: nil,
            children: [], troubles: [], topics: topics)
    }

    /// The mark that ``StandInEngine`` gives an account with this name, which has no credential.
    private static func mark(_ name: String) -> String { "\(name)  #1" }

    private func run(_ accounts: AccountStatus..., in instance: TestInstance) {
        instance.engine.run(
            MasterStatus(
                pid: 1, uptimeSeconds: 1, state: "running", unrecorded: 0, waitingRanges: 0, children: [],
                accounts: accounts))
    }

    private func resume(_ name: String, in instance: TestInstance) throws(OperationError) -> ResumedAccount {
        try instance.operations.carryOut(ResumeAccount(account: name))
    }

    private func refusal(of name: String, in instance: TestInstance) -> OperationError? {
        failure { () throws(OperationError) in _ = try resume(name, in: instance) }
    }

    @Test func `an account's wait is ended by account or app name, and the audit trail names the caller`()
        throws
    {
        let instance = try TestInstance.withApp()
        let app = try #require(try instance.store.catalogue.app(named: "ios"))
        let name = try instance.engine.account(of: app).name
        run(account(name, "waiting"), account("other", "working"), in: instance)
        for given in [name, "ios", Self.mark(name)] {
            let resumed = try resume(given, in: instance)
            #expect(resumed.account == name && resumed.changed && resumed.reason == "Retry-After 3600 s")
            #expect(resumed.otherHosts == 0)
        }
        // Each resumption writes an order to the store, by which the master's poll recognises the resumption.
        let lines = try instance.store.audit.page(limit: 3)
        #expect(lines.map(\.action) == Array(repeating: "account.resume", count: 3))
        #expect(instance.engine.orders == lines.reversed().map(\.number))
        #expect(instance.engine.resumed == Array(repeating: AccountKey(rawValue: Self.mark(name)), count: 3))
        let line = try #require(try instance.operations.carryOut(ReadAudit(limit: 1)).items.first)
        #expect(line.who == "a test" && line.action == "account.resume" && line.what == name)
    }

    @Test func `the short name that status shows on a terminal identifies exactly one account`() throws {
        let instance = try TestInstance()
        func account(_ mark: String, apps: [String]) -> AccountStatus {
            AccountStatus(
                name: "iosHTTP2 production TEAM:KEY", mark: "iosHTTP2 production TEAM:KEY #\(mark)",
                apps: apps,
                state: "waiting", reason: "Retry-After 3600 s", secondsUntilProbe: nil, outstanding: 0,
                inFlight: 0,
                window: 0, connections: 0, ratePerSecond: nil, children: [], troubles: [])
        }
        run(account("541908bc", apps: ["shop", "news"]), account("541777aa", apps: ["shop"]), in: instance)
        for given in ["news+1#5419", "shop#5419", "ne…#5419", "TEAM:KEY#541908bc"] {
            #expect(try resume(given, in: instance).changed, "\(given)")
        }
        #expect(Set(instance.engine.resumed.map(\.rawValue)) == ["iosHTTP2 production TEAM:KEY #541908bc"])
        for given in ["shop#541", "shop#5418", "other#5419", "nu…#5419", "#5419", "+1#5419"] {
            #expect(refusal(of: given, in: instance)?.kind == .absent, "\(given)")
        }
    }

    @Test
    func
        `resuming a working account changes nothing, unless the gateway refuses one of the account's topics`()
        throws
    {
        let instance = try TestInstance()
        run(account("a", "working"), in: instance)
        let working = try resume("a", in: instance)
        #expect(working.account == "a" && !working.changed && working.reason == nil)
        let topic = AccountStatus.Topic(
            name: "org.example.voip", state: "waiting", reason: "TopicDisallowed", secondsUntilProbe: 9,
            waitingRanges: 1)
        run(account("a", "working", topics: [topic]), in: instance)
        let resumed = try resume("a", in: instance)
        #expect(resumed.changed && resumed.reason == "TopicDisallowed for topic org.example.voip")
    }

    @Test func `resuming is refused for a storm, an unknown name and a missing master`() throws {
        let instance = try TestInstance()
        let absent = refusal(of: "a", in: instance)
        #expect(absent?.lines.first?.contains("no master runs") == true)
        run(account("a", "stopped"), in: instance)
        let storm = refusal(of: "a", in: instance)
        #expect(storm?.kind == .refused && storm?.lines.first?.contains("quarantine storm show") == true)
        let unknown = refusal(of: "b", in: instance)
        #expect(unknown?.lines.first?.contains("no account or app b") == true)
        #expect(instance.engine.resumed.isEmpty)
    }
}
