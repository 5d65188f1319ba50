import PushModel
import PushStore
import TestSupport
import Testing

/// Tests arbitrary units with arbitrary results, and a writer that is never idle.
@Suite struct WriteQueueStoryTests {
    private enum Fate {
        case fine, alsoFine, asGood, bad, mistaken
        /// Part of a commit whose result is unknown.
        case inDoubt

        static let toBegin: [Fate] = [.fine, .alsoFine, .asGood, .bad, .mistaken]
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `every unit of work ends exactly once, whatever happens to its groups`(seed: UInt64) {
        var chance = SeededRandom(seed: seed)
        var queue = WriteQueue()
        var now = MonotonicTime(nanoseconds: 5_000_000_000)
        var fates: [UInt64: Fate] = [:]
        /// Units with waiting callers that encountered a store failure.
        var failed: Set<UInt64> = []
        var ends: [UInt64: [String]] = [:]
        for step in 0..<4_000 {
            if step < 2_000, Bool.random(using: &chance) {
                let id = UInt64(fates.count)
                let fate = Fate.toBegin.randomElement(using: &chance) ?? .fine
                let unit = WriteQueue.Unit(
                    id: id, kind: WriteClass.allCases.randomElement(using: &chance) ?? .bulk,
                    rows: .random(in: 0...5_000, using: &chance), merges: Bool.random(using: &chance),
                    submitted: now)
                if queue.add(unit) { fates[id] = fate }
            }
            guard case .run(let units) = queue.next(at: now) else {
                now = now.advanced(byMilliseconds: 400)
                continue
            }
            #expect(units.count == 1 || units.reduce(0) { $0 + $1.rows } <= WriteQueue.maximumRows)
            now = now.advanced(byMilliseconds: .random(in: 1...50, using: &chance))
            let end = Self.end(of: units, fates, &chance)
            if case .failed(let remedy, _) = end,
                remedy == .wait || remedy == .engineFault || remedy == .tryAgain
            {
                failed.formUnion(
                    units.filter { [.control, .registrations, .hits].contains($0.kind) }.map(\.id))
            }
            if case .unknown = end { for unit in units { fates[unit.id] = .inDoubt } }
            for action in queue.ended(end, nanoseconds: 10_000_000, at: now) {
                switch action {
                case .committed(let unit): ends[unit.id, default: []].append("committed")
                case .refused(let unit): ends[unit.id, default: []].append("refused")
                case .setAside(let unit, _): ends[unit.id, default: []].append("set aside")
                case .unknown(let unit): ends[unit.id, default: []].append("unknown")
                case .failure, .recovered: break
                }
            }
        }
        #expect(queue.isEmpty)
        for (id, fate) in fates {
            let expected =
                switch fate {
                case .fine, .alsoFine, .asGood: "committed"
                case .bad: "set aside"
                case .mistaken: "refused"
                case .inDoubt: "unknown"
                }
            let isRefused = failed.contains(id) && ends[id] == ["refused"]
            #expect(isRefused || ends[id] == [expected], "unit \(id)")
        }
    }

    /// Returns how a group ends. A group that contains a unit that cannot be written fails because of this
    /// unit, and any group may encounter a store failure.
    private static func end(
        of units: [WriteQueue.Unit], _ fates: [UInt64: Fate], _ chance: inout SeededRandom
    ) -> WriteQueue.End {
        switch Int.random(in: 0..<20, using: &chance) {
        case 0: return .failed(.wait, delivery: nil)
        case 1: return .failed(.tryAgain, delivery: nil)
        case 2: return .failed(.engineFault, delivery: nil)
        case 3: return .unknown
        default: break
        }
        let written = Int.random(in: 1...units.count, using: &chance)
        for unit in units.prefix(written) {
            if fates[unit.id] == .bad { return .failed(.setAside, delivery: nil) }
            if fates[unit.id] == .mistaken { return .failed(.refuse, delivery: nil) }
        }
        return .committed(units: written)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `each class with waiting units receives a tenth of the time in every second`(seed: UInt64) {
        var chance = SeededRandom(seed: seed)
        var queue = WriteQueue()
        var now = MonotonicTime(nanoseconds: 0)
        var id: UInt64 = 0
        let busy = WriteClass.allCases.filter {
            $0 == .outcomes || $0 == .bulk || Bool.random(using: &chance)
        }
        let rows = Dictionary(
            uniqueKeysWithValues: busy.map { ($0, Int.random(in: 1...5_000, using: &chance)) })
        var served: [(kind: WriteClass, from: Int64, nanoseconds: Double)] = []
        while now.nanoseconds < 6_000_000_000 {
            // The number of units that any group can contain, so no class ever runs out of work.
            for kind in busy {
                let most = WriteQueue.maximumRows / (rows[kind] ?? 1) + 1
                for _ in 0..<min(most, 200) {
                    id += 1
                    _ = queue.add(.init(id: id, kind: kind, rows: rows[kind] ?? 1, submitted: now))
                }
            }
            guard case .run(let units) = queue.next(at: now) else { break }
            let cost = Int64.random(in: 1_000_000...50_000_000, using: &chance)
            let all = units.reduce(0) { $0 + $1.rows }
            for kind in busy {
                let part = units.reduce(0) { $1.kind == kind ? $0 + $1.rows : $0 }
                served.append((kind, now.nanoseconds, Double(cost) * Double(part) / Double(all)))
            }
            now = MonotonicTime(nanoseconds: now.nanoseconds + cost)
            _ = queue.ended(.committed(units: units.count), nanoseconds: cost, at: now)
        }
        for start in stride(from: Int64(500_000_000), to: 4_500_000_000, by: 250_000_000) {
            for kind in busy {
                let time = served.filter {
                    $0.kind == kind && $0.from >= start && $0.from < start + 1_000_000_000
                }
                .reduce(0) { $0 + $1.nanoseconds }
                // One tenth, except for a group that the window cuts off and the group behind which it waits.
                #expect(time >= 100_000_000 - 60_000_000, "\(kind) from \(start)")
            }
        }
        for kind in busy {
            let all = served.filter { $0.kind == kind && $0.from >= 500_000_000 }.reduce(0) {
                $0 + $1.nanoseconds
            }
            #expect(all >= 5_500_000_000 * 0.09, "\(kind)")
        }
    }
}
