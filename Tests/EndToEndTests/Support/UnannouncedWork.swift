import FoundationEssentials
import PushAPI
import PushConfig
import PushConnectors
import PushModel
import PushStore
import PushSystem
import TestSupport
import Testing
import pushload

/// Work for a running master that this process writes into its store without notifying any process.
///
/// Two apps have the same subscribers. The second app uses the stub connector, and a storm has stopped its
/// account.
final class UnannouncedWork {
    /// The requests that an operator or a program can make while a master runs.
    enum Kind: CaseIterable {
        case message, delivery, laterStart, retry, pauseAndResume, resumption, stop, stopBeforeStart, recall
        case retryOfFailed, recount, storm
    }

    /// One item and its expected result.
    struct Item {
        var kind: Kind
        /// The steps are executed in order, interleaved with the steps for other items.
        var steps: [() throws -> Void]
        let isDone: () throws -> Bool
    }

    private let store: Store
    private let app: App
    private let stoppable: App
    private let account: AccountKey
    private let subscribers: SyntheticSubscribers
    private var messages = 0
    /// The number of requests that the gateway must receive for all items: each message once.
    private(set) var expectedRequests = 0

    private static let stoppableApp = "stoppable"

    /// This must be called before the master starts. The items must be created before the call.
    init(_ testbed: Testbed, subscribers count: Int) async throws {
        subscribers = SyntheticSubscribers(count)
        try await testbed.createApp()
        try await testbed.succeed([
            "app", "create", Self.stoppableApp, "--service", Testbed.service, "--platform", "ios",
            "--integration-key", Self.stoppableApp, "--connector", "stub",
        ])
        for name in [Testbed.app, Self.stoppableApp] {
            try await testbed.importSubscribers(subscribers, into: name)
        }
        let configuration = try ConfigurationFile.load(
            path: testbed.folder.file("serverConf.xml"), schema: ConnectorCatalogue.settings)
        store = try Store.open(configuration.settings.store.place)
        app = try #require(try store.catalogue.app(named: Testbed.app))
        stoppable = try #require(try store.catalogue.app(named: Self.stoppableApp))
        struct Explanation: Decodable { var mark: String }
        let explained = try await testbed.succeed(["explain", Self.stoppableApp, "--json"]).output
        let mark = try JSONDecoder().decode(Explanation.self, from: Data(explained.utf8)).mark
        account = AccountKey(rawValue: mark).part(of: stoppable)
    }

    // MARK: Items

    /// - Returns: The item. The data that its first step needs is already in the store.
    func item(_ kind: Kind) throws -> Item {
        switch kind {
        case .message: return try message()
        case .delivery: return delivery(kind, startsAfter: nil)
        case .laterStart: return delivery(kind, startsAfter: 2)
        case .pauseAndResume:
            var made: DeliveryID?
            return sent(
                kind,
                steps: [
                    { [self] in made = try prepared(isPaused: true).id },
                    { [self] in try resume(try #require(made)) },
                ]
            ) { made }
        case .resumption:
            let (id, _) = try prepared(isPaused: true)
            return sent(kind, steps: [{ [self] in try resume(id) }]) { id }
        case .retry:
            let (id, messages) = try prepared(isPaused: true)
            let retry: () throws -> Void = { [self] in
                try record(messages, of: id) {
                    .retrying(due: Clocks.wall(), .undefined, .unreachable, providerReason: "no answer")
                }
            }
            return sent(kind, steps: [retry, { [self] in try resume(id) }]) { id }
        case .stop:
            let (id, _) = try prepared(isPaused: true)
            return Item(kind: kind, steps: [{ [self] in try stop(id) }]) { [self] in
                try isStopped(id) && counts(id).cancelled == subscribers.count
            }
        case .stopBeforeStart:
            var made: DeliveryID?
            return Item(
                kind: kind,
                steps: [
                    { [self] in made = try submit(to: app, startsAfter: 3_600) },
                    { [self] in try stop(try #require(made)) },
                ]
            ) { [self] in try made.map(isStopped) ?? false }
        case .recall:
            let (id, _) = try prepared(isPaused: true)
            var replacement: DeliveryID?
            let recall: () throws -> Void = { [self] in
                try stop(id)
                replacement = try submit(to: app, startsAfter: 1)
            }
            let end = sent(kind, steps: [recall]) { replacement }
            return Item(kind: kind, steps: end.steps) { [self] in try isStopped(id) && end.isDone() }
        case .retryOfFailed:
            let (id, messages) = try prepared()
            try record(messages, of: id) { .failed(.hard, .refused, providerReason: "BadTopic") }
            return sent(kind, steps: [{ [self] in try retryFailed(id) }]) { id }
        case .recount:
            let (id, _) = try prepared()
            _ = try store.repair.hold(id, because: "the story holds it", at: Clocks.moment())
            return sent(kind, steps: [{ [self] in _ = try store.repair.recount(id, at: Clocks.moment()) }]) {
                id
            }
        case .storm: return try storm()
        }
    }

    private func message() throws -> Item {
        messages += 1
        expectedRequests += 1
        let service = try #require(try store.catalogue.service(app.service))
        let message = NewMessage(
            service: service, apps: [NewMessage.Addressee(app)],
            recipient: .token(subscribers.token(messages % subscribers.count)),
            content: MessageContent(json: Array(#"{"title":"Message \#(messages)"}"#.utf8)))
        var accepted: AcceptedMessage?
        return Item(
            kind: .message,
            steps: [
                { [self] in
                    accepted = try #require(store.accept([message], at: Clocks.moment()).first).get()
                }
            ]
        ) { [self] in
            guard let accepted, let device = accepted.devices.first else { return false }
            let status = try store.messageStatus.status(of: device.message, in: accepted.delivery)
            return status?.entry.state == .sent
        }
    }

    private func delivery(_ kind: Kind, startsAfter seconds: Int64?) -> Item {
        var made: DeliveryID?
        return sent(kind, steps: [{ [self] in made = try submit(to: app, startsAfter: seconds) }]) { made }
    }

    /// The answers for the first delivery stop the account, and the second delivery waits for the operator's
    /// decision.
    private func storm() throws -> Item {
        let (id, messages) = try prepared(of: stoppable)
        let verdict = TokenVerdict(gravity: .dead, deadSince: nil, account: account)
        var batch = OutcomeBatch(delivery: id)
        batch.others = messages.map {
            MessageRecord(
                message: $0, change: .failed(.hard, .userUnknown, providerReason: "Unregistered"),
                countsAttempt: true, tokenVerdict: verdict)
        }
        batch.answers = [AccountAnswers(account: account, aboutTokens: messages.count)]
        _ = try store.outcomes.record([batch], at: Clocks.moment(), judge: { _ in .storm })
        var second: DeliveryID?
        return Item(
            kind: .storm,
            steps: [
                { [self] in second = try submit(to: stoppable) },
                { [self] in
                    while try store.verdicts.discardStorm(account)?.hasMore == true {}
                },
            ]
        ) { [self] in try second.map(isSent) ?? false }
    }

    /// Returns an item whose delivery is sent to every subscriber of the app that uses the gateway.
    private func sent(
        _ kind: Kind, steps: [() throws -> Void], _ delivery: @escaping () -> DeliveryID?
    ) -> Item {
        expectedRequests += subscribers.count
        return Item(kind: kind, steps: steps) { [self] in try delivery().map(isSent) ?? false }
    }

    // MARK: What commands do

    private func submit(to app: App, startsAfter seconds: Int64? = nil) throws -> DeliveryID {
        var schedule = DeliverySchedule()
        schedule.start = seconds.map { Clocks.wall().advanced(bySeconds: $0) }
        let order = DeliveryOrder(
            label: "Unannounced", service: app.service, apps: [app.id], target: .all, schedule: schedule,
            retry: RetryOverride(), tracking: false, contentJSON: Array(#"{"title":"Hello"}"#.utf8))
        return try store.deliverySubmitter.submit(order, at: Clocks.moment())
    }

    /// Creates a delivery whose messages wait in the store.
    private func prepared(
        of app: App? = nil, isPaused: Bool = false
    ) throws -> (id: DeliveryID, messages: [MessageID]) {
        // The master does not prepare a delivery whose start is in the future.
        let id = try submit(to: app ?? self.app, startsAfter: 3_600)
        var messages: [MessageID] = []
        let later = WallMoment(Clocks.wall().advanced(bySeconds: 3_601))
        while true {
            let step = try store.preparation.prepareChunk(of: id, at: later)
            if let part = step.part {
                let numbers = part.messages.lowerBound.rawValue...part.messages.upperBound.rawValue
                messages += numbers.map(MessageID.init(rawValue:))
            }
            if step.isComplete { break }
        }
        if isPaused { #expect(try store.pause.pause(id) == .changed) }
        return (id, messages)
    }

    private func resume(_ id: DeliveryID) throws {
        #expect(try store.pause.resume(id) == .changed)
    }

    private func stop(_ id: DeliveryID) throws {
        guard case .stopped = try store.stop.stop(id, at: Clocks.moment()) else {
            Issue.record("delivery \(id) was not stopped")
            return
        }
    }

    private func record(
        _ messages: [MessageID], of id: DeliveryID, _ change: () -> MessageRecord.Change
    ) throws {
        var batch = OutcomeBatch(delivery: id)
        batch.others = messages.map {
            MessageRecord(message: $0, change: change(), countsAttempt: true)
        }
        _ = try store.outcomes.record([batch], at: Clocks.moment())
    }

    private func retryFailed(_ id: DeliveryID) throws {
        let retry = RetryOfFailed(
            delivery: id, permanentReasons: [], expiresAt: Clocks.wall().advanced(bySeconds: 86_400))
        var cursor = FailedMessages.Cursor()
        while try store.failedMessages.retry(retry, &cursor, at: Clocks.moment()) != nil {}
    }

    // MARK: What came of it

    private func counts(_ id: DeliveryID) throws -> DeliveryCounts {
        try #require(try store.deliveries.summary(of: id)).counts
    }

    private func isSent(_ id: DeliveryID) throws -> Bool {
        let summary = try #require(try store.deliveries.summary(of: id))
        return summary.state == .finished && summary.counts.sent == subscribers.count
    }

    private func isStopped(_ id: DeliveryID) throws -> Bool {
        try store.deliveries.summary(of: id)?.state == .stopped
    }
}
