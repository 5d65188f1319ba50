import PushAPI
import PushModel
import TestRequests
import Testing

struct PasswordsTests {
    private func error(_ fixture: PeopleFixture, _ use: some ShortOperation) -> OperationError? {
        failure { () throws(OperationError) in _ = try fixture.operations.carryOut(use) }
    }

    @Test func `a link sets a password once, and only within 24 hours`() throws {
        let fixture = try PeopleFixture()
        let created = try fixture.operations.carryOut(
            CreatePerson(name: "anna", RoleFields(role: .viewer)))
        let key = try fixture.key(in: created)
        #expect(try fixture.operations.carryOut(CheckLink(linkKey: key)) == created.person)
        // A refused password does not use the link.
        #expect(error(fixture, SetPassword(linkKey: key, password: "short"))?.kind == .refused)
        let set = SetPassword(linkKey: key, password: PeopleFixture.password)
        #expect(try fixture.operations.carryOut(set).hasPassword)
        #expect(error(fixture, set)?.kind == .absent)
        #expect(try fixture.operations.carryOut(CheckLink(linkKey: key)) == nil)

        let late = try fixture.key(in: try fixture.operations.carryOut(ResetPerson(name: "anna")))
        fixture.pass(seconds: 86_400)
        #expect(try fixture.operations.carryOut(CheckLink(linkKey: late)) == nil)
        let expired = error(fixture, SetPassword(linkKey: late, password: PeopleFixture.password))
        #expect(expired?.kind == .absent)
        #expect(expired?.description.hasPrefix("the link is unknown, has expired or was used") == true)
        let texts = try fixture.audit(10).joined()
        #expect(!texts.contains(key) && !texts.contains(late) && !texts.contains(PeopleFixture.password))
    }

    @Test func `a password has 12 to 128 characters, and is neither the name nor a common password`() {
        let faults: [(String, String)] = [
            ("", "must have at least 12 characters"), ("elevenchars", "must have at least 12 characters"),
            (String(repeating: "ab", count: 65), "must have at most 128 characters"),
            ("anna.rossi.2026", "must not be the name of the person"),
            ("ANNA.Rossi.2026", "must not be the name of the person"),
            ("Password1234", "is one that many people use"), ("aaaaaaaaaaaaa", "is one that many people use"),
        ]
        for (password, text) in faults {
            let fault = PasswordRule.fault(of: password, for: "Anna.Rossi.2026")
            #expect(fault?.hasPrefix(text) == true, "\(text)")
        }
        for password in [PeopleFixture.password, "zwölf Zeichen", String(repeating: "abc", count: 42)] {
            #expect(PasswordRule.fault(of: password, for: "anna") == nil)
        }
    }

    @Test func `a password is the same in each form of its letters`() throws {
        let fixture = try PeopleFixture()
        let created = try fixture.operations.carryOut(
            CreatePerson(name: "anna", RoleFields(role: .viewer)))
        _ = try fixture.operations.carryOut(
            SetPassword(linkKey: try fixture.key(in: created), password: "zwo\u{308}lf Zeichen"))
        #expect(try fixture.signIn("anna", "zw\u{F6}lf Zeichen").value != nil)
        #expect(try fixture.signIn("anna", "zw\u{F6}lf zeichen").isWrong)
    }

    @Test func `a changed password ends all other sessions and begins a new one`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let (one, other) = (try fixture.session(of: "anna").token, try fixture.session(of: "anna").token)
        func change(_ password: String, to new: String) throws -> PasswordAnswer<NewSession> {
            try fixture.operations.carryOut(
                ChangePassword(token: one, password: password, newPassword: new, address: "192.0.2.7"))
        }
        #expect(try change("wrong", to: "another long password").isWrong)
        #expect(throws: OperationError.self) { try change(PeopleFixture.password, to: "short") }
        let new = try #require(try change(PeopleFixture.password, to: "another long password").value)
        #expect(try fixture.view(one) == nil && fixture.view(other) == nil)
        #expect(try fixture.view(new.token)?.person == "anna")
        #expect(try fixture.signIn("anna").isWrong)
        #expect(try fixture.signIn("anna", "another long password").value != nil)
        #expect(try change("another long password", to: PeopleFixture.password).isWrong)
    }
}
