import PushAPI
import PushModel
import PushStore
import Testing

/// A person's own sessions, which every person may see and end.
@Suite struct OwnSessionsTests {
    private static let password = "four unrelated words"

    private static func instance() throws -> TestInstance {
        let instance = try TestInstance()
        for name in ["anna", "jonas"] {
            var create = CreatePerson()
            (create.name, create.fields) = (name, RoleFields(role: .viewer))
            let link = try instance.operations.carryOut(create).link
            let key = try #require(link.split(separator: "=").last).description
            _ = try instance.operations.carryOut(SetPassword(linkKey: key, password: password))
        }
        return instance
    }

    private static func begin(_ name: String, _ instance: TestInstance) throws -> String {
        let begin = BeginSession(name: name, password: password, address: "192.0.2.7")
        guard case .accepted(let session) = try instance.operations.carryOut(begin) else {
            Issue.record("the password was not accepted")
            return ""
        }
        return session.token
    }

    @Test func `a person sees the own sessions and ends the others`() throws {
        let instance = try Self.instance()
        let tokens = try (0..<3).map { _ in try Self.begin("anna", instance) }
        let other = try Self.begin("jonas", instance)
        let operations = instance.operations
        let own = try #require(try operations.carryOut(ListOwnSessions(token: tokens[1])))
        #expect(own.sessions.count == 3 && own.sessions.map(\.id).contains(own.present))
        #expect(try operations.carryOut(EndOtherSessions(token: tokens[1])) == 2)
        #expect(
            try operations.carryOut(ListOwnSessions(token: tokens[1]))?.sessions.map(\.id) == [own.present])
        for token in [tokens[0], tokens[2]] {
            #expect(try operations.carryOut(CheckSession(token: token)) == nil)
        }
        #expect(try operations.carryOut(CheckSession(token: other)) != nil)
        let lines = try operations.carryOut(ReadAudit()).items.filter { $0.action == "session.end-others" }
        #expect(lines.map(\.who) == ["person anna"])
        #expect(try operations.carryOut(EndOtherSessions(token: tokens[1])) == 0)
    }

    @Test func `a token without a session sees and ends nothing`() throws {
        let instance = try Self.instance()
        let token = try Self.begin("anna", instance)
        let unknown = String(repeating: "a", count: 43)
        #expect(try instance.operations.carryOut(ListOwnSessions(token: unknown)) == nil)
        #expect(try instance.operations.carryOut(EndOtherSessions(token: unknown)) == 0)
        #expect(try instance.operations.carryOut(CheckSession(token: token)) != nil)
    }

    @Test func `waiting messages of each account are listed without a master`() throws {
        let instance = try TestInstance.withApp()
        try instance.subscribe(3)
        try instance.prepare(try instance.operations.carryOut(TestInstance.submission()).id)
        let queues = try instance.operations.carryOut(ShowQueues())
        #expect(queues.map(\.pending) == [3] && queues[0].apps == ["ios"])
    }
}
