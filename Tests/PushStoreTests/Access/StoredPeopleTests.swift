import PushModel
import PushStore
import Testing

@Suite(.eachEngine) struct PeopleTests {
    private let noon = TemporaryStore.noon

    @Test func `a name belongs to one person, without regard to case and form`() throws {
        try TemporaryStore.with { fixture in
            #expect(try !fixture.store.people.isAny())
            let zoe = try fixture.person("Zo\u{EB}", .marketer, services: ["neotrips", "it's two words"])
            #expect(zoe.name == "Zoë" && zoe.role == .marketer && zoe.password == nil && zoe.lastLogin == nil)
            #expect(zoe.services == ["neotrips", "it's two words"] && zoe.created == noon)
            expect(.duplicate(.person, name: "ZOË")) { _ = try fixture.person("ZOE\u{308}") }
            _ = try fixture.person("anna", .admin)
            #expect(try fixture.store.people.list().map(\.name) == ["anna", "Zoë"])
            #expect(try fixture.store.people.find(name("zoe\u{308}")) == zoe)
            #expect(try fixture.store.people.find(name("zoe")) == nil)
            #expect(try fixture.store.people.isAny())
        }
    }

    @Test func `a link sets a password once, and only until it expires`() throws {
        try TemporaryStore.with { fixture in
            let (link, other) = (PersonSecret.make(), PersonSecret.make())
            let anna = try fixture.person("anna", link: link)
            let end = noon.later(seconds: 24 * 3_600)
            let people = fixture.store.people
            #expect(try people.person(with: link, at: end.later(seconds: -1)) == anna)
            #expect(try people.person(with: link, at: end) == nil)
            for wrong in ["", other.text, link.text + "x", String(repeating: "x", count: 1 << 16)] {
                #expect(try people.person(with: PersonSecret(text: wrong), at: noon) == nil)
            }
            let writer = fixture.store.personWriter
            #expect(try writer.setPassword(nobody(), with: link, at: end) == nil)
            let changed = try #require(try writer.setPassword(nobody(), with: link, at: noon))
            #expect(try changed.password == nobody() && changed.revision == 1)
            #expect(try writer.setPassword(nobody(), with: link, at: noon) == nil)
            #expect(try people.person(with: link, at: noon) == nil)

            // A new link replaces the former one and deletes the password.
            let second = PersonSecret.make()
            #expect(try writer.reset(name("anna"), link: second, at: noon).password == nil)
            _ = try writer.reset(name("anna"), link: other, at: noon)
            #expect(try people.person(with: second, at: noon) == nil)
            #expect(try people.person(with: other, at: noon)?.name == "anna")
            #expect(try fixture.rows("person_link") == 1)
            let contents = try fixture.query("SELECT CAST(length(digest) AS TEXT) FROM person_link")
            #expect(contents == ["32"])
        }
    }

    @Test func `the last admin keeps the role, unless the caller insists`() throws {
        try TemporaryStore.with { fixture in
            _ = try fixture.person("anna", .admin)
            _ = try fixture.person("bert", .operator)
            let writer = fixture.store.personWriter
            let demoted = try writer.setRole(of: name("anna"), .operator, services: [], isForced: false)
            #expect(isLastAdmin(demoted))
            #expect(isLastAdmin(try writer.remove(name("anna"), isForced: false)))
            #expect(try fixture.store.people.find(name("anna"))?.role == .admin)
            #expect(!isLastAdmin(try writer.setRole(of: name("anna"), .admin, services: [], isForced: false)))
            #expect(!isLastAdmin(try writer.setRole(of: name("bert"), .admin, services: [], isForced: false)))
            #expect(
                !isLastAdmin(try writer.setRole(of: name("anna"), .viewer, services: ["a"], isForced: false)))
            #expect(try fixture.store.people.find(name("anna"))?.services == ["a"])
            #expect(!isLastAdmin(try writer.remove(name("bert"), isForced: true)))
            #expect(try fixture.store.people.list().map(\.name) == ["anna"])
            expect(.unknown(.person, name: "bert")) {
                _ = try writer.remove(name("bert"), isForced: false)
            }
        }
    }

    @Test func `a session ends after 8 hours without use, and after 7 days in any case`() throws {
        try TemporaryStore.with { fixture in
            let anna = try fixture.person("anna")
            let token = PersonSecret.make()
            #expect(
                try fixture.store.sessionWriter.begin(
                    token, of: anna, from: "192.0.2.7", checked: noon, at: noon))
            let sessions = fixture.store.sessions
            let found = try #require(try sessions.find(token, at: noon))
            #expect(found.person.name == "anna" && found.person.lastLogin == noon)
            #expect(found.session.created == noon && found.session.checked == noon)
            #expect(found.session.address == "192.0.2.7")
            #expect(try sessions.find(token, at: later(hours: 8, -1)) != nil)
            #expect(try sessions.find(token, at: later(hours: 8)) == nil)
            #expect(try sessions.find(.make(), at: noon) == nil)
            for hours in stride(from: 7, to: 168, by: 7) {
                let session = try #require(try sessions.find(token, at: later(hours: hours))).session
                try fixture.store.sessionWriter.touch(session, at: later(hours: hours))
            }
            let last = try #require(try sessions.find(token, at: later(hours: 168, -1))).session
            try fixture.store.sessionWriter.touch(last, at: later(hours: 168, -1))
            #expect(try sessions.find(token, at: later(hours: 168)) == nil)
            // An older time does not shorten the session.
            try fixture.store.sessionWriter.touch(last, at: noon)
            #expect(try sessions.find(token, at: later(hours: 168, -1)) != nil)
            let contents = try fixture.query("SELECT CAST(length(digest) AS TEXT) FROM session")
            #expect(contents == ["32"])
        }
    }

    @Test func `a new password, a reset and a removal end all sessions of the person only`() throws {
        try TemporaryStore.with { fixture in
            let writer = fixture.store.personWriter
            let others = try fixture.begin(try fixture.person("bert"), 1)
            func isIn(_ tokens: [PersonSecret]) throws -> Bool {
                try tokens.contains { try fixture.store.sessions.find($0, at: noon) != nil }
            }
            let anna = try fixture.person("anna")
            var tokens = try fixture.begin(anna, 2)
            let changed = try #require(try writer.setPassword(nobody(), of: anna))
            #expect(try !isIn(tokens))
            // The person as read before the change can neither begin a session nor change the password.
            #expect(
                try !fixture.store.sessionWriter.begin(
                    .make(), of: anna, from: "", checked: noon, at: noon))
            #expect(try writer.setPassword(nobody(), of: anna) == nil)
            tokens = try fixture.begin(changed, 2)
            #expect(try isIn(tokens))
            let reset = try writer.reset(name("anna"), link: .make(), at: noon)
            #expect(try !isIn(tokens))
            tokens = try fixture.begin(reset, 2)
            _ = try writer.remove(name("anna"), isForced: false)
            #expect(try !isIn(tokens) && isIn(others))
            #expect(try fixture.rows("session") == 1 && fixture.rows("person_link") == 1)
        }
    }

    @Test func `a person has at most 20 sessions, and the oldest ends when another one begins`() throws {
        try TemporaryStore.with { fixture in
            let anna = try fixture.person("anna")
            let tokens = try fixture.begin(anna, SessionWriter.maxSessions + 2)
            let found = try tokens.map { try fixture.store.sessions.find($0, at: noon) != nil }
            #expect(found == [false, false] + Array(repeating: true, count: SessionWriter.maxSessions))
            let listed = try fixture.store.sessions.list(of: anna, at: noon)
            #expect(listed.count == SessionWriter.maxSessions)
            let writer = fixture.store.sessionWriter
            #expect(try writer.end(of: anna, id: listed[0].id) == 1)
            #expect(try fixture.store.sessions.find(tokens[tokens.count - 1], at: noon) == nil)
            #expect(try writer.end(of: anna, id: listed[0].id) == 0)
            #expect(try writer.end(tokens[3]) && !writer.end(tokens[3]))
            #expect(try writer.end(of: anna, id: nil) == SessionWriter.maxSessions - 2)
            #expect(try fixture.store.sessions.list(of: anna, at: noon).isEmpty)
        }
    }

    @Test func `a check of the password is recorded, unless the session has ended`() throws {
        try TemporaryStore.with { fixture in
            let token = try #require(try fixture.begin(try fixture.person("anna"), 1).first)
            let session = try #require(try fixture.store.sessions.find(token, at: noon)).session
            #expect(try fixture.store.sessionWriter.confirm(session, at: later(hours: 1)))
            let checked = try fixture.store.sessions.find(token, at: later(hours: 1))?.session.checked
            #expect(checked == later(hours: 1))
            _ = try fixture.store.sessionWriter.end(token)
            #expect(try !fixture.store.sessionWriter.confirm(session, at: later(hours: 1)))
            let (unchecked, anna) = (PersonSecret.make(), try fixture.person("jonas"))
            #expect(
                try fixture.store.sessionWriter.begin(unchecked, of: anna, from: "", checked: nil, at: noon))
            let found = try fixture.store.sessions.find(unchecked, at: noon)?.session.checked
            #expect(found?.millisecondsSince1970 == 0)
        }
    }

    @Test func `ended sessions and expired links are removed`() throws {
        try TemporaryStore.with { fixture in
            let anna = try fixture.person("anna")
            _ = try fixture.begin(anna, 3)
            let rules = TemporaryStore.retention
            let kinds = { (now: WallMoment) in try fixture.store.retention.look(rules, at: now).kinds }
            #expect(try !kinds(later(hours: 8, -1)).contains(.sessions))
            #expect(try kinds(later(hours: 8)).contains(.sessions))
            _ = try fixture.retain(at: later(hours: 8))
            #expect(try fixture.rows("session") == 0 && fixture.rows("person_link") == 1)
            #expect(try kinds(later(hours: 24)).contains(.sessions))
            _ = try fixture.retain(at: later(hours: 24))
            #expect(try fixture.rows("person_link") == 0 && fixture.rows("person") == 1)
            #expect(try !kinds(later(hours: 24)).contains(.sessions))
        }
    }

    private func later(hours: Int, _ seconds: Int64 = 0) -> WallMoment {
        noon.later(seconds: Int64(hours) * 3_600 + seconds)
    }

    private func name(_ text: String) throws -> PersonName { try #require(PersonName(text)) }
    private func nobody() throws -> PasswordHash { try #require(PasswordHash.ofNoPerson) }

    private func isLastAdmin(_ result: PersonWriter.Result) -> Bool {
        if case .lastAdmin = result { true } else { false }
    }
}

@Suite struct PasswordHashTests {
    @Test func `a password matches only its own form, which differs each time`() throws {
        let hash = try #require(PasswordHash.make("correct horse battery"))
        #expect(hash.text.hasPrefix("$scrypt$ln=17,r=8,p=1$"))
        #expect(hash.text.split(separator: "$").suffix(2).map(\.utf8.count) == [22, 43])
        #expect("\(hash)" == "a password")
        let again = try #require(PasswordHash(text: hash.text))
        #expect(again == hash && again.matches("correct horse battery") == true)
        #expect(again.matches("correct horse batterY") == false)
        #expect(PasswordHash.ofNoPerson?.matches("") == false)
    }

    @Test func `a form with another cost is read`() throws {
        // The first 32 bytes of an example in RFC 7914, section 12.
        let text =
            "$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI"
        #expect(PasswordHash(text: text)?.matches("pleaseletmein") == true)
        #expect(PasswordHash(text: text)?.matches("pleaseletmeIn") == false)
    }

    @Test(arguments: [
        "", "secret", "$scrypt$ln=17,r=8,p=1$AAAA", "$scrypt$ln=17,r=8$AAAA$AAAA",
        "$bcrypt$ln=17,r=8,p=1$AAAA$AAAA", "$scrypt$ln=40,r=8,p=1$AAAA$AAAA",
        "$scrypt$ln=17,r=8,p=1$AAAA$", "$scrypt$ln=17,r=8,p=1$A=A$AAAA", "$scrypt$ln=17,r=8,p=1$AAAA$AAAA$",
    ])
    func `any other text is not a form of a password`(text: String) {
        #expect(PasswordHash(text: text) == nil)
    }

    @Test func `secrets have 43 characters and are not printed`() {
        let (one, other) = (PersonSecret.make(), PersonSecret.make())
        #expect(one.text != other.text && one.text.utf8.count == 43 && "\(one)" == "a secret")
        #expect(one.derived(for: "csrf") == one.derived(for: "csrf"))
        #expect(one.derived(for: "csrf") != one.derived(for: "other"))
        #expect(one.derived(for: "csrf") != other.derived(for: "csrf"))
    }
}

extension TemporaryStore {
    fileprivate func person(
        _ name: String, _ role: Role = .viewer, services: [String] = [], link: PersonSecret = .make()
    ) throws -> Person {
        try store.personWriter.create(
            try #require(PersonName(name)), role, services: services, link: link, at: Self.noon)
    }

    /// Begins sessions of a person.
    fileprivate func begin(_ person: Person, _ count: Int) throws -> [PersonSecret] {
        let tokens = (0..<count).map { _ in PersonSecret.make() }
        for token in tokens {
            #expect(
                try store.sessionWriter.begin(
                    token, of: person, from: "::1", checked: Self.noon, at: Self.noon))
        }
        return tokens
    }
}
