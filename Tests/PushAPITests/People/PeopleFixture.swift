import Foundation
import PushAPI
import PushModel
import PushStore
import Synchronization
import TestRequests
import Testing

/// An instance with people, and clocks that a test moves.
final class PeopleFixture {
    static let password = "four unrelated words"

    let instance: TestInstance
    let operations: Operations
    private let clock = MovingClock()

    init() throws {
        instance = try TestInstance.withApp()
        let clock = clock
        operations = Operations(
            configuration: instance.operations.configuration, store: instance.store, engine: instance.engine,
            clock: OperationsClock(
                moment: {
                    let start = TestInstance.noon.millisecondsSince1970
                    return WallMoment(millisecondsSince1970: start + clock.seconds * 1_000)
                },
                monotonic: { MonotonicTime(nanoseconds: clock.seconds * 1_000_000_000) }),
            caller: "a test")
    }

    func pass(seconds: Int64) { clock.pass(seconds) }

    /// Creates a person with ``password``.
    func add(_ name: String, _ role: Role = .viewer, services: [String] = []) throws {
        let created = try operations.carryOut(
            CreatePerson(name: name, RoleFields(role: role, services: services)))
        _ = try operations.carryOut(
            SetPassword(linkKey: try key(in: created), password: Self.password))
    }

    /// Returns the key in a link.
    func key(in created: PersonLinkView) throws -> String {
        let parts = created.link.split(separator: "=")
        #expect(parts.count == 2 && parts[0] == "/console/welcome?key")
        return String(try #require(parts.last))
    }

    func signIn(
        _ name: String, _ password: String = password, from address: String = "192.0.2.7"
    ) throws -> PasswordAnswer<NewSession> {
        try operations.carryOut(BeginSession(name: name, password: password, address: address))
    }

    /// Signs in a person who has ``password``.
    func session(of name: String) throws -> NewSession { try #require(try signIn(name).value) }

    func view(_ token: String) throws -> SessionView? { try operations.carryOut(CheckSession(token: token)) }

    /// Returns the newest lines of the audit trail.
    func audit(_ count: Int) throws -> [String] {
        try instance.store.audit.page(limit: count).map { "\($0.who): \($0.action) \($0.what)" }
    }
}

private final class MovingClock: Sendable {
    private let passed = Atomic<Int64>(0)
    var seconds: Int64 { passed.load(ordering: .relaxed) }
    func pass(_ seconds: Int64) { passed.add(seconds, ordering: .relaxed) }
}

extension PasswordAnswer {
    /// The value; `nil` if the password was not accepted.
    var value: Value? { if case .accepted(let value) = self { value } else { nil } }
    var isWrong: Bool { if case .wrong = self { true } else { false } }
    /// The seconds to wait; `nil` if the attempt was admitted.
    var wait: Int? { if case .tooManyAttempts(let seconds) = self { seconds } else { nil } }
}
