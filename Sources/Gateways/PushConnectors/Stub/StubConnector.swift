internal import GatewayAPNs
internal import GatewayKit
internal import PushModel
internal import PushPayload
internal import PushWire

/// Accepts all messages and sends nothing: used for rehearsals (`verifyMode`) and for measuring the engine
/// without a gateway.
///
/// The stub renders iOS payloads like the real connector, so that a rehearsal detects the same errors.
final class StubConnector: Connector {
    private let account: AccountID
    private unowned let events: any ConnectorEvents
    private var templates: [JobID: PayloadTemplate] = [:]
    /// Messages that are answered at the next flush, never from within ``submit(_:of:tag:)``.
    private var pending: [UInt64] = []
    private var scratch = [UInt8](repeating: 0, count: PayloadTemplate.voipLimitBytes)

    init(_ order: AccountOrder, events: any ConnectorEvents) {
        account = order.account
        self.events = events
    }

    var credit: Int { 10_000 - pending.count }
    var inFlight: Int { pending.count }
    var openConnections: Int { 0 }
    func wake() {}

    func admit(_ job: JobOrder) throws {
        // Messages for other platforms are accepted without rendering.
        guard job.platform == .ios else { return }
        let content = try ContentDocument.apns.decode(job.contentJSON)
        templates[job.job] = try PayloadTemplate.apns(
            content: content, variables: job.variables, delivery: job.delivery, tracking: job.tracking,
            idFormat: job.messageIDFormat)
    }

    func retire(job: JobID) { templates[job] = nil }

    func submit(_ run: inout GrantRun) -> Submission {
        run.submitEach { submit($0, of: $1, tag: $2) }
    }

    private func submit(_ entry: GrantEntry, of grant: GrantFrame, tag: UInt64) -> Submission {
        if let template = templates[grant.job] {
            // The buffer belongs to this object and does not escape the call.
            let rendering = unsafe scratch.withUnsafeMutableBytes { buffer in
                unsafe grant.bytes.withUnsafeBytes { bytes in
                    unsafe template.render(
                        into: buffer, identity: entry.id, integerID: entry.integerID,
                        parameters: UnsafeRawBufferPointer(rebasing: bytes[entry.parameters]))
                }
            }
            if let submission = Submission(rendering, of: template) { return submission }
        }
        pending.append(tag)
        return .taken
    }

    func flush() {
        let answered = pending
        pending.removeAll(keepingCapacity: true)
        for tag in answered { events.accepted(tag: tag) }
    }

    func close() {}
}
