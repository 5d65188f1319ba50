import Foundation
import GatewayKit
import PushConnectors
import PushModel
import PushSystem
import PushTransport
import PushWire
import TestSupport
import Testing

/// The child's side of one connector: it hands over messages and records the events.
final class Sender: ConnectorEvents {
    let loop: TransportLoop
    private(set) var connector: (any Connector)!
    let sharedRequests: SharedRequests
    private var grant: GrantFrame!
    private var offsets: [Int] = []
    /// Waiting messages, by their position in the grant.
    private var waiting: [Int] = []

    private(set) var outcomes: [UInt64: Outcome] = [:]
    private(set) var refusals: [String] = []
    private(set) var unreachable: [String] = []
    private(set) var connections: [String] = []
    /// The verdicts that accompanied refusals and reports of unreachability, in order.
    private(set) var verdicts: [Verdict] = []
    private(set) var newNames: [UInt64: String] = [:]
    /// The requested pauses, in seconds.
    private(set) var pauses: [Int32] = []
    /// The number of pauses that apply to the whole account and not to one message.
    private(set) var pausesOfAccount = 0
    /// The reasons why connections ended, in order.
    private(set) var departures: [String] = []
    /// The number of messages that were discarded unread, to be sent again.
    private(set) var discarded = 0
    private(set) var maxInFlight = 0
    /// The maximum number of messages that could be submitted together before the first answer arrived.
    private(set) var creditBeforeAnAnswer = 0

    static func order(
        _ credential: OpaqueCredential, _ gateway: GatewayOrder, connector: ConnectorName = .iosHTTP2
    ) -> AccountOrder {
        AccountOrder(
            account: 1, connector: connector, environment: .production, credential: credential,
            gateway: gateway)
    }

    /// - Parameter tokens: The beginnings of the tokens of these messages, keyed by message number. All other
    ///   tokens begin with `token`.
    init(
        _ order: AccountOrder, messages: Int, token: String = "aa", tokens: [Int: String] = [:],
        bundleID: String? = nil, job: JobOrder? = nil, shared: SharedRequests = SharedRequests()
    ) throws {
        sharedRequests = shared
        loop = try TransportLoop()
        connector = try ConnectorCatalogue.make(for: order, loop: loop, events: self)
        try connector.admit(try job ?? Self.job(bundleID: try bundleID ?? Gateway.bundleID))
        grant = try Self.grant(messages: messages, token: token, tokens: tokens)
        var offset = GrantFrame.firstEntry
        for _ in 0..<messages {
            offsets.append(offset)
            offset = grant.entry(at: offset).next
        }
        waiting = Array(0..<messages)
    }

    static func job(
        bundleID: String, content: String = #"{"title":"Hello"}"#, platform: Platform = .ios,
        tracking: Bool = true
    ) -> JobOrder {
        JobOrder(
            job: 1, account: 1, delivery: DeliveryID(rawValue: 7), platform: platform, bundleID: bundleID,
            messageIDFormat: .uuid, tracking: tracking, expiresAt: Clocks.wall().advanced(bySeconds: 3_600),
            variables: [], contentJSON: Array(content.utf8))
    }

    static func id(_ number: Int) -> OpaqueID { OpaqueID(high: 0x1111_2222_3333_4444, low: UInt64(number)) }

    static func grant(
        messages: Int, token: String = "aa", tokens: [Int: String] = [:], job: JobID = 1
    ) throws -> GrantFrame {
        var builder = GrantFrameBuilder(grant: 1, job: job, expectedMessages: messages)
        for number in 0..<messages {
            let digits = String(number, radix: 16)
            let start = tokens[number] ?? token
            let text = start + String(repeating: "0", count: 64 - start.count - digits.count) + digits
            builder.append(
                MessageID(rawValue: Int64(number)), id: id(number), integerID: Int64(number), attempts: 0,
                token: Array(text.utf8).span, parameters: [UInt8]().span)
        }
        var decoder = FrameDecoder()
        decoder.feed(builder.finish())
        return try GrantFrame(try #require(try decoder.next()))
    }

    /// Runs turns of the loop until the condition is true, within a time limit that is long enough for any
    /// machine.
    func run(
        until what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
    ) throws {
        let end = Date().addingTimeInterval(Patience.seconds)
        while try !condition() {
            try #require(Date() < end, "never happened: \(what)", sourceLocation: sourceLocation)
            turn()
            _ = try loop.wait(atMostMilliseconds: 10)
        }
    }

    /// Runs turns of the loop until every message has an outcome.
    func sendAll(sourceLocation: SourceLocation = #_sourceLocation) throws {
        try run(until: "every message had an ending", sourceLocation: sourceLocation) {
            waiting.isEmpty && outcomes.count == offsets.count
        }
    }

    private func turn() {
        if !waiting.isEmpty, connector.credit == 0 { connector.wake() }
        while let place = waiting.first, connector.credit > 0 {
            if outcomes.isEmpty { creditBeforeAnAnswer = max(creditBeforeAnAnswer, connector.credit) }
            guard submit(offsets[place], of: grant, as: place) == .taken else { break }
            waiting.removeFirst()
        }
        maxInFlight = max(maxInFlight, connector.inFlight)
        connector.flush()
    }

    /// Hands over one message.
    /// - Parameter number: The number under which the outcome of the message is recorded here.
    func submit(_ offset: Int, of grant: GrantFrame, as number: Int) -> Submission {
        var run = GrantRun(of: grant, at: number, from: offset, atMost: 1)
        return connector.submit(&run)
    }

    private func number(of tag: UInt64) -> UInt64 { UInt64(GrantRun.place(of: tag)) }

    /// Sends messages again, as a child does with messages that the gateway did not examine.
    func sendAgain(where condition: (Outcome) -> Bool) {
        for (tag, outcome) in outcomes where condition(outcome) {
            outcomes[tag] = nil
            waiting.append(Int(tag))
        }
    }

    var acceptedCount: Int { outcomes.values.count { if case .accepted = $0 { true } else { false } } }
    var reasons: Set<String> {
        Set(
            outcomes.values.compactMap {
                switch $0 {
                case .rejected(_, let reason), .undecided(_, let reason), .neverSent(_, let reason): reason
                case .accepted, .tooLarge, .missing: nil
                }
            })
    }

    // MARK: Events

    func accepted(tag: UInt64) { ended(tag: tag, .accepted(providerID: nil)) }

    func ended(tag: UInt64, _ outcome: Outcome) {
        let tag = number(of: tag)
        #expect(outcomes[tag] == nil, "a second ending of message \(tag)")
        outcomes[tag] = outcome
    }

    func discarded(tag: UInt64) {
        let tag = number(of: tag)
        #expect(outcomes[tag] == nil, "message \(tag) was thrown away after its ending")
        discarded += 1
        waiting.append(Int(tag))
    }

    func renamed(tag: UInt64, to token: String) {
        let tag = number(of: tag)
        #expect(outcomes[tag] == nil, "a new name after the ending of message \(tag)")
        newNames[tag] = token
    }

    func busy(_ account: AccountID, seconds: Int32, reason: String, tag: UInt64?) {
        if let tag = tag.map(number) {
            #expect(outcomes[tag] == nil, "a pause after the ending of message \(tag)")
        }
        pauses.append(seconds)
        if tag == nil { pausesOfAccount += 1 }
    }

    func unreachable(_ account: AccountID, _ verdict: Verdict, reason: String) {
        unreachable.append(reason)
        verdicts.append(verdict)
    }
    func refused(_ account: AccountID, _ verdict: Verdict, reason: String) {
        #expect(verdict.schedule == .hold)
        refusals.append(reason)
        verdicts.append(verdict)
    }
    func connected(_ account: AccountID, to text: String) { connections.append(text) }
    func disconnected(_ account: AccountID, because text: String) { departures.append(text) }
}
