internal import Dispatch
package import PushModel
internal import PushStore
internal import Synchronization

/// What the operations of one process remember about people: failed attempts to sign in, sessions that were
/// looked up a moment ago, and the provider with which people sign in.
package final class PeopleMemory: Sendable {
    let attempts = SignInAttempts()
    let sessions = SessionCache()
    let passwords = PasswordTurns()
    let openID = OpenIDMemory()

    package init() {}
}

/// The turns of checking passwords. Each check needs much memory and processor time on purpose, so only a few
/// run at once.
package final class PasswordTurns: Sendable {
    package static let maxAtOnce = 2
    package static let maxWaiting = 16

    private let turns = DispatchSemaphore(value: maxAtOnce)
    private let present = Mutex(0)

    package init() {}

    /// The number of the callers that derive or wait.
    package var callers: Int { present.withLock(\.self) }

    /// Derives from a password, on the calling thread, when it is the caller's turn.
    /// - Parameter derive: Returns `nil` if the memory is not available.
    /// - Throws: `unavailable` if too many callers are waiting or the memory is not available.
    package func take<Value>(_ derive: () -> Value?) throws(OperationError) -> Value {
        let isAdmitted = present.withLock { present in
            guard present < Self.maxAtOnce + Self.maxWaiting else { return false }
            present += 1
            return true
        }
        guard isAdmitted else {
            throw OperationError(
                .unavailable, "too many passwords are being checked; try again in a few seconds")
        }
        defer { present.withLock { $0 -= 1 } }
        turns.wait()
        defer { turns.signal() }
        guard let value = derive() else {
            throw OperationError(
                .unavailable,
                "the memory for checking a password is not available; free 128 MiB and try again")
        }
        return value
    }
}

/// Wrong passwords by name and by address. After some of them, further attempts must wait, longer with each
/// failure. Names that no person has are treated like all others.
///
/// Strangers could make every attempt with a person's name wait. The attempts from an address from which the
/// person has signed in before are therefore counted separately, and so are those in a session of the person.
///
/// An attempt counts as a failure from its beginning until it has succeeded, so attempts that are made at the
/// same time are counted as well. Other processes that share the store count separately.
package final class SignInAttempts: Sendable {
    package enum Subject: Hashable {
        case name(String)
        /// A name, at an address from which a person with this name has signed in.
        case known(name: String, site: IPAddress)
        /// The digest of a session's token.
        case session([UInt8])
        /// An IPv4 address, or the first 64 bits of an IPv6 address.
        case site(IPAddress)
        /// A text that is not an address.
        case place(String)

        /// The number of failures after which attempts must wait. Several people may share an address.
        package var maxFailures: Int { isShared ? 10 : 3 }

        /// Whether the subject may stand for several people.
        fileprivate var isShared: Bool {
            switch self {
            case .name, .known, .session: false
            case .site, .place: true
            }
        }
    }

    /// The longest time to wait, in seconds.
    package static let maxDelay: Int64 = 300
    /// The seconds without a failure after which a subject's failures are forgotten.
    package static let memorySeconds: Int64 = 3_600
    package static let maxSubjects = 10_000

    private struct Failures {
        var count = 0
        var last: MonotonicTime
        var waitsUntil: MonotonicTime

        func isOld(at now: MonotonicTime) -> Bool {
            now > last.advanced(bySeconds: SignInAttempts.memorySeconds)
        }
    }

    private let subjects = Mutex<[Subject: Failures]>([:])
    /// The names and addresses with which people have signed in, at most ``maxSubjects``, with the last time.
    private let known = Mutex<[Subject: MonotonicTime]>([:])

    package init() {}

    /// The number of the subjects with failures.
    package var count: Int { subjects.withLock(\.count) }

    package static func subjects(name: String, address: String) -> [Subject] {
        let name = PersonName(name)?.key ?? String(name.lowercased().prefix(PersonName.maximumBytes))
        let place = IPAddress(address).map { Subject.site($0.site) } ?? .place(String(address.prefix(64)))
        return [.name(name), place]
    }

    /// Returns the subjects of an attempt to sign in.
    package func subjects(ofSignInAs name: String, from address: String) -> [Subject] {
        let all = Self.subjects(name: name, address: address)
        guard let known = Self.known(all), self.known.withLock({ $0[known] }) != nil else { return all }
        return [known] + all.dropFirst()
    }

    /// Remembers the address from which a person has signed in.
    package func remember(name: String, address: String, at now: MonotonicTime) {
        guard let known = Self.known(Self.subjects(name: name, address: address)) else { return }
        self.known.withLock { all in
            if all.count >= Self.maxSubjects, all[known] == nil,
                let oldest = all.min(by: { $0.value < $1.value })?.key
            {
                all[oldest] = nil
            }
            all[known] = now
        }
    }

    private static func known(_ subjects: [Subject]) -> Subject? {
        guard case .name(let name)? = subjects.first, case .site(let site)? = subjects.last else {
            return nil
        }
        return .known(name: name, site: site)
    }

    package enum Admission: Equatable {
        /// - Parameter failures: The failures of the person, including this attempt.
        case admitted(failures: Int)
        case mustWait(seconds: Int)
    }

    /// Begins an attempt.
    package func begin(_ attempt: [Subject], at now: MonotonicTime) -> Admission {
        subjects.withLock { subjects in
            let wait = attempt.compactMap { subjects[$0]?.waitsUntil.milliseconds(since: now) }.max() ?? 0
            guard wait <= 0 else { return .mustWait(seconds: Int((wait + 999) / 1_000)) }
            for subject in attempt {
                var failures = subjects[subject] ?? Failures(last: now, waitsUntil: now)
                if failures.isOld(at: now) { failures.count = 0 }
                failures.count += 1
                failures.last = now
                let excess = failures.count - subject.maxFailures
                let delay = excess < 0 ? 0 : min(Self.maxDelay, 1 << Int64(min(excess, 16)))
                failures.waitsUntil = now.advanced(bySeconds: delay)
                if subjects[subject] == nil { Self.makeRoom(in: &subjects, at: now) }
                subjects[subject] = failures
            }
            return .admitted(failures: attempt.first.flatMap { subjects[$0]?.count } ?? 0)
        }
    }

    /// Ends an attempt that was no failure.
    /// - Parameter isRight: Whether the password was right. If so, the failures of the person are forgotten.
    ///   The failures of the address remain, because a person who guesses passwords may also know one.
    package func end(_ attempt: [Subject], isRight: Bool) {
        subjects.withLock { subjects in
            for subject in attempt {
                guard var failures = subjects[subject] else { continue }
                failures.count -= 1
                failures.waitsUntil = failures.last
                if isRight, !subject.isShared { failures.count = 0 }
                subjects[subject] = failures.count > 0 ? failures : nil
            }
        }
    }

    private static func makeRoom(in subjects: inout [Subject: Failures], at now: MonotonicTime) {
        guard subjects.count >= maxSubjects else { return }
        subjects = subjects.filter { !$0.value.isOld(at: now) }
        guard subjects.count >= maxSubjects,
            let oldest = subjects.min(by: { $0.value.last < $1.value.last })?.key
        else { return }
        subjects[oldest] = nil
    }
}

/// Sessions that were looked up a moment ago. A session that another process ends is accepted for up to one
/// second longer.
final class SessionCache: Sendable {
    struct Known {
        var person: Person
        var session: PersonSession
        var read: MonotonicTime
    }

    static let freshMilliseconds: Int64 = 1_000
    static let maxSessions = 1_000

    private let sessions = Mutex<[[UInt8]: Known]>([:])

    /// - Returns: `nil` if the session must be read from the store.
    func session(_ digest: [UInt8], at now: MonotonicTime) -> Known? {
        guard let known = sessions.withLock({ $0[digest] }),
            now.milliseconds(since: known.read) < Self.freshMilliseconds
        else { return nil }
        return known
    }

    func keep(_ known: Known, as digest: [UInt8]) {
        sessions.withLock { sessions in
            if sessions.count >= Self.maxSessions, sessions[digest] == nil { sessions.removeAll() }
            sessions[digest] = known
        }
    }

    func forget(_ digest: [UInt8]) { sessions.withLock { $0[digest] = nil } }
    func forgetAll() { sessions.withLock { $0.removeAll() } }
}
