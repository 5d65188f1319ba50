import PushAPI
import PushModel
import PushStore
import TestRequests
import Testing

struct PeopleTests {
    private func error(_ fixture: PeopleFixture, _ use: some ShortOperation) -> OperationError? {
        failure { () throws(OperationError) in _ = try fixture.operations.carryOut(use) }
    }

    @Test func `people are created, listed, changed and removed`() throws {
        let fixture = try PeopleFixture()
        let operations = fixture.operations
        let created = try operations.carryOut(
            CreatePerson(name: "Anna", RoleFields(role: .marketer, services: ["neotrips"])))
        #expect(created.person.name == "Anna" && created.person.role == .marketer)
        #expect(created.person.services == ["neotrips"] && !created.person.hasPassword)
        #expect(created.expiresAt.seconds(since: TestInstance.noon) == 86_400)
        #expect(try operations.carryOut(ShowPerson(name: "anna")) == created.person)
        #expect(try operations.carryOut(ListPeople()) == [created.person])

        let changed = try operations.carryOut(
            SetPersonRole(name: "anna", RoleFields(role: .operator)))
        #expect(changed.role == .operator && changed.services.isEmpty)
        #expect(try operations.carryOut(RemovePerson(name: "anna")).name == "Anna")
        #expect(try operations.carryOut(ListPeople()).isEmpty)
        #expect(error(fixture, ShowPerson(name: "anna"))?.kind == .absent)
    }

    @Test func `a bad name, an unknown service and services of an operator are refused`() throws {
        let fixture = try PeopleFixture()
        let refused: [(CreatePerson, OperationError.Kind, String)] = [
            (CreatePerson(name: "<b>", RoleFields(role: .viewer)), .refused, "name: must consist of letters"),
            (
                CreatePerson(name: "anna", RoleFields(role: .viewer, services: ["other"])), .absent,
                "there is no service other"
            ),
            (
                CreatePerson(name: "anna", RoleFields(role: .operator, services: ["neotrips"])), .refused,
                "services: the role operator applies to all services"
            ),
            (
                CreatePerson(name: "anna", RoleFields(role: .viewer, services: ["neotrips", "neotrips"])),
                .refused, "services: give each service once"
            ),
        ]
        for (use, kind, text) in refused {
            let found = error(fixture, use)
            #expect(found?.kind == kind && found?.description.hasPrefix(text) == true, "\(text)")
        }
        try fixture.add("anna")
        let again = error(fixture, CreatePerson(name: "ANNA", RoleFields(role: .viewer)))
        #expect(again?.kind == .conflict)
        #expect(again?.description == "there is already a person named ANNA; choose another name")
    }

    @Test func `the last admin keeps the role and is not removed, unless the command insists`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna", .admin)
        let demotion = SetPersonRole(name: "anna", RoleFields(role: .viewer))
        for found in [error(fixture, demotion), error(fixture, RemovePerson(name: "anna"))] {
            #expect(found?.kind == .conflict)
            #expect(found?.description.hasSuffix("or repeat the command with --force") == true)
            #expect(found?.apiLines.first?.hasSuffix("give the role to another person first") == true)
        }
        #expect(try fixture.operations.carryOut(ShowPerson(name: "anna")).role == .admin)
        try fixture.add("bert", .admin)
        #expect(try fixture.operations.carryOut(demotion).role == .viewer)
        _ = try fixture.operations.carryOut(RemovePerson(name: "bert", isForced: true))
        #expect(try fixture.operations.carryOut(ListPeople()).map(\.name) == ["anna"])
    }

    @Test func `an admin lists and ends the sessions of a person`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let (one, other) = (try fixture.session(of: "anna"), try fixture.session(of: "anna"))
        let operations = fixture.operations
        let listed = try operations.carryOut(ListSessions(name: "anna"))
        #expect(listed.map(\.address) == ["192.0.2.7", "192.0.2.7"])
        let first = try #require(listed.map(\.id).min())
        #expect(try operations.carryOut(EndSessions(name: "anna", session: first)).ended == 1)
        #expect(try fixture.view(one.token) == nil && fixture.view(other.token) != nil)
        #expect(error(fixture, EndSessions(name: "anna", session: first))?.kind == .absent)
        #expect(try operations.carryOut(EndSessions(name: "anna")).ended == 1)
        #expect(try fixture.view(other.token) == nil)
        #expect(try operations.carryOut(EndSessions(name: "anna")).ended == 0)
        #expect(error(fixture, ListSessions(name: "bert"))?.kind == .absent)
    }

    @Test func `the first person is an admin, and is created only if there is no person`() throws {
        let fixture = try PeopleFixture()
        let operations = fixture.operations
        #expect(try FirstPerson.isNeeded(in: operations))
        let first = try #require(try operations.carryOut(FirstPerson()))
        #expect(first.person.name == "admin" && first.person.role == .admin)
        #expect(try !FirstPerson.isNeeded(in: operations))
        #expect(try operations.carryOut(FirstPerson()) == nil)
        let person = try operations.carryOut(
            SetPassword(linkKey: try fixture.key(in: first), password: PeopleFixture.password))
        #expect(person.hasPassword && person.name == "admin")
        #expect(try fixture.audit(2) == ["person admin: password.set ", "a test: user.first admin"])
    }

    @Test func `only a caller with the scope people can give it to a token`() throws {
        let instance = try TestInstance()
        let use = CreateAccessToken(name: "all", scopes: AccessScope.allCases)
        let caller = instance.operations.with(caller: "person bert", scopes: Role.operator.scopes)
        let found = failure { () throws(OperationError) in _ = try caller.carryOut(use) }
        #expect(found?.kind == .refused && found?.description.hasPrefix("scopes: only a caller") == true)
        _ = try caller.carryOut(CreateAccessToken(name: "some", scopes: [.read, .send, .admin]))
        _ = try caller.with(scopes: Role.admin.scopes).carryOut(use)
        _ = try instance.operations.carryOut(CreateAccessToken(name: "b", scopes: [.people]))
        #expect(try instance.operations.carryOut(ListAccessTokens()).map(\.name) == ["all", "b", "some"])
    }

    @Test func `a caller without the scope people cannot give it by way of another process`() throws {
        let (asked, other) = (try TestInstance(), try TestInstance())
        let operations = other.operations
        asked.engine.carryOut { RequestAnswers(operations: operations)($0, for: $1) }
        let caller = asked.operations.with(caller: "token crm", scopes: [.admin])
        let found = failure { () throws(OperationError) in
            _ = try caller.carryOut(CreateAccessToken(name: "all", scopes: [.people]))
        }
        #expect(found?.kind == .refused)
        #expect(try other.operations.carryOut(ListAccessTokens()).isEmpty)
    }
}
