package import PushModel
package import PushPayload
package import PushWire

/// Sends messages to a gateway, with one account's credential.
///
/// A connector is used on its child's thread. It reports exactly one ending for each message that
/// ``submit(_:of:tag:)`` accepted, through ``ConnectorEvents``, and never from within a call to the
/// connector.
package protocol Connector: AnyObject {
    /// The number of messages that the connector would accept now.
    var credit: Int { get }
    var inFlight: Int { get }
    /// The current limit on messages in flight, for monitoring. ``credit`` may temporarily permit fewer.
    var window: Int { get }
    var openConnections: Int { get }
    /// Notifies the connector that messages are waiting, so that it connects if necessary. The child calls
    /// this method in each turn while messages are waiting and ``credit`` is 0.
    func wake()
    /// Prepares for the messages of a job: compiles the job's template and prepares the headers.
    func admit(_ job: JobOrder) throws
    func retire(job: JobID)
    /// Returns the topic of an admitted job's messages; `nil` if the gateway has no topics, or if the job is
    /// unknown. The gateway may refuse the messages of one topic and accept those of the account's other
    /// topics.
    func topic(of job: JobID) -> String?
    /// Sends messages of an admitted job in their order, up to the first that is not accepted.
    /// - Returns: The result for the first message that is not accepted; `taken` if all are accepted.
    func submit(_ run: inout GrantRun) -> Submission
    /// Sends everything that was submitted since the last flush.
    func flush()
    /// Closes idle connections; messages in flight may finish.
    func close()
    /// Notifies the connector that the wall clock was set. Everything with a time stamp, such as a token,
    /// must then be created again.
    func renewCredential()
    /// Ends the account's pauses because an operator requests it. The connector forgets the delays that the
    /// account's servers requested.
    func endPauses()
    /// Returns the response times recorded since the previous call of this method, each measured from the
    /// submission of the request. The result is empty if the gateway does not answer individual messages.
    func takeAnswerTimes() -> LatencyCounts
}

extension Connector {
    package func takeAnswerTimes() -> LatencyCounts { LatencyCounts() }
    package var window: Int { inFlight + credit }
    package func renewCredential() {}
    package func endPauses() {}
    package func topic(of job: JobID) -> String? { nil }
}

/// The result of passing messages to a connector.
package enum Submission: Equatable, Sendable {
    /// The messages were accepted. Their endings will be reported.
    case taken
    /// The connector has no credit. Nothing was done.
    case noCredit
    /// The message is too large to be sent, now or later. Nothing was done.
    case tooLarge(bytes: Int, limit: Int)
    /// The message cannot be sent, now or later, because the subscriber lacks a parameter that the content
    /// requires. Nothing was done.
    case missing(parameter: String)
}

extension Submission {
    /// The result for a message that could not be rendered; `nil` if it was rendered.
    @inlinable @inline(__always)
    package init?(_ rendering: PayloadTemplate.Rendering, of payload: PayloadTemplate) {
        switch rendering {
        case .bytes: return nil
        case .tooLarge(let bytes): self = .tooLarge(bytes: bytes, limit: payload.limitBytes)
        case .missing(let index): self = .missing(parameter: payload.parameterName(index))
        }
    }
}

/// The notifications from a connector to its child.
package protocol ConnectorEvents: AnyObject {
    /// The gateway accepted the message, and there is nothing to record. Nearly every message ends like this.
    func accepted(tag: UInt64)
    /// The message has ended in any other way.
    func ended(tag: UInt64, _ outcome: Outcome)
    /// The gateway discarded the message unread, as it does with everything after a bad frame. The message
    /// must be submitted again as if it had never been submitted. Its ending is reported after that
    /// submission.
    func discarded(tag: UInt64)
    /// The gateway knows the message's device by another token from now on. Reported before the message's
    /// ending.
    func renamed(tag: UInt64, to token: String)
    /// The gateway requests a pause.
    /// - Parameter tag: The tag of the message whose answer requests the pause. The request is reported
    ///   before the message's ending, and the account pauses only if an answer for another token also
    ///   requests a pause. `nil` if the answer itself states that it applies to the account.
    func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?)
    /// No connection can be opened. The waiting messages are returned with the verdict.
    func unreachable(_ account: AccountID, _ verdict: Verdict, reason: String)
    /// The gateway refuses the account.
    func refused(_ account: AccountID, _ verdict: Verdict, reason: String)
    /// No socket can be opened for the account. Closes the connections of another account: of the idle
    /// accounts, the one that was used least recently. Returns `false` if no other account is idle.
    func makeRoom(for account: AccountID) -> Bool
    /// The requests to FCM that the child's accounts have in progress together.
    var sharedRequests: SharedRequests { get }
    func connected(_ account: AccountID, to text: String)
    func disconnected(_ account: AccountID, because text: String)
}

extension ConnectorEvents {
    package func discarded(tag: UInt64) {}
    package func renamed(tag: UInt64, to token: String) {}
    package func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?) {}
    package func makeRoom(for account: AccountID) -> Bool { false }
    package var sharedRequests: SharedRequests { SharedRequests() }
}

/// The reason why a connector cannot be created for an account, or a job cannot be admitted: one line without
/// secrets.
package struct ConnectorError: Error, Equatable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}
