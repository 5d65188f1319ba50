import PushModel
import PushQueue
import TestSupport
import Testing

/// Simulates two writers, a gateway and an operator: grants and losses; outcomes that are in time, late or
/// repeated, belong to an old generation or are unexpected; retries, expiry, stops, retries of failed
/// messages and takeovers; and a clock that is set back. After each step, the parts must match a plain record
/// of each message, and the tallies must equal the sums over the parts.
@Suite struct PartStoryTests {
    @Test(arguments: 0..<4) func `no message is lost or duplicated, and a recount equals the tally`(
        seed: UInt64
    ) {
        var story = Story(seed: seed)
        for _ in 0..<Story.steps where story.store.complaints.isEmpty { story.step() }
        story.finish()
        #expect(story.store.complaints == [])
        #expect(story.granted > 0 && story.lates > 0 && story.store.misses > 0 && story.reopened > 0)
    }
}

private struct Story {
    /// The number of steps for each seed. `make chaos` requests a million in total.
    static let steps = Environment.number("PUSHMTA_STORY_STEPS") ?? 10_000

    var store = StoryStore()
    var random: SeededRandom
    var now = noon
    var granted = 0
    var lates = 0
    var reopened = 0

    private struct Grant {
        var part: Int
        var generation: Int64
        var isRetry: Bool
        /// The index of each message and the number of its previous attempts.
        var messages: [(index: Int, attempts: Int)]
    }
    private var grants: [Grant] = []
    /// The messages that are currently granted, by part, as the scheduler knows them.
    private var held: [Int: Set<Int>] = [:]
    /// Outcomes that were recorded and will be repeated.
    private var past: [(part: Int, generation: Int64, outcomes: PartOutcomes)] = []
    /// The copies that each writer has. A writer is not notified when the other writer writes.
    private var caches: [[Int: (progress: PartProgress, notes: PartNotes)]] = [[:], [:]]
    private var lastPart = 0

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func step() {
        if store.parts.count < 6 { add() }
        now = now.advanced(bySeconds: Int64(random.below(40)))
        guard let part = store.parts.keys.sorted().randomElement(using: &random) else { return }
        let touched: Int
        switch random.below(40) {
        case 0..<10: touched = grant(part)
        case 10..<26: touched = answer() ?? part
        case 26..<28: touched = replay() ?? part
        case 28, 29: touched = nonsense(part)
        case 30, 37, 38: touched = lose() ?? part
        case 31: touched = random.one(in: 2) ? expire(part) : part
        case 32: touched = random.one(in: 10) ? stop(part) : part
        case 33: touched = reopen(part)
        case 34: touched = random.one(in: 4) ? takeOver(part) : part
        case 35: touched = random.one(in: 4) ? setClockBack(part) : part
        case 36, 39: touched = retire(part)
        default: touched = part
        }
        store.check(touched)
    }

    /// From now on there is no trouble: every message must end.
    mutating func finish() {
        for number in store.parts.keys.sorted() {
            grants.removeAll { $0.part == number }
            held[number] = []
            for _ in 0..<2_000 where store.parts[number]?.truth.isOpen == true {
                if let due = store.parts[number]?.truth.nextDue { now = max(now, due) }
                _ = grant(number)
                for grant in grants {
                    var outcomes = PartOutcomes()
                    outcomes.accepted = ContiguousArray(grant.messages.map(\.index))
                    record(outcomes, of: grant.part, under: grant.generation)
                }
                grants = []
                held[number] = []
            }
            if store.parts[number]?.truth.isOpen != false { store.complain("part \(number) has no end") }
            store.check(number)
        }
    }

    private mutating func add() {
        lastPart += 1
        let sizes = [1, 2, 63, 64, 65, 200, 400, random.one(in: 20) ? PartLimits.messages : 40]
        let size = sizes[random.below(sizes.count)]
        let statuses = (0..<size).map { _ in
            random.one(in: 9)
                ? (status: MessageStatus(.excluded, isTried: false, cause: .disabled, since: now), count: 1)
                : (status: MessageStatus(.pending, isTried: false, since: now), count: 1)
        }
        guard let states = try? PartStates(statuses) else { return store.complain("no part of \(size)") }
        let progress = PartProgress(
            states: states, deadline: now.advanced(bySeconds: Int64(random.below(9_000))))
        store.add(lastPart, app: AppID(rawValue: Int64(1 + random.below(3))), progress)
    }

    // MARK: Writing

    /// Writes as one of the writers, with this writer's copy of the part. If the copy is outdated, the writer
    /// loads the part and applies `law` again.
    @discardableResult
    private mutating func write(
        _ part: Int, mayOpen: Bool = false, _ law: (PartProgress, PartNotes) -> PartChange,
        _ plain: (inout NaivePart) -> Void
    ) -> PartChange? {
        let writer = random.below(2)
        let wasOpen = store.parts[part]?.truth.isOpen ?? false
        let sentBefore = store.parts[part]?.truth.counts.sent ?? 0
        while true {
            if caches[writer][part] == nil { caches[writer][part] = (try? store.load(part)) ?? nil }
            guard let copy = caches[writer][part] else { return nil }
            let change = law(copy.progress, copy.notes)
            guard store.write(part, from: copy.progress.revision, change) else {
                caches[writer][part] = nil
                continue
            }
            caches[writer][part] = (change.progress, copy.notes.replacing(change.changedNotes))
            if var mine = store.parts[part]?.plain {
                plain(&mine)
                store.parts[part]?.plain = mine
            }
            if !wasOpen, !mayOpen, change.progress.isOpen {
                store.complain("part \(part) was finished and is open")
            }
            if change.progress.counts.sent < sentBefore {
                store.complain("a message of part \(part) is unsent")
            }
            return change
        }
    }

    private mutating func record(_ outcomes: PartOutcomes, of part: Int, under generation: Int64) {
        let now = now
        var plainLate = 0
        let change = write(part) { progress, notes in
            // Like the store, this method loads notes only if they are needed.
            let wanted = progress.needsNotes(for: outcomes) ? notes : nil
            return progress.apply(outcomes, at: now, under: generation, notes: wanted)
        } _: {
            plainLate = $0.apply(outcomes, at: now, under: generation)
        }
        guard let change else { return }
        if change.late != plainLate { store.complain("\(change.late) outcomes were late, not \(plainLate)") }
        lates += change.late
    }

    // MARK: Who asks for what

    private mutating func grant(_ number: Int) -> Int {
        guard let part = store.parts[number] else { return number }
        let taken = held[number] ?? []
        let pending = part.truth.pending(in: 0..<part.count).flatMap(\.self)
        if pending != part.plain.messages.indices.filter({ part.plain.messages[$0].state == .pending }) {
            store.complain("part \(number) offers what is not pending, or not all of it")
        }
        let due = part.truth.dueRetries(at: now, notes: part.notes)
        if due.map(\.index) != part.plain.due(at: now) {
            store.complain("part \(number) offers other retries")
        }
        let isRetry = random.one(in: 3) || pending.isEmpty
        let candidates = (isRetry ? due.map(\.index) : pending).filter { !taken.contains($0) }
        let chosen = candidates.prefix(1 + random.below(100))
        guard !chosen.isEmpty else { return number }
        let messages = chosen.map { (index: $0, attempts: part.truth.attempts(of: $0, notes: part.notes)) }
        for (index, attempts) in messages where part.plain.messages[index].attempts != attempts {
            store.complain("message \(index) of part \(number) has not had \(attempts) attempts")
        }
        grants.append(
            Grant(part: number, generation: part.truth.generation, isRetry: isRetry, messages: messages))
        held[number] = taken.union(chosen)
        granted += chosen.count
        return number
    }

    private mutating func change(_ attempts: Int) -> PartOutcome.Change {
        let cause = CauseCode(rawValue: UInt8(17 + random.below(12)))
        return switch random.below(12) {
        case 0...3: .retrying(due: now.advanced(bySeconds: Int64(random.below(400) - 20)), cause)
        case 4...7: .failed(cause)
        case 8: .excluded(cause)
        case 9: .cancelled(cause)
        default: .sent(providerID: random.one(in: 2) ? nil : "id \(attempts)")
        }
    }

    /// A gateway answers some of the granted messages. Some messages come back as if they had never been
    /// granted.
    private mutating func answer() -> Int? {
        guard let place = grants.indices.randomElement(using: &random) else { return nil }
        var grant = grants[place]
        var outcomes = PartOutcomes()
        let goodShare = [0, 5, 10][random.below(3)]
        if random.one(in: 4) { grant.messages.shuffle(using: &random) }
        for (index, attempts) in grant.messages.prefix(1 + random.below(min(grant.messages.count, 30))) {
            if isCurrent(grant) { held[grant.part]?.remove(index) }
            if random.one(in: 20) { continue }
            if random.below(10) < goodShare {
                outcomes.accepted.append(index)
            } else {
                let before = random.one(in: 10) ? nil : attempts
                outcomes.others.append(
                    PartOutcome(
                        index: index, change: change(attempts), countsAttempt: !random.one(in: 5),
                        attemptsBefore: before))
            }
        }
        let answered = Set(outcomes.accepted).union(outcomes.others.map(\.index))
        // Removes messages that were answered or returned. A grant is forgotten when its last message is
        // removed.
        grant.messages.removeAll {
            answered.contains($0.index) || held[grant.part]?.contains($0.index) == false
        }
        if grant.messages.isEmpty { grants.remove(at: place) } else { grants[place] = grant }
        past.append((grant.part, grant.generation, outcomes))
        if past.count > 50 { past.removeFirst() }
        record(outcomes, of: grant.part, under: grant.generation)
        return grant.part
    }

    private func isCurrent(_ grant: Grant) -> Bool {
        store.parts[grant.part]?.truth.generation == grant.generation
    }

    /// Repeats outcomes that were already recorded.
    private mutating func replay() -> Int? {
        guard let (part, generation, outcomes) = past.randomElement(using: &random) else { return nil }
        record(outcomes, of: part, under: generation)
        return part
    }

    /// Records outcomes that no child can have sent.
    private mutating func nonsense(_ part: Int) -> Int {
        guard let count = store.parts[part]?.count else { return part }
        var outcomes = PartOutcomes()
        for _ in 0..<random.below(30) {
            let index = random.below(count + 8) - 4
            if random.one(in: 20) {
                outcomes.accepted.append(index)
            } else {
                outcomes.others.append(
                    PartOutcome(
                        index: index, change: change(0), countsAttempt: random.one(in: 2),
                        attemptsBefore: random.one(in: 3) ? nil : random.below(4)))
            }
        }
        record(outcomes, of: part, under: Int64(random.below(4)))
        return part
    }

    /// A child dies. Its messages go to another child, or fail if the setting requires this.
    private mutating func lose() -> Int? {
        guard let place = grants.indices.randomElement(using: &random) else { return nil }
        let grant = grants.remove(at: place)
        let indices = grant.messages.map(\.index)
        if isCurrent(grant) { held[grant.part]?.subtract(indices) }
        guard random.one(in: 2) else { return grant.part }
        let now = now
        write(grant.part) { progress, notes in
            let lost = MessageSet(indices, limit: progress.states.count)
            return progress.fail(
                grant.isRetry ? .retries(lost) : .pending(lost), at: now, under: grant.generation,
                notes: notes)
        } _: {
            $0.lose(indices, as: grant.isRetry ? .retrying : .pending, at: now, under: grant.generation)
        }
        return grant.part
    }

    private mutating func expire(_ part: Int) -> Int {
        let now = now
        write(part) { progress, _ in
            progress.expire(at: now)
        } _: {
            $0.expire(at: now)
        }
        return part
    }

    private mutating func stop(_ part: Int) -> Int {
        let now = now
        write(part) { progress, _ in
            progress.stop(at: now)
        } _: {
            $0.stop(at: now)
        }
        return part
    }

    private mutating func reopen(_ part: Int) -> Int {
        let (now, deadline) = (now, now.advanced(bySeconds: Int64(1 + random.below(9_000))))
        guard let count = store.parts[part]?.count else { return part }
        let share = 1 + random.below(3)
        let chosen = (-2..<count + 2).filter { _ in random.one(in: share) }
        let change = write(part, mayOpen: true) { progress, notes in
            let chosen = MessageSet(chosen, limit: progress.states.count)
            return progress.reopen(chosen, at: now, deadline: deadline, notes: notes)
        } _: {
            $0.reopen(chosen, at: now, deadline: deadline)
        }
        if change?.isChanged == true { reopened += 1 }
        return part
    }

    private mutating func takeOver(_ part: Int) -> Int {
        store.takeOver(part)
        // The new owner does not know any of the grants.
        held[part] = []
        return part
    }

    private mutating func setClockBack(_ part: Int) -> Int {
        let step = ClockStepBack(
            seconds: random.one(in: 2) ? 0 : 100, recordedSince: now.advanced(bySeconds: -50),
            now: now.advanced(bySeconds: -100))
        write(part) { progress, notes in
            progress.moveDueTimes(step, notes: notes)
        } _: {
            $0.move(step)
        }
        now = step.now
        return part
    }

    private mutating func retire(_ part: Int) -> Int {
        guard let stored = store.parts[part], !stored.truth.isOpen else { return part }
        store.remove(part)
        grants.removeAll { $0.part == part }
        past.removeAll { $0.part == part }
        held[part] = nil
        for writer in caches.indices { caches[writer][part] = nil }
        return part
    }
}
