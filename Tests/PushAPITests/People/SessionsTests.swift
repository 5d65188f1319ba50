import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct SessionsTests {
    @Test func `a person signs in, is recognised and signs out`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("Anna", .marketer, services: ["neotrips"])
        fixture.pass(seconds: 5)
        let (one, other) = (try fixture.session(of: "anna"), try fixture.session(of: "ANNA"))
        #expect(one.token != other.token && one.csrf != other.csrf && one.token.utf8.count == 43)
        #expect(one.person.name == "Anna" && "\(one)" == "a session")
        let view = try #require(try fixture.view(one.token))
        #expect(view.person == "Anna" && view.role == .marketer && view.services == ["neotrips"])
        #expect(view.scopes == [.read, .send] && view.csrf == one.csrf && view.isConfirmed)
        #expect(view.since.seconds(since: TestInstance.noon) == 5 && view.caller == "person Anna")
        for wrong in ["", one.csrf, one.token + "x", String(repeating: "x", count: 1 << 20)] {
            #expect(try fixture.view(wrong) == nil)
        }
        #expect(try fixture.operations.carryOut(EndSession(token: one.token)))
        #expect(try fixture.view(one.token) == nil && fixture.view(other.token) != nil)
        #expect(try !fixture.operations.carryOut(EndSession(token: one.token)))
        #expect(
            try fixture.audit(3) == [
                "person Anna: session.leave ", "person Anna: session.begin from 192.0.2.7",
                "person Anna: session.begin from 192.0.2.7",
            ])
    }

    @Test func `a session ends after 8 hours without use, and after 7 days in any case`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let (used, idle) = (try fixture.session(of: "anna"), try fixture.session(of: "anna"))
        for hour in 1..<168 {
            fixture.pass(seconds: 3_600)
            #expect(try fixture.view(used.token) != nil, "\(hour)")
        }
        #expect(try fixture.view(idle.token) == nil)
        fixture.pass(seconds: 3_600)
        #expect(try fixture.view(used.token) == nil)
    }

    @Test func `the use of a session is written at most once a minute`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let token = try fixture.session(of: "anna").token
        func used() throws -> Double? {
            try fixture.operations.carryOut(ListSessions(name: "anna")).first?.lastUsedAt.seconds(
                since: TestInstance.noon)
        }
        for (seconds, written) in [(59, 0), (1, 60), (59, 60), (1, 120)] {
            fixture.pass(seconds: Int64(seconds))
            #expect(try fixture.view(token) != nil)
            #expect(try used() == Double(written))
        }
    }

    @Test func `a change of the role applies to present sessions, and a session that ends elsewhere ends`()
        throws
    {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let token = try fixture.session(of: "anna").token
        #expect(try fixture.view(token)?.role == .viewer)
        // Other operations on the same store, as another host has them.
        let other = fixture.instance.operations
        _ = try other.carryOut(SetPersonRole(name: "anna", RoleFields(role: .operator)))
        fixture.pass(seconds: 1)
        #expect(try fixture.view(token)?.scopes == [.read, .send, .admin])
        _ = try other.carryOut(ResetPerson(name: "anna"))
        fixture.pass(seconds: 1)
        #expect(try fixture.view(token) == nil)
    }

    @Test func `removing a person and resetting the password end all sessions at once`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let one = try fixture.session(of: "anna").token
        #expect(try fixture.view(one) != nil)
        let reset = try fixture.operations.carryOut(ResetPerson(name: "anna"))
        #expect(try fixture.view(one) == nil && !reset.person.hasPassword)
        #expect(try fixture.signIn("anna").isWrong)
        _ = try fixture.operations.carryOut(
            SetPassword(linkKey: try fixture.key(in: reset), password: PeopleFixture.password))
        let other = try fixture.session(of: "anna").token
        #expect(try fixture.view(other) != nil)
        _ = try fixture.operations.carryOut(RemovePerson(name: "anna"))
        #expect(try fixture.view(other) == nil && fixture.signIn("anna").isWrong)
    }

    @Test func `a confirmation of the password counts for 10 minutes`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna", .admin)
        let token = try fixture.session(of: "anna").token
        func confirm(_ password: String) throws -> PasswordAnswer<SessionView> {
            try fixture.operations.carryOut(
                ConfirmPassword(token: token, password: password, address: "192.0.2.7"))
        }
        fixture.pass(seconds: 599)
        #expect(try fixture.view(token)?.isConfirmed == true)
        fixture.pass(seconds: 1)
        #expect(try fixture.view(token)?.isConfirmed == false)
        #expect(try confirm("wrong").isWrong)
        #expect(try fixture.view(token)?.isConfirmed == false)
        #expect(try confirm(PeopleFixture.password).value?.isConfirmed == true)
        #expect(try fixture.view(token)?.isConfirmed == true)
        #expect(try fixture.audit(1) == ["person anna: session.confirm "])
        _ = try fixture.operations.carryOut(EndSession(token: token))
        #expect(try confirm(PeopleFixture.password).isWrong)
    }
}
