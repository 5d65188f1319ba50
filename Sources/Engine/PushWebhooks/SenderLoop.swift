internal import Logging
internal import PushModel
internal import PushSchedule
internal import PushStore
internal import PushSystem
internal import PushTransport
internal import PushWire

/// The work of the sender's thread: it looks at the webhooks, carries out the actions of ``WebhookPlan``, and
/// waits.
final class SenderLoop {
    private static let lookMilliseconds: Int64 = 1_000
    private static let trimMilliseconds: Int64 = 5_000

    let sender: WebhookSender
    private var lock: SenderLock?
    private var transport: TransportLoop?
    private var plan = WebhookPlan()
    /// The requests that are under way.
    private var flights: [WebhookID: Flight] = [:]
    private var lastFlight: UInt64 = 0
    /// Batches that were not accepted. The next attempt sends the same bytes again.
    private var kept: [WebhookID: Batch] = [:]
    private var nextLook: MonotonicTime?
    private var nextTrim: MonotonicTime?
    /// The current error, which is logged only once; `nil` if there is none.
    private var failure: String?

    /// A batch of events in the form in which it is sent.
    struct Batch {
        var webhook: Webhook
        var body: WebhookBody
        var missing: Int

        /// The id of the batch, which is unique among the batches of all webhooks.
        var id: String { "msg_\(webhook.mark)_\(webhook.progress.cursor)" }

        func isNext(of other: Webhook) -> Bool {
            webhook.id == other.id && webhook.mark == other.mark
                && webhook.progress.cursor == other.progress.cursor
        }
    }

    private struct Flight {
        /// The number of this request, by which a late answer to a cancelled request is recognized.
        var number: UInt64
        var batch: Batch
        var exchange: HTTPExchange
    }

    init(_ sender: WebhookSender) { self.sender = sender }

    /// Does the work that is due, and then waits for a short time.
    func turn() {
        let now = Clocks.monotonic()
        if now.milliseconds(since: nextLook ?? now) >= 0 {
            nextLook = now.advanced(byMilliseconds: Self.lookMilliseconds)
            safely { try look() }
        }
        wait()
    }

    private func wait() {
        let left = (nextLook ?? Clocks.monotonic()).milliseconds(since: Clocks.monotonic())
        let milliseconds = min(max(left, 0), Self.lookMilliseconds)
        guard let transport, !flights.isEmpty else { return sender.sleep(milliseconds: Int(milliseconds)) }
        // The wait is short, because a request to end takes effect only after the wait.
        do { _ = try transport.wait(atMostMilliseconds: Int32(min(milliseconds, 100))) } catch {
            say(failure: "\(error)")
            for (id, flight) in flights { ended(id, flight.batch) }
            (flights, self.transport) = ([:], nil)
        }
    }

    // MARK: Looking

    private func look() throws {
        if lock == nil { lock = try SenderLock(instancePath: sender.store.instancePath) }
        guard lock != nil else { return }
        let webhooks = try sender.store.webhooks.list()
        let now = sender.moment()
        let sights = webhooks.map {
            WebhookPlan.StoredWebhook(
                id: $0.id, mark: $0.mark, isEnabled: $0.disabled == nil, next: $0.progress.next,
                behind: $0.progress.behind)
        }
        let present = Dictionary(webhooks.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        for action in plan.see(sights, at: now) {
            switch action {
            case .cancel(let id):
                flights.removeValue(forKey: id)?.exchange.cancel()
                kept[id] = nil
            case .tell(let id): if let webhook = present[id] { safely(id) { try tell(webhook) } }
            }
        }
        for id in kept.keys where present[id] == nil { kept[id] = nil }
        try trim(now)
        recovered()
    }

    private func trim(_ now: WallMoment) throws {
        let moment = Clocks.monotonic()
        guard moment.milliseconds(since: nextTrim ?? moment) >= 0 else { return }
        let (days, megabytes) = sender.bounds()
        let oldest = now.millisecondsSince1970.clampedDifference(Int64(days) * 86_400_000)
        let step = try sender.store.webhookProgress.trim(
            OutboxBounds(
                oldest: WallMoment(millisecondsSince1970: oldest), maxBytes: Int64(megabytes) << 20))
        for (name, count) in step.dropped.sorted(by: { $0.key < $1.key }) {
            sender.logger.warning(
                """
                webhook \(name): \(count) events are dropped unsent, because they are older than \(days) \
                days or the outbox is larger than \(megabytes) MB; 'pushmta webhook show \(name)' shows why \
                its receiver does not accept events
                """)
        }
        // Old events are removed in short steps, as many as necessary.
        nextTrim = moment.advanced(byMilliseconds: step.hasMore ? 0 : Self.trimMilliseconds)
        if step.hasMore { nextLook = moment.advanced(byMilliseconds: 20) }
    }

    // MARK: Sending

    /// Sends the webhook's next events, if there are any.
    private func tell(_ webhook: Webhook) throws {
        if var batch = kept[webhook.id], batch.isNext(of: webhook) {
            // The receiver's address may have changed.
            batch.webhook = webhook
            return try send(batch)
        }
        kept[webhook.id] = nil
        let (batch, page) = try batch(for: webhook, upTo: webhook.progress.batchEnd)
        guard batch.body.events > 0 else {
            if page.end > webhook.progress.cursor {
                _ = try sender.store.webhookProgress.skip(
                    webhook, to: page.end, next: nil, missing: page.missing)
            }
            if !page.isLast { nextLook = Clocks.monotonic() }
            return plan.ended(webhook.id)
        }
        if webhook.progress.batchEnd == nil {
            let isBegun = try sender.store.webhookProgress.begin(webhook, end: batch.body.end)
            guard isBegun else { return plan.ended(webhook.id) }
        }
        try send(batch)
    }

    private func batch(for webhook: Webhook, upTo end: Int64?) throws -> (Batch, WebhookEventPage) {
        let page = try sender.store.webhookEvents.events(
            for: webhook, after: webhook.progress.cursor, upTo: end, limit: WebhookBody.maxEvents)
        let body = WebhookBody(webhook.order.name, page.events, end: page.end, cipher: sender.cipher)
        return (Batch(webhook: webhook, body: body, missing: page.missing), page)
    }

    private func send(_ batch: Batch) throws {
        let id = batch.webhook.id
        let now = sender.moment()
        let secrets = try sender.store.webhooks.secrets(
            of: batch.webhook.order.name, key: sender.key, at: now)
        guard let secrets else { return plan.ended(id) }
        let transport = try transport ?? TransportLoop(logger: sender.logger)
        self.transport = transport
        let call = WebhookCall(id: batch.id, body: batch.body.bytes)
        lastFlight += 1
        let number = lastFlight
        do {
            let exchange = try HTTPExchange(
                loop: transport, request: try call.request(to: batch.webhook, secrets: secrets, at: now)
            ) { [unowned self] result in arrived(id, number, WebhookAnswer(result)) }
            flights[id] = Flight(number: number, batch: batch, exchange: exchange)
        } catch {
            // The fault is in this webhook's own URL or trusted authorities, so other webhooks must not wait.
            safely(id) { try refused(batch, .unanswered(why: "\(error)")) }
        }
    }

    // MARK: Answers

    private func arrived(_ id: WebhookID, _ number: UInt64, _ answer: WebhookAnswer) {
        // The answer to a cancelled request is ignored.
        guard let batch = flights[id]?.batch, flights[id]?.number == number else { return }
        flights[id] = nil
        safely(id) {
            kept[id] = batch
            guard answer.meaning == .taken else { return try refused(batch, answer) }
            try taken(batch, answer)
        }
    }

    private func taken(_ batch: Batch, _ answer: WebhookAnswer) throws {
        var webhook = batch.webhook
        webhook.progress.cursor = batch.body.end
        let (next, page) = try self.batch(for: webhook, upTo: nil)
        let hasNext = next.body.events > 0
        // Events that are not for this webhook are skipped immediately.
        let end = hasNext ? batch.body.end : page.end
        let done = WebhookProgressWriter.Taken(
            end: end, next: hasNext ? next.body.end : nil, events: batch.body.events,
            missing: batch.missing + (hasNext ? 0 : page.missing), answer: answer.text)
        let isMoved = try sender.store.webhookProgress.take(batch.webhook, done, at: sender.moment())
        kept[webhook.id] = nil
        if webhook.progress.failures > 0 {
            sender.logger.notice("webhook \(webhook.order.name) accepts events again")
        }
        webhook.progress.failures = 0
        guard isMoved, hasNext else { return plan.ended(webhook.id) }
        try send(Batch(webhook: webhook, body: next.body, missing: next.missing))
    }

    private func refused(_ batch: Batch, _ answer: WebhookAnswer) throws {
        let webhook = batch.webhook
        let now = sender.moment()
        var asked: Int64?
        if case .again(let seconds) = answer.meaning { asked = seconds }
        let failures = min(max(webhook.progress.failures, 0), 1 << 30) + 1
        let wait = WebhookBackOff.milliseconds(
            afterFailures: failures, retryAfterSeconds: asked, jitter: Double.random(in: 0..<1))
        let isGone = answer.meaning == .gone
        let text = answer.text.printable(atMost: 300)
        kept[webhook.id] = batch
        let next = WallMoment(millisecondsSince1970: now.millisecondsSince1970.clampedSum(wait))
        try sender.store.webhookProgress.fail(
            webhook, text, next: next, disabled: isGone ? "the receiver answered 410 (gone)" : nil, at: now)
        let name = webhook.order.name
        if isGone {
            sender.logger.warning(
                """
                webhook \(name) is disabled: the receiver answered 410 (gone); enable it with 'pushmta \
                webhook update \(name) --enable'
                """
            )
        } else {
            sender.logger.warning(
                """
                webhook \(name): \(text); failure \(failures) in a row, next attempt in \
                \((wait + 999) / 1_000) s
                """
            )
        }
        ended(webhook.id, batch)
    }

    private func ended(_ id: WebhookID, _ batch: Batch) {
        kept[id] = batch
        plan.ended(id)
    }

    // MARK: Errors

    /// Runs the body. If the body throws an error, the next look at the webhooks tries again.
    private func safely(_ id: WebhookID? = nil, _ body: () throws -> Void) {
        do { try body() } catch {
            say(failure: "\(error)")
            if let id { plan.ended(id) }
        }
    }

    private func say(failure text: String) {
        guard failure != text else { return }
        failure = text
        sender.logger.error("webhooks: \(text.printable(atMost: 1_000)); trying again every second")
    }

    private func recovered() {
        if failure != nil { sender.logger.notice("webhooks are being sent again") }
        failure = nil
    }
}
