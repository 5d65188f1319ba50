package import PushModel

/// A report from a child to its master. Outcomes are separate, in ``OutcomesFrame``, because they are the hot
/// path.
package enum LinkReport: Equatable, Sendable {
    case hello(version: UInt8, processID: Int32)
    case heartbeat(Heartbeat)
    case accountNews(AccountNews)
    /// The gateway now knows the device of this message by a different token.
    case renamed(MessageID, token: String)
    /// The account's feedback service reports these devices as gone.
    case feedback(account: AccountID, [RetiredToken])
    /// The account's feedback service was read completely, or could not be read completely for the reason in
    /// `failure`.
    case feedbackEnded(account: AccountID, failure: String?)
    /// The answer to ``LinkOrder/withdraw(_:)``: the child will begin no more requests for this delivery. The
    /// child sends this report after the outcomes of the returned messages.
    /// - Parameter inFlight: The number of the delivery's requests that have begun but are not answered yet.
    ///   Their outcomes will follow.
    case withdrawn(DeliveryID, inFlight: UInt32)
}

/// A child's current work. The master uses it for `pushmta status` and the log, and as a sign of life.
package struct Heartbeat: Equatable, Sendable {
    /// The number of messages that are granted and not yet submitted to a gateway.
    package var waiting: UInt32
    /// The number of messages that are submitted and not yet answered.
    package var inFlight: UInt32
    package var openConnections: UInt32
    package var residentKilobytes: UInt32
    /// One element for each account for which the child has a connection or work.
    package var accounts: [AccountBeat]

    package init(
        waiting: UInt32, inFlight: UInt32, openConnections: UInt32, residentKilobytes: UInt32,
        accounts: [AccountBeat] = []
    ) {
        self.waiting = waiting
        self.inFlight = inFlight
        self.openConnections = openConnections
        self.residentKilobytes = residentKilobytes
        self.accounts = accounts
    }
}

/// A child's current work for one account.
package struct AccountBeat: Equatable, Sendable {
    package var account: AccountID
    package var inFlight: UInt32
    /// The number of messages that may currently be in flight: the limit in the settings, or less if the
    /// gateway or back-off has reduced it.
    package var window: UInt32
    package var openConnections: UInt32
    /// The times from commit to first submission, for the messages that were first submitted to the gateway
    /// since the last heartbeat.
    package var waits: LatencyCounts
    /// The times from submission to answer, for the messages that were answered since the last heartbeat.
    package var answers: LatencyCounts

    package init(
        account: AccountID, inFlight: UInt32, window: UInt32, openConnections: UInt32,
        waits: LatencyCounts = LatencyCounts(), answers: LatencyCounts = LatencyCounts()
    ) {
        self.account = account
        self.inFlight = inFlight
        self.window = window
        self.openConnections = openConnections
        self.waits = waits
        self.answers = answers
    }
}

/// An event on an account's connections that is of interest to operators. `text` contains no secret and
/// identifies no device.
package struct AccountNews: Equatable, Sendable {
    package enum Kind: UInt8, Sendable {
        case connected, closed
        /// No connection can be made. Messages that waited for the account are returned.
        case unreachable
        /// The gateway refuses the account or one of its topics. Messages that waited for the account or the
        /// topic are returned.
        case refused
        /// The gateway requests a pause of ``AccountNews/seconds`` seconds.
        case busy
    }
    package var account: AccountID
    package var kind: Kind
    package var text: String
    /// The duration of the pause; 0 for all kinds except `busy`.
    package var seconds: UInt32
    /// The refused topic; empty if the account is refused.
    package var topic: String
    package init(account: AccountID, kind: Kind, text: String, seconds: UInt32 = 0, topic: String = "") {
        self.topic = topic
        self.account = account
        self.kind = kind
        self.text = text
        self.seconds = seconds
    }
}

extension LinkReport {
    package func encode(into writer: inout ByteWriter) {
        let start: Int
        switch self {
        case .hello(let version, let processID):
            start = writer.beginFrame(.hello)
            writer.append(version)
            writer.append(processID)
        case .heartbeat(let beat):
            start = writer.beginFrame(.heartbeat)
            writer.append(beat.waiting)
            writer.append(beat.inFlight)
            writer.append(beat.openConnections)
            writer.append(beat.residentKilobytes)
            writer.append(UInt32(clamping: beat.accounts.count))
            for account in beat.accounts {
                writer.append(account.account)
                writer.append(account.inFlight)
                writer.append(account.window)
                writer.append(account.openConnections)
                account.waits.encode(into: &writer)
                account.answers.encode(into: &writer)
            }
        case .accountNews(let news):
            start = writer.beginFrame(.accountNews)
            writer.append(news.account)
            writer.append(news.kind.rawValue)
            writer.append(news.text)
            writer.append(news.seconds)
            writer.append(news.topic)
        case .renamed(let message, let token):
            start = writer.beginFrame(.renamed)
            writer.append(message.rawValue)
            writer.append(token)
        case .feedback(let account, let retired):
            start = writer.beginFrame(.feedback)
            writer.append(account)
            writer.append(UInt32(clamping: retired.count))
            for item in retired {
                writer.append(item.token)
                writer.append(item.since.secondsSince1970)
            }
        case .feedbackEnded(let account, let failure):
            start = writer.beginFrame(.feedbackEnded)
            writer.append(account)
            writer.append(failure != nil)
            writer.append(failure ?? "")
        case .withdrawn(let delivery, let inFlight):
            start = writer.beginFrame(.withdrawn)
            writer.append(delivery.rawValue)
            writer.append(inFlight)
        }
        writer.endFrame(start)
    }

    package init(_ frame: LinkFrame) throws(LinkError) {
        var reader = ByteReader(frame)
        switch frame.kind {
        case .hello:
            let version = try reader.integer(UInt8.self)
            guard version == ChildLink.version else { throw .versionMismatch(theirs: version) }
            self = .hello(version: version, processID: try reader.integer())
        case .heartbeat:
            var beat = Heartbeat(
                waiting: try reader.integer(), inFlight: try reader.integer(),
                openConnections: try reader.integer(), residentKilobytes: try reader.integer())
            for _ in 0..<(try reader.integer(UInt32.self)) {
                beat.accounts.append(
                    AccountBeat(
                        account: try reader.identifier(), inFlight: try reader.integer(),
                        window: try reader.integer(),
                        openConnections: try reader.integer(),
                        waits: try LatencyCounts(&reader), answers: try LatencyCounts(&reader)))
            }
            self = .heartbeat(beat)
        case .accountNews:
            let account: AccountID = try reader.identifier()
            guard let kind = AccountNews.Kind(rawValue: try reader.integer()) else {
                throw .badValue(.accountNews)
            }
            self = .accountNews(
                AccountNews(
                    account: account, kind: kind, text: try reader.text(), seconds: try reader.integer(),
                    topic: try reader.text()))
        case .renamed:
            self = .renamed(MessageID(rawValue: try reader.integer()), token: try reader.text())
        case .feedback:
            let account: AccountID = try reader.identifier()
            var retired: [RetiredToken] = []
            for _ in 0..<(try reader.integer(UInt32.self)) {
                let token = try reader.text()
                retired.append(
                    RetiredToken(token: token, since: WallTime(secondsSince1970: try reader.integer())))
            }
            self = .feedback(account: account, retired)
        case .feedbackEnded:
            let account: AccountID = try reader.identifier()
            let isFailure = try reader.boolean()
            let text = try reader.text()
            self = .feedbackEnded(account: account, failure: isFailure ? text : nil)
        case .withdrawn:
            self = .withdrawn(DeliveryID(rawValue: try reader.integer()), inFlight: try reader.integer())
        case .welcome, .account, .job, .grant, .drain, .retireJob, .outcomes, .recall, .resume,
            .retireAccount,
            .pollFeedback, .clockJumped, .lease, .withdraw:
            throw .badValue(frame.kind)
        }
    }
}

/// Encoded as `u8 classes · (u8 class · u64 count)… · u64 microseconds`. Classes whose count is 0 are left
/// out.
extension LatencyCounts {
    fileprivate func encode(into writer: inout ByteWriter) {
        writer.append(UInt8(counts.count { $0 > 0 }))
        for (place, count) in counts.enumerated() where count > 0 {
            writer.append(UInt8(place))
            writer.append(count)
        }
        writer.append(sumMicroseconds)
    }

    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        self.init()
        for _ in 0..<(try reader.integer(UInt8.self)) {
            let place = Int(try reader.integer(UInt8.self))
            guard place < counts.count else { throw .badValue(.heartbeat) }
            counts[place] = try reader.integer()
        }
        sumMicroseconds = try reader.integer()
    }
}
