package import PushModel
package import PushPayload
package import PushWire

/// A gateway as something that one can send messages to, with one account's credential.
///
/// Lives on its child's thread. Exactly one ending is told for each message that ``submit(_:of:tag:)`` took,
/// by ``ConnectorEvents``, and never from within a call to the connector.
package protocol Connector: AnyObject {
    /// Messages that would be taken now.
    var credit: Int { get }
    var inFlight: Int { get }
    /// Messages that may be in flight at present, for who looks; ``credit`` may be less for the moment.
    var window: Int { get }
    var openConnections: Int { get }
    /// Messages wait: connect, if that is what is missing. Called each turn while there is no ``credit``.
    func wake()
    /// Makes ready for the messages of a job: compiles its template, prepares its headers.
    func admit(_ job: JobOrder) throws
    func retire(job: JobID)
    /// What the gateway judges the messages of an admitted job by, beside their account; nil if it has no such thing,
    /// or does not know the job.
    func topic(of job: JobID) -> String?
    /// Sends messages of an admitted job in their order, up to the first that is not taken.
    /// - Returns: what came of that one; `taken` if all were.
    func submit(_ run: inout GrantRun) -> Submission
    /// Hands over what was submitted since the last flush.
    func flush()
    /// Closes connections that are idle; what is in flight may finish.
    func close()
    /// The wall clock was set: what was dated by it, such as a token, is to be made anew.
    func renewCredential()
    /// An operator ends the account's wait: what its servers asked for is forgotten.
    func endPauses()
    /// How long answers took since the last call, from the request's submission; empty where the gateway
    /// answers no single message.
    func takeAnswerTimes() -> LatencyCounts
}

extension Connector {
    package func takeAnswerTimes() -> LatencyCounts { LatencyCounts() }
    package var window: Int { inFlight + credit }
    package func renewCredential() {}
    package func endPauses() {}
    package func topic(of job: JobID) -> String? { nil }
}

/// What came of handing messages to a connector.
package enum Submission: Equatable, Sendable {
    /// Their endings will be told.
    case taken
    /// No credit after all; nothing was done.
    case noCredit
    /// It cannot be sent, now or later; nothing was done.
    case tooLarge(bytes: Int, limit: Int)
    /// Likewise: its subscriber lacks a parameter that the content wants.
    case missing(parameter: String)
}

extension Submission {
    /// What comes of a message that could not be rendered; nil: it was.
    @inlinable @inline(__always)
    package init?(_ rendering: PayloadTemplate.Rendering, of payload: PayloadTemplate) {
        switch rendering {
        case .bytes: return nil
        case .tooLarge(let bytes): self = .tooLarge(bytes: bytes, limit: payload.limitBytes)
        case .missing(let index): self = .missing(parameter: payload.parameterName(index))
        }
    }
}

/// What a connector tells its child.
package protocol ConnectorEvents: AnyObject {
    /// The gateway took it and there is nothing to note: nearly every message.
    func accepted(tag: UInt64)
    /// Any other ending.
    func ended(tag: UInt64, _ outcome: Outcome)
    /// The gateway threw it away unread, as it does with all that follows a bad frame: to be submitted again,
    /// as if it never had been. Its ending will be told after that.
    func discarded(tag: UInt64)
    /// The gateway knows the message's device by another token from now on. Told before the message's ending.
    func renamed(tag: UInt64, to token: String)
    /// The gateway asks for a pause.
    /// - Parameter tag: the message whose answer asks for it, told before the message's ending: the account pauses if
    ///   another token's answer does, too. nil: the answer itself says that the account is meant.
    func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?)
    /// No connection can be had; the verdict is what the waiting messages go back with.
    func unreachable(_ account: AccountID, _ verdict: Verdict, reason: String)
    /// The gateway refuses the account.
    func refused(_ account: AccountID, _ verdict: Verdict, reason: String)
    /// No socket can be opened for the account: closes the connections of another that is idle, the one that
    /// was used longest ago. False where all are at work.
    func makeRoom(for account: AccountID) -> Bool
    func connected(_ account: AccountID, to text: String)
    func disconnected(_ account: AccountID, because text: String)
}

extension ConnectorEvents {
    package func discarded(tag: UInt64) {}
    package func renamed(tag: UInt64, to token: String) {}
    package func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?) {}
    package func makeRoom(for account: AccountID) -> Bool { false }
}

/// Why a connector cannot be had for an account, or a job not admitted: one line without secrets.
package struct ConnectorError: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
