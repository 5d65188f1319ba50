/// What stops the sink: said on one line, with what to do about it.
package struct SinkError: Error, Equatable, CustomStringConvertible {
    package enum Cause: Equatable, Sendable {
        case notLoopback(String)
        case cannotListen(address: String, port: UInt16, why: String)
        case rules(file: String, line: Int, problem: String)
        case unreadable(file: String, why: String)
        case unwritable(file: String, why: String)
        case certificates(directory: String, problem: String)
        case tls(String)
        case system(call: String, why: String)
    }

    package let cause: Cause

    package init(_ cause: Cause) { self.cause = cause }

    package var description: String {
        switch cause {
        case .notLoopback(let address):
            "will not listen on \(address): a synthetic gateway serves this machine only; use 127.0.0.1 or ::1"
        case .cannotListen(let address, let port, let why):
            "cannot listen on \(address) port \(port): \(why); choose another port, or 0 for any free one"
        case .rules(let file, let line, let problem):
            "\(file):\(line): \(problem)"
        case .unreadable(let file, let why):
            "cannot read \(file): \(why)"
        case .unwritable(let file, let why):
            "cannot write \(file): \(why)"
        case .certificates(let directory, let problem):
            "\(directory): \(problem)"
        case .tls(let problem):
            problem
        case .system(let call, let why):
            "\(call) failed: \(why)"
        }
    }
}
