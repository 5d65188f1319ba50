import Glibc
import PushMaster
import PushModel
import PushWire
import Synchronization
import TestSupport
import Testing

/// Tests how a process that serves many callers reaches a master that may be silent.
@Suite struct MasterContactTests {
    /// Records each request, and answers while it is enabled.
    private final class Master: Sendable {
        private let state = Mutex((lines: [String](), answers: false, waiting: [Int32]()))
        private let service = Mutex<StandInService?>(nil)
        let storePath: String

        init(in folder: String) throws {
            storePath = folder + "/store"
            let started = try StandInService(in: folder) { [self] in serve($0) }
            service.withLock { $0 = started }
        }

        var lines: [String] { state.withLock(\.lines) }

        /// Answers from now on, and also answers waiting requests.
        func answer() {
            state.withLock { state in
                state.answers = true
                for client in state.waiting { Self.answer(client) }
                state.waiting = []
            }
        }

        func end() {
            service.withLock { $0?.end() }
            answer()
        }

        private func serve(_ client: Int32) {
            let line = String(StandInService.request(from: client).prefix { $0 != "\r\n" })
            state.withLock { state in
                state.lines.append(line)
                if state.answers { Self.answer(client) } else { state.waiting.append(client) }
            }
        }

        private static func answer(_ client: Int32) {
            StandInService.say(StandInService.answer(200), to: client)
            close(client)
        }
    }

    private static let request = ServiceRequest("POST", "/services", body: Array("{}".utf8))

    private static func with(
        _ timeouts: (inout MasterContact.Timeouts) -> Void,
        _ story: (MasterContact, Master, _ announcements: () -> Int) throws -> Void
    ) throws {
        try TemporaryFolder.with { folder in
            let announcements = Counter()
            let master = try Master(in: folder)
            defer { master.end() }
            var given = MasterContact.Timeouts()
            timeouts(&given)
            let contact = MasterContact(storePath: master.storePath, timeouts: given) { announcements.add() }
            try story(contact, master) { announcements.count }
        }
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock(\.self) }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test func `notifications never block, and notifications during another one are merged into one`() throws
    {
        // The master answers only after all notifications have been sent: a caller that waited for the answer
        // would wait forever.
        try Self.with {
            $0.notification = 3_600_000
        } _: { contact, master, announcements in
            contact.wakeUp()
            eventually("the first one is sent") { master.lines.count == 1 }
            for number in 1...1_000 {
                contact.wakeUp()
                contact.pauseChanged(DeliveryID(rawValue: Int64(number % 2 + 7)))
            }
            #expect(master.lines.count == 1)
            master.answer()
            eventually("the others are sent") { master.lines.count == 4 }
            contact.wakeUp()
            eventually("another one is sent") { master.lines.count == 5 }
            #expect(Set(master.lines).count == 3 && announcements() == 0 && !contact.isSilent)
        }
    }

    @Test func `a silent master receives no request for a while, and then a notification is repeated`() throws
    {
        try Self.with {
            ($0.notification, $0.silence) = (50, 1_000)
        } _: { contact, master, announcements in
            contact.wakeUp()
            eventually("it counts as silent") { contact.isSilent }
            eventually("others are notified instead") { announcements() >= 1 }
            let asked = master.lines.count
            // None of these requests is sent.
            if contact.isSilent {
                #expect(contact.carryOut(Self.request, for: "a", mark: "mark") == .silent)
                #expect(throws: MasterError.self) { try contact.status() }
                #expect(!master.lines.dropFirst(asked).contains { !$0.contains("/wake-up") })
            }
            eventually("it is asked again") { master.lines.count >= 2 }
            master.answer()
            eventually("it is silent no more") { !contact.isSilent }
            #expect(Set(master.lines).count == 1)
        }
    }

    @Test func `if a silent master does not accept an operation, the next operations do not wait for it`()
        throws
    {
        try Self.with {
            ($0.admission, $0.silence) = (50, 3_600_000)
        } _: { contact, master, _ in
            #expect(!contact.isSilent)
            for _ in 0..<3 { #expect(contact.carryOut(Self.request, for: "a", mark: "mark") == .silent) }
            #expect(contact.isSilent && master.lines.count == 1)
            // The notification is sent nevertheless, and its answer ends the silence.
            master.answer()
            contact.wakeUp()
            eventually("it is silent no more") { !contact.isSilent }
            #expect(master.lines.count == 2)
        }
    }

    @Test func `without a master other hosts are notified, and a missing master does not count as silent`()
        throws
    {
        try TemporaryFolder.with { folder throws in
            let announcements = Counter()
            let contact = MasterContact(storePath: folder + "/store") { announcements.add() }
            contact.wakeUp()
            eventually("others are notified") { announcements.count == 1 }
            #expect(!contact.isSilent && contact.carryOut(Self.request, for: "a", mark: "mark") == .notTaken)
            #expect(try contact.status() == nil)
        }
    }
}
