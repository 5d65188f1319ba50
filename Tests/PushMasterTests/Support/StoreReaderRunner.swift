import PushConfig
import PushMaster
import PushModel
import PushSchedule
import PushStore
import PushSystem
import PushWire
import TestSupport
import Testing

/// A reader on its own thread.
final class StoreReaderRunner {
    let mailbox: Mailbox<StoreReader.Job>
    private let thread: OtherThread
    private let fixture: MasterFixture
    private var lastGrant: UInt32 = 0

    /// - Parameter leases: The leases, if several hosts share the store.
    init(_ fixture: MasterFixture, leases: (any PartLeases)? = nil) throws {
        self.fixture = fixture
        let mailbox = try Mailbox<StoreReader.Job>()
        let (loop, store, key) = (fixture.loop, fixture.store, fixture.key)
        let messages = try store.messageReader()
        let gateways = try GatewaySettings(ServerConfiguration())
        self.mailbox = mailbox
        thread = OtherThread {
            var reader = StoreReader(
                mailbox: mailbox, loop: loop, store: store, messages: messages, key: key,
                gateways: gateways,
                feedbackPeriodSeconds: 21_600, leases: leases)
            reader.run()
        }
    }

    func stop() {
        mailbox.send(.stop)
        #expect(thread.hasEnded())
    }

    func findParts(after last: PartID? = nil) throws -> [FoundPart] {
        mailbox.send(.findParts(after: last))
        return try fixture.next("parts") { event -> [FoundPart]? in
            if case .parts(let found, _, _) = event { found } else { nil }
        }
    }

    func findParts(
        of app: App, _ range: ClosedRange<PartID>
    ) throws -> (parts: [Part], next: PartID?) {
        let search = PartLedger.PartsLeftOut(app: app.id, first: range.lowerBound)
        mailbox.send(.findPartsAgain(search, upTo: range.upperBound))
        return try fixture.next("parts again") { event -> ([Part], PartID?)? in
            if case .partsAgain(search, let found, let next) = event {
                (found.map(\.part), next)
            } else {
                nil
            }
        }
    }

    func dueApps() throws -> Set<AppID> {
        mailbox.send(.findRetries)
        return try fixture.next("retries due") { event -> Set<AppID>? in
            if case .retriesDue(let due) = event { Set(due.keys) } else { nil }
        }
    }

    /// Returns the answer to a read order: the number of messages, or -1 if they could not be read, and the
    /// messages of its frame.
    func read(
        _ source: ReadOrder.Source, allowing allowances: [DeliveryID: Int] = [:]
    ) throws -> (grant: GrantID, job: JobID?, count: Int, messages: [MessageID]) {
        let order = order(source, allowing: allowances)
        return try fixture.next("filled") { event -> (GrantID, JobID?, Int, [MessageID])? in
            switch event {
            case .filled(let answered, let job, let frame, let count, _):
                #expect(answered == order)
                return (order.grant, job, count, (try? Self.messages(in: frame)) ?? [])
            case .unread(order.grant): return (order.grant, nil, -1, [])
            case .withoutAllowance(order.grant): return (order.grant, nil, -2, [])
            default: return nil
            }
        }
    }

    /// Returns the frame that answers a read order.
    func frame(_ source: ReadOrder.Source) throws -> GrantFrame {
        let order = order(source)
        let bytes = try fixture.next("filled") { event -> [UInt8]? in
            if case .filled(order, _, let frame, _, _) = event { frame } else { nil }
        }
        return try #require(try Self.grant(in: bytes))
    }

    private func order(
        _ source: ReadOrder.Source, allowing allowances: [DeliveryID: Int] = [:]
    ) -> ReadOrder {
        lastGrant += 1
        let order = ReadOrder(
            grant: GrantID(rawValue: lastGrant), child: ChildID(rawValue: 1), account: AccountID(rawValue: 1),
            source: source, allowances: allowances)
        mailbox.send(.read(order))
        return order
    }

    private static func grant(in bytes: [UInt8]) throws -> GrantFrame? {
        var decoder = FrameDecoder()
        decoder.feed(bytes)
        return try decoder.next().map { try GrantFrame($0) }
    }

    private static func messages(in bytes: [UInt8]) throws -> [MessageID] {
        guard let grant = try grant(in: bytes) else { return [] }
        var offset = GrantFrame.firstEntry
        return (0..<grant.count).map { _ in
            let entry = grant.entry(at: offset)
            offset = entry.next
            return entry.message
        }
    }
}
