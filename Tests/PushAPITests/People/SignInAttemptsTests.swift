import Dispatch
import Foundation
import PushAPI
import PushModel
import Synchronization
import TestRequests
import Testing

struct SignInAttemptsTests {
    private func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    private func attempt(_ name: String, _ address: String) -> [SignInAttempts.Subject] {
        SignInAttempts.subjects(name: name, address: address)
    }

    @Test func `after 3 failures of a name, each further failure doubles the time to wait, up to 5 minutes`()
    {
        let attempts = SignInAttempts()
        var (now, waits): (Int64, [Int]) = (0, [])
        for number in 1...13 {
            // Each attempt comes from another address.
            let anna = attempt("anna", "192.0.2.\(number)")
            #expect(attempts.begin(anna, at: time(now)) == .admitted(failures: number))
            if number < 3 { continue }
            guard case .mustWait(let seconds) = attempts.begin(anna, at: time(now)) else {
                Issue.record("attempt \(number + 1) need not wait")
                return
            }
            waits.append(seconds)
            now += Int64(seconds)
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
        #expect(attempts.begin(attempt("ANNA", "::1"), at: time(now - 1)) == .mustWait(seconds: 1))
        #expect(attempts.begin(attempt("bert", "::1"), at: time(now - 1)) == .admitted(failures: 1))
        // After an hour without a failure, everything is forgotten.
        #expect(attempts.begin(attempt("anna", "::1"), at: time(now + 3_601)) == .admitted(failures: 1))
    }

    @Test func `after 10 failures of an address, attempts with any name must wait`() {
        let attempts = SignInAttempts()
        for number in 1...10 {
            let guess = attempt("name\(number)", "2001:db8::\(number)")
            #expect(attempts.begin(guess, at: time(0)) == .admitted(failures: 1))
        }
        #expect(attempts.begin(attempt("anna", "2001:db8::ffff"), at: time(0)) == .mustWait(seconds: 1))
        #expect(attempts.begin(attempt("anna", "2001:db8:0:1::1"), at: time(0)) == .admitted(failures: 1))
    }

    @Test func `a right password resets the name, and does not count for the address`() {
        let attempts = SignInAttempts()
        for _ in 1...20 {
            let anna = attempt("anna", "192.0.2.7")
            for _ in 1...2 { _ = attempts.begin(anna, at: time(0)) }
            #expect(attempts.count == 2)
            attempts.end(anna, isRight: true)
            attempts.end(attempt("bert", "192.0.2.7"), isRight: false)
            #expect(attempts.count == 0)
        }
    }

    @Test func `the number of remembered names and addresses is limited`() {
        let attempts = SignInAttempts()
        for number in 0..<(SignInAttempts.maxSubjects / 2 + 100) {
            let address = "10.\(number / 65_536).\(number / 256 % 256).\(number % 256)"
            _ = attempts.begin(attempt("name\(number)", address), at: time(Int64(number)))
        }
        #expect(attempts.count <= SignInAttempts.maxSubjects)
    }

    @Test func `a name that no person has must wait like any other name`() throws {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        for name in ["anna", "nobody", "no body"] {
            for _ in 1...3 { #expect(try fixture.signIn(name, "wrong", from: name).isWrong) }
            #expect(try fixture.signIn(name, from: name).wait == 1)
        }
        fixture.pass(seconds: 1)
        #expect(try fixture.signIn("anna").value != nil)
        #expect(try fixture.signIn("anna", "wrong").isWrong)
        #expect(try fixture.signIn("anna").value != nil)
    }

    @Test func `wrong passwords of strangers do not lock out a person at a known address or in a session`()
        throws
    {
        let fixture = try PeopleFixture()
        try fixture.add("anna")
        let token = try fixture.session(of: "anna").token
        func confirm(_ password: String, from address: String) throws -> PasswordAnswer<SessionView> {
            try fixture.operations.carryOut(
                ConfirmPassword(token: token, password: password, address: address))
        }
        for _ in 1...3 { #expect(try fixture.signIn("Anna", "wrong", from: "198.51.100.1").isWrong) }
        #expect(try fixture.signIn("anna", from: "198.51.100.2").wait == 1)
        // The person has signed in from this address before.
        #expect(try fixture.signIn("ANNA").value != nil)
        #expect(try confirm(PeopleFixture.password, from: "198.51.100.3").value != nil)
        // Wrong passwords there and in the session count as well.
        for _ in 1...3 { #expect(try fixture.signIn("anna", "wrong").isWrong) }
        #expect(try fixture.signIn("anna").wait == 1)
        for _ in 1...3 { #expect(try confirm("wrong", from: "198.51.100.4").isWrong) }
        #expect(try confirm(PeopleFixture.password, from: "198.51.100.5").wait == 1)
    }

    @Test func `a person without a password cannot sign in`() throws {
        let fixture = try PeopleFixture()
        _ = try fixture.operations.carryOut(CreatePerson(name: "anna", RoleFields(role: .viewer)))
        for password in ["", "anna"] { #expect(try fixture.signIn("anna", password).isWrong) }
    }

    @Test func `two passwords are checked at once, 16 wait, and one more is refused`() throws {
        let turns = PasswordTurns()
        let (gate, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        let present = Mutex(0)
        let most = Mutex(0)
        let all = PasswordTurns.maxAtOnce + PasswordTurns.maxWaiting
        for _ in 0..<all {
            ended.enter()
            Thread.detachNewThread {
                _ = try? turns.take {
                    let count = present.withLock { present in
                        present += 1
                        return present
                    }
                    most.withLock { $0 = max($0, count) }
                    gate.wait()
                    present.withLock { $0 -= 1 }
                    return true
                }
                ended.leave()
            }
        }
        let deadline = ContinuousClock.now + .seconds(30)
        while turns.callers < all, ContinuousClock.now < deadline { usleep(1_000) }
        #expect(turns.callers == all)
        let refused = failure { () throws(OperationError) in _ = try turns.take { true } }
        #expect(refused?.kind == .unavailable)
        for _ in 0..<all { gate.signal() }
        #expect(ended.wait(timeout: .now() + 30) == .success)
        #expect(most.withLock(\.self) <= PasswordTurns.maxAtOnce)
        #expect(try turns.take { true })
        let exhausted = failure { () throws(OperationError) in _ = try turns.take { nil as Bool? } }
        #expect(exhausted?.kind == .unavailable && turns.callers == 0)
    }
}
