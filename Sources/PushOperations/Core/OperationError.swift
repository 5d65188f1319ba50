internal import PushConfig
internal import PushConnectors
internal import PushPayload
internal import PushStore
internal import PushWire

/// Why a use case did not do what it was asked. Each line says what, where, what to do; no secret, device
/// token or payload stands in it.
package struct OperationError: Error, Equatable, Codable, Sendable, CustomStringConvertible {
    package enum Kind: String, Codable, Sendable {
        /// Something outside what was given is in the way: the disk, the network, another process.
        case failed
        /// The store cannot be written, or read, by this process now. Nothing was changed.
        case unavailable
        /// The request itself is malformed.
        case usage
        /// What was given is wrong: a file, a document, a name. Nothing was changed.
        case refused
        /// Whoever started it ended it.
        case cancelled
    }

    package let kind: Kind
    /// One for each thing that is wrong; at least one.
    package let lines: [String]
    private var absence: Bool?
    private var conflict: Bool?

    package var description: String { lines.joined(separator: "\n") }

    package init(_ kind: Kind, _ lines: String...) { self.init(kind, lines: lines) }

    package init(_ kind: Kind, lines: [String]) {
        self.kind = kind
        self.lines = lines
    }

    package static func failed(_ line: String) -> OperationError { OperationError(.failed, line) }
    package static func refused(_ line: String) -> OperationError { OperationError(.refused, line) }
    /// What was named is not there.
    package static func absent(_ line: String) -> OperationError {
        var error = OperationError(.refused, line)
        error.absence = true
        return error
    }
    /// Nobody, or nothing, is meant by what was given, though it could be: in an app that there is, by a
    /// storm, or of a delivery whose messages were removed.
    package static func nobody(_ line: String) -> OperationError {
        var error = OperationError(.failed, line)
        error.absence = true
        return error
    }

    /// An earlier request, and not what was given, is in the way.
    package static func conflict(_ line: String) -> OperationError {
        var error = OperationError(.refused, line)
        error.conflict = true
        return error
    }

    package var isConflict: Bool { conflict == true }
    /// Whether what was named is not there.
    package var isAbsence: Bool { absence == true }
    package var isNobody: Bool { kind == .failed && isAbsence }
    /// Whether the caller may try again in a moment: a read or a write failed because of the store, not because of
    /// the request.
    var isStoreAway: Bool { kind == .unavailable }

    package static let noMaster = failed("no master runs; start one with 'pushmta start' or 'pushmta run'")

    package static let otherVersion = failed(
        "the running master does not answer, or is of another version that does not know this; look at "
            + "'pushmta status' and at its log, and use signals to its process: SIGTERM ends it, SIGHUP reloads"
    )

    /// What an error of one of the targets below means to whoever asked.
    package init(_ error: any Error) {
        switch error {
        case let error as OperationError: self = error
        case let error as StoreError:
            let isAway = error.isOfStore || error.remedy == .tryAgain
            let kind: Kind = error.isRefusal ? .refused : isAway ? .unavailable : .failed
            self.init(kind, "\(error)")
            if case .unknown = error.cause { absence = true }
        case let error as ConfigurationError:
            self.init(
                error.cause == .refused ? .refused : .failed,
                lines: error.description.split(separator: "\n").map(String.init))
        case let error as WireError: self.init(.refused, lines: error.lines)
        case is PayloadError, is CredentialError: self.init(.refused, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }
}
