internal import FoundationEssentials
internal import Glibc

/// What stops a measurement or a scenario: one line that says what, where and what to look at.
package struct LoadError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        case programMissing(String)
        case system(call: String, on: String, why: String)
        case commandFailed(command: String, status: String, said: String)
        case unreadable(what: String, why: String)
        case timedOut(what: String, seconds: Double, last: String)
        case ended(program: String, status: String, said: String)
        case wrong(String)
        case leftBehind([String])
        case interrupted
    }

    package let cause: Cause
    package init(_ cause: Cause) { self.cause = cause }

    package var description: String {
        switch cause {
        case .programMissing(let path): "\(path) is missing; build it with 'make build'"
        case .system(let call, let subject, let why): "\(call) failed on \(subject): \(why)"
        case .commandFailed(let command, let status, let said): "\(command) ended with \(status): \(said)"
        case .unreadable(let what, let why): "cannot read \(what): \(why)"
        case .timedOut(let what, let seconds, let last):
            "waited \(seconds) s for \(what)" + (last.isEmpty ? "" : "; last seen: \(last)")
        case .ended(let program, let status, let said): "\(program) ended with \(status): \(said)"
        case .wrong(let what): what
        case .leftBehind(let processes): "processes were left behind: \(processes.joined(separator: ", "))"
        case .interrupted: "interrupted"
        }
    }

    /// That a system call failed just now.
    static func system(_ call: String, on subject: String) -> LoadError {
        LoadError(.system(call: call, on: subject, why: unsafe String(cString: strerror(errno))))
    }
}

extension Decodable {
    /// - Parameter source: names the JSON in an error.
    init(json bytes: some Sequence<UInt8>, from source: String) throws(LoadError) {
        do { self = try JSONDecoder().decode(Self.self, from: Data(bytes)) } catch {
            throw LoadError(.unreadable(what: source, why: "\(error)"))
        }
    }
}
