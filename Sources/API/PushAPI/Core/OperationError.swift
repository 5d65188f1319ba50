internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushPayload
internal import PushStore
package import PushWire

/// The reason why a use case was not carried out. Each line states the problem, its place and a remedy. No
/// line contains a secret, a device token or a payload.
package struct OperationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code of the problem that an API caller receives.
    package enum Kind: String, CaseIterable, Sendable {
        /// The cause is not the request but something else, such as the disk, the network or another process.
        case failed
        /// This process cannot write or read the store now. Nothing was changed.
        case unavailable
        /// The request's address, its query or a header is invalid, whatever objects exist.
        case usage = "badRequest"
        /// The body or the document is not JSON.
        case malformed
        /// A file, a document or a name in the request is invalid. Nothing was changed.
        case refused
        /// The caller is not permitted to make the request. Nothing was changed.
        case forbidden
        /// Something that the request names does not exist. Nothing was changed.
        case absent
        /// The request is valid, but there is nothing that it applies to: no subscriber has the given token
        /// or user key, no storm awaits a decision, or the delivery's messages or document were removed.
        case noMatch
        /// An existing object or an earlier request prevents the operation. Nothing was changed.
        case conflict
        /// The caller cancelled the operation.
        case cancelled

        package var code: ProblemCode { ProblemCode(rawValue: rawValue) ?? .failed }
    }

    package private(set) var kind: Kind
    /// The lines in the spelling of the command line and the log: at least one, and one for each fault.
    package private(set) var lines: [String]
    /// The lines in the API's spelling.
    package private(set) var apiLines: [String]
    /// The lines for people who use neither commands nor the API.
    package private(set) var peopleLines: [String]
    /// The faults in the request's members. One of ``lines`` also describes each fault.
    package private(set) var faults: [Fault] = []

    package var description: String { lines.joined(separator: "\n") }

    /// Compares kinds and lines only, because an error that another process returned has neither the faults
    /// nor the lines in the API's spelling.
    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.lines == right.lines
    }

    package init(_ kind: Kind, _ lines: String...) { self.init(kind, lines: lines) }

    package init(_ kind: Kind, lines: [String]) {
        self.kind = kind
        self.lines = lines.map(FaceText.forCommands)
        apiLines = lines.map(FaceText.forAPI)
        peopleLines = lines.map(FaceText.forPeople)
    }

    /// - Parameter document: The caller's name for the document; empty if it is the body of the request.
    package init(_ kind: Kind, _ faults: [Fault], of document: String = "") {
        self.init(kind, lines: faults.map { document.naming("\($0)") })
        self.faults = faults
    }

    func with(_ kind: Kind) -> OperationError {
        var error = self
        error.kind = kind
        return error
    }

    /// Returns the same error with one more line.
    func adding(_ line: String) -> OperationError {
        var error = self
        error.lines.append(FaceText.forCommands(line))
        error.apiLines.append(FaceText.forAPI(line))
        error.peopleLines.append(FaceText.forPeople(line))
        return error
    }

    /// Creates an error for a faulty document.
    init(_ error: WireError, of document: String) {
        switch error {
        case .document(let faults): self.init(.refused, faults, of: document)
        case .malformed: self.init(.malformed, document.naming("\(error)"))
        case .importFile, .credential: self.init(.refused, document.naming("\(error)"))
        }
    }

    package static func failed(_ line: String) -> OperationError { OperationError(.failed, line) }
    package static func refused(_ line: String) -> OperationError { OperationError(.refused, line) }
    package static func absent(_ line: String) -> OperationError { OperationError(.absent, line) }
    package static func noMatch(_ line: String) -> OperationError { OperationError(.noMatch, line) }
    package static func conflict(_ line: String) -> OperationError { OperationError(.conflict, line) }

    package static let noMaster = failed(
        "no master runs; start \(command: "one with 'pushmta start' or 'pushmta run'", api: "the service")")

    package static let otherVersion = failed(
        """
        the running master does not answer, or is a version that does not support this request; check \
        \(see: ShowStatus.self) and the master's log, and send signals to its process: SIGTERM ends it, \
        SIGHUP reloads \
        its configuration
        """
    )

    /// Converts an error from a lower-level target into one that states what went wrong from the caller's
    /// point of view.
    package init(_ error: any Error) {
        switch error {
        case let error as OperationError: self = error
        case let error as StoreError:
            let isAway = error.isOfStore || error.remedy == .tryAgain
            let kind: Kind =
                switch error.cause {
                case .unknown: .absent
                case .duplicate, .duplicateIntegrationKey, .inUse, .hasSubscribers, .hasApps, .hasWebhook,
                    .changedMeanwhile, .changedDraft:
                    .conflict
                default: error.isRefusal ? .refused : isAway ? .unavailable : .failed
                }
            var line = "\(command: "\(error)", api: error.textWithoutPaths)"
            if case .unsound = error.cause, error.delivery != nil {
                line += "; \(see: RecountDelivery.self) repairs the delivery if possible"
            }
            if case .duplicate(.app, _) = error.cause { line += ", or change it with \(see: UpdateApp.self)" }
            self.init(kind, line)
        case let error as ConfigurationError:
            self.init(
                error.cause == .refused ? .refused : .failed,
                lines: error.description.split(separator: "\n").map(String.init))
        case let error as WireError: self.init(error, of: "")
        case is PayloadError, is CredentialError: self.init(.refused, "\(error)")
        default: self.init(.failed, "\(error)")
        }
    }
}

extension String {
    /// Returns a line about the document that has this name.
    func naming(_ line: String) -> String { isEmpty ? line : "\(self): \(line)" }

    /// The text; `nil` if it is empty.
    var nonEmpty: String? { isEmpty ? nil : self }
}
