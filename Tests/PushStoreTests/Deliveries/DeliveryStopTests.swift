import PushModel
import PushStore
import TestSupport
import Testing

@Suite(.eachEngine) struct DeliveryStopTests {
    private let noon = TemporaryStore.noon

    private func cancelAll(_ id: DeliveryID, in fixture: TemporaryStore) throws -> [CancelStep] {
        var steps: [CancelStep] = []
        repeat {
            steps.append(try fixture.store.stop.cancelNext(of: id, at: noon))
        } while steps.last.map { !$0.isOver && $0.ended > 0 } ?? false
        return steps
    }

    @Test
    func `no part of a stopped delivery is prepared or found, and waiting messages are cancelled in steps`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...20_000, to: app)
            let id = try fixture.submit(apps: [app])
            let first = try #require(try fixture.store.preparation.prepareChunk(of: id, at: noon).part)
            #expect(try fixture.store.stop.stop(id, at: noon) == .stopped(isOver: false))
            #expect(try fixture.state(id) == .stopping)
            #expect(try fixture.store.queues.deliveries() == [.stopping: 1])
            #expect(try fixture.nextToPrepare(at: noon) == nil)
            #expect(try fixture.store.work.openParts().parts == [])
            #expect(try fixture.store.stop.stopping() == [id] && fixture.store.pause.paused() == [])
            // Messages in flight are answered nevertheless.
            try fixture.accept(Array(first.ids.prefix(10)), of: id)

            let steps = try cancelAll(id, in: fixture)
            #expect(steps.map(\.ended).reduce(0, +) == first.ids.count - 10)
            #expect(try fixture.state(id) == .stopped && fixture.store.stop.stopping().isEmpty)
            let counts = try fixture.counts(id)
            #expect(counts.sent == 10 && counts.cancelled == first.ids.count - 10 && counts.isBalanced)
            #expect(try fixture.store.inspection.agrees(id))
            // An answer that arrives after all is recorded as a fact.
            try fixture.accept([first.ids[20]], of: id)
            #expect(try fixture.counts(id).sent == 11 && fixture.state(id) == .stopped)
            #expect(try fixture.store.stop.cancelNext(of: id, at: noon).isOver)
        }
    }

    @Test func `many parts are processed in many short transactions`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...30, to: app)
            // Parts of one message each.
            let id = try fixture.submit(.tokens((1...30).map(TemporaryStore.token)), apps: [app])
            for _ in 0..<30 { _ = try fixture.store.preparation.prepareChunk(of: id, limit: 1, at: noon) }
            _ = try fixture.store.stop.stop(id, at: noon)
            let steps = try cancelAll(id, in: fixture)
            #expect(steps.map(\.ended) == [DeliveryStop.partsPerStep, 30 - DeliveryStop.partsPerStep])
            #expect(steps.map(\.isOver) == [false, true])
        }
    }

    @Test func `a stopped delivery with no prepared messages ends immediately, whether it is paused or not`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let ids = try (1...3).map { number in
                try fixture.submit(apps: [app]) {
                    if number == 2 { $0.schedule.start = noon.later(seconds: 60).time }
                }
            }
            _ = try fixture.store.pause.pause(ids[2])
            for id in ids {
                #expect(try fixture.store.stop.stop(id, at: noon) == .stopped(isOver: true))
                #expect(try fixture.state(id) == .stopped)
                #expect(try fixture.store.pause.resume(id) == .unchanged(.stopped))
            }
            #expect(try fixture.nextToPrepare(at: noon.later(seconds: 120)) == nil)
            #expect(try fixture.counts(ids[0]) == DeliveryCounts())
        }
    }

    @Test func `attempted messages of a stopped delivery fail with their last answer and are not sent again`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            let part = try #require(try fixture.prepare(id).first)
            var batch = OutcomeBatch(delivery: id)
            batch.others = part.ids.prefix(4).map {
                MessageRecord(
                    message: $0,
                    change: .retrying(due: noon.time, .soft, .unreachable, providerReason: "time out"),
                    countsAttempt: true)
            }
            _ = try fixture.store.outcomes.record([batch], at: noon)
            _ = try fixture.store.stop.stop(id, at: noon)
            let messages = try fixture.store.messageReader()
            #expect(try messages.retryingDue(app: app.id, dueBy: noon.time) == 0)
            _ = try cancelAll(id, in: fixture)
            let counts = try fixture.counts(id)
            #expect(counts.failed == 4 && counts.cancelled == 6)
            let reasons = try fixture.store.deliveries.reasons(of: id).counts
            #expect(reasons.contains { $0.state == .failed && $0.text == "time out" && $0.count == 4 })
            let retry = RetryOfFailed(
                delivery: id, permanentReasons: [], expiresAt: noon.later(seconds: 900_000).time)
            var cursor = FailedMessages.Cursor()
            #expect(try fixture.store.failedMessages.retry(retry, &cursor, at: noon) == nil)
            #expect(try fixture.state(id) == .stopped && fixture.counts(id) == counts)
        }
    }

    @Test func `a second stop, a pause, a resume and a retry do not change a stopped delivery`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.prepare(id)
            let (stop, pause) = (fixture.store.stop, fixture.store.pause)
            _ = try pause.pause(id)
            #expect(try stop.stop(id, at: noon) == .stopped(isOver: false))
            #expect(try stop.stop(id, at: noon) == .unchanged(.stopping))
            #expect(try pause.pause(id) == .unchanged(.stopping))
            #expect(try pause.resume(id) == .unchanged(.stopping))
            _ = try cancelAll(id, in: fixture)
            #expect(try stop.stop(id, at: noon) == .unchanged(.stopped))
            #expect(try stop.stop(DeliveryID(rawValue: 77), at: noon) == .unknown)
        }
    }

    @Test func `a stopped delivery ends as stopped, both at its last answer and at the end of its validity`()
        throws
    {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let ids = try (1...2).map { _ in
                try fixture.submit(apps: [app]) { $0.schedule.validitySeconds = 60 }
            }
            let parts = try ids.map { try #require(try fixture.prepare($0).first) }
            for id in ids { _ = try fixture.store.stop.stop(id, at: noon) }
            #expect(try fixture.accept(parts[0].ids, of: ids[0]).finished == [ids[0]])
            let end = noon.later(seconds: 60)
            while try fixture.store.outcomes.expire(at: end).hasMore {}
            #expect(try ids.map { try fixture.state($0) } == [.stopped, .stopped])
            #expect(try fixture.counts(ids[1]).cancelled == 10)
        }
    }

    @Test func `stopping does not change a delivery that has already ended`() throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...10, to: app)
            let id = try fixture.submit(apps: [app])
            try fixture.accept(try #require(try fixture.prepare(id).first).ids, of: id)
            #expect(try fixture.store.stop.stop(id, at: noon) == .unchanged(.finished))
            #expect(try fixture.state(id) == .finished)
        }
    }
}

/// Simulates deliveries that are prepared, granted, answered, paused, resumed, stopped and sent again, in any
/// order, by processes that are killed at any moment. A master's memory is lost with the master. The data in
/// the store remains.
@Suite(.eachEngine) struct StoppedDeliveriesStoryTests {
    @Test(arguments: 0..<6)
    func `tallies match the messages, no message is lost, and no message is sent after a stop`(
        seed: UInt64
    ) throws {
        try TemporaryStore.with { fixture in
            let app = try fixture.app()
            try fixture.subscribe(1...400, to: app)
            var story = try Story(fixture, app, seed: seed)
            for _ in 0..<250 { try story.turn() }
            try story.finish()
        }
    }

    private struct Story {
        let fixture: TemporaryStore
        let ids: [DeliveryID]
        let app: App
        var random: SeededRandom
        var now = TemporaryStore.noon
        /// The messages that children have, by delivery. They are lost with the master.
        var held: [DeliveryID: [MessageID]] = [:]
        var stopped: Set<DeliveryID> = []
        /// The messages that were with a gateway when their delivery was stopped.
        var begun: [DeliveryID: Set<MessageID>] = [:]

        init(_ fixture: TemporaryStore, _ app: App, seed: UInt64) throws {
            (self.fixture, self.app) = (fixture, app)
            random = SeededRandom(seed: seed)
            ids = try (0..<4).map { _ in try fixture.submit(apps: [app]) }
        }

        mutating func turn() throws {
            now = now.later(seconds: Int64(random.below(30)))
            let id = ids[random.below(ids.count)]
            switch random.below(12) {
            case 0...1:
                // Prepares a chunk of a delivery that is to be prepared, and of no other delivery.
                var turns = PreparationTurns()
                if let next = try fixture.store.work.nextToPrepare(at: now, &turns) {
                    #expect(!stopped.contains(next))
                    _ = try fixture.store.preparation.prepareChunk(
                        of: next, limit: 1 + random.below(90), at: now)
                }
            case 2...4: try grant()
            case 5...7: try answer(id)
            case 8:
                if random.below(2) == 0 {
                    _ = try fixture.store.pause.pause(id)
                } else {
                    _ = try fixture.store.pause.resume(id)
                }
            case 9 where random.below(6) == 0: try stop(id)
            case 9: held = random.below(4) == 0 ? [:] : held
            case 10:
                for id in try fixture.store.stop.stopping() where held[id]?.isEmpty ?? true {
                    _ = try fixture.store.stop.cancelNext(of: id, at: now)
                }
            default: try retry(id)
            }
            try check()
        }

        private mutating func grant() throws {
            for part in try fixture.store.work.openParts().parts where random.below(2) == 0 {
                #expect(!stopped.contains(part.delivery), "a part of a stopped delivery is found")
                let messages = try fixture.store.messageReader()
                var found: [MessageID] = []
                try messages.pending(in: part, range: part.messages) { message, _, _, _ in
                    found.append(message)
                }
                let free = found.filter { held[part.delivery]?.contains($0) != true }
                held[part.delivery, default: []] += free.prefix(1 + random.below(40))
            }
            var due: [(DeliveryID, MessageID)] = []
            try fixture.store.messageReader().retries(app: app.id, dueBy: now.time, limit: 50) {
                facts, _, _, _ in
                due.append((facts.delivery, facts.message))
            }
            for (delivery, message) in due where held[delivery]?.contains(message) != true {
                #expect(!stopped.contains(delivery), "a retry of a stopped delivery is due")
                held[delivery, default: []].append(message)
            }
        }

        private mutating func answer(_ id: DeliveryID) throws {
            let count = random.below((held[id]?.count ?? 0) + 1)
            let messages = Array(held[id]?.prefix(count) ?? [])
            held[id]?.removeFirst(count)
            if stopped.contains(id) { #expect(begun[id]?.isSuperset(of: messages) == true) }
            var batch = OutcomeBatch(delivery: id)
            for message in messages {
                switch random.below(4) {
                case 0...1: batch.accepted.append(message)
                case 2:
                    batch.others.append(
                        MessageRecord(
                            message: message,
                            change: .retrying(
                                due: now.time, .soft, .unreachable, providerReason: "time out"),
                            countsAttempt: true))
                default:
                    batch.others.append(
                        MessageRecord(
                            message: message, change: .failed(.hard, .refused, providerReason: "BadTopic"),
                            countsAttempt: true))
                }
            }
            _ = try fixture.store.outcomes.record([batch], at: now)
        }

        /// Stops a delivery. Messages that children have not begun are returned.
        private mutating func stop(_ id: DeliveryID) throws {
            switch try fixture.store.stop.stop(id, at: now) {
            case .stopped:
                stopped.insert(id)
                let left = Array((held[id] ?? []).prefix(random.below(20)))
                held[id] = left
                begun[id] = Set(left)
            case .unchanged(let state): #expect(stopped.contains(id) || state.isFinal)
            case .unknown: Issue.record("there is no delivery \(id)")
            }
        }

        private mutating func retry(_ id: DeliveryID) throws {
            let retry = RetryOfFailed(
                delivery: id, permanentReasons: [], expiresAt: now.later(seconds: 900_000).time)
            var cursor = FailedMessages.Cursor()
            while let step = try fixture.store.failedMessages.retry(retry, &cursor, at: now) {
                if stopped.contains(id) { #expect(step.retried == 0) }
            }
        }

        private func check() throws {
            for id in ids {
                #expect(try fixture.store.inspection.agrees(id))
                #expect(try fixture.counts(id).isBalanced)
                let state = try fixture.state(id)
                if stopped.contains(id) { #expect(state == .stopping || state == .stopped) }
            }
        }

        /// Stops all deliveries, and continues until no child has any message.
        mutating func finish() throws {
            for id in ids {
                try stop(id)
                while held[id]?.isEmpty == false { try answer(id) }
                var step = CancelStep()
                repeat {
                    step = try fixture.store.stop.cancelNext(of: id, at: now)
                } while !step.isOver && step.ended > 0
                let counts = try fixture.counts(id)
                #expect(counts.pending == 0 && counts.retrying == 0)
                #expect(try fixture.state(id).isFinal)
            }
            try check()
        }
    }
}
