import PushMaster
import PushModel
import PushSchedule
import TestSupport
import Testing

@Suite struct PartSearchTests {
    private let t0 = MonotonicTime(nanoseconds: 0)
    private let app = AppID(rawValue: 1)

    private func part(_ first: Int64, _ count: Int64 = 10) -> Part {
        Part(
            id: PartID(rawValue: first), delivery: DeliveryID(rawValue: 1), app: app,
            messages: MessageID(rawValue: first)...MessageID(rawValue: first + count - 1), firstOrdinal: 1)
    }

    /// Completes a search, like the first search after a start.
    private func caughtUp(_ parts: [Part]) -> SearchBox {
        let search = SearchBox()
        _ = search.next(leftOut: nil)
        search.found(parts, last: parts.last?.id, hasMore: false)
        return search
    }

    @Test func `one search is running at a time, and another one follows if there may be more parts`() {
        let search = SearchBox()
        #expect(search.next(leftOut: nil) == .new(after: nil))
        #expect(search.next(leftOut: nil) == nil)
        search.found([part(1)], last: PartID(rawValue: 1), hasMore: true)
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.found([], last: nil, hasMore: false)
        #expect(search.next(leftOut: nil) == nil)
        #expect(search.reached == PartID(rawValue: 1))
    }

    @Test func `a part that follows all known parts needs no search, and neither does the next part`() {
        let search = caughtUp([part(1)])
        #expect(search.prepared(part(11)) && search.prepared(part(21, 5)))
        #expect(search.reached == PartID(rawValue: 21))
        #expect(search.next(leftOut: nil) == nil)
    }

    @Test func `a part is searched for if it follows a gap, or if other parts have not yet been found`() {
        let search = caughtUp([part(1)])
        #expect(!search.prepared(part(12)))
        #expect(!search.prepared(part(22)), "the one before is not known yet")
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.found([part(12), part(22)], last: PartID(rawValue: 22), hasMore: false)
        #expect(search.prepared(part(32)))

        let fresh = SearchBox()
        #expect(!fresh.prepared(part(1)), "no search has run yet")
        // The last part on a page may have been a part that cannot be sent, so its end is not known.
        let blind = SearchBox()
        _ = blind.next(leftOut: nil)
        blind.found([part(1)], last: PartID(rawValue: 11), hasMore: false)
        #expect(!blind.prepared(part(21)))
    }

    @Test func `a part that a search has found is not searched for again when the part is announced`() {
        let search = caughtUp([part(1)])
        search.resume()
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.found([part(11), part(21)], last: PartID(rawValue: 21), hasMore: false)
        #expect(!search.prepared(part(11)) && !search.prepared(part(21)))
        #expect(search.next(leftOut: nil) == nil)
        #expect(search.prepared(part(31)), "it follows what was found")
    }

    @Test func `a failed search is repeated, and starts from the beginning only on request`() {
        let search = caughtUp([part(1)])
        #expect(!search.prepared(part(99)))
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.failed()
        #expect(search.next(leftOut: nil) == nil)
        search.tick(at: t0)
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.found([], last: nil, hasMore: false)

        search.scheduleRestart(at: t0.advanced(bySeconds: 60))
        search.scheduleRestart(at: t0.advanced(bySeconds: 90))
        search.tick(at: t0.advanced(bySeconds: 59))
        #expect(search.next(leftOut: nil) == nil)
        #expect(!search.prepared(part(11)), "what is looked for from the start brings it as well")
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.found([part(11)], last: PartID(rawValue: 11), hasMore: false)
        search.tick(at: t0.advanced(bySeconds: 60))
        #expect(search.next(leftOut: nil) == .new(after: nil))
    }

    @Test func `if other hosts also prepare parts, the search continues from its position`() {
        let search = caughtUp([part(1)])
        #expect(search.next(leftOut: nil) == nil)
        search.resume()
        #expect(!search.prepared(part(11)), "another one may lie before it")
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 1)))
        search.resume()
        #expect(search.next(leftOut: nil) == nil, "one at a time")
        search.found([part(11)], last: PartID(rawValue: 11), hasMore: false)
        #expect(search.next(leftOut: nil) == .new(after: PartID(rawValue: 11)))
    }

    @Test func `searches for omitted parts and searches for new parts take turns`() {
        let search = caughtUp([part(1)])
        let left = PartLedger.PartsLeftOut(app: app, first: PartID(rawValue: 1))
        #expect(!search.prepared(part(99)))
        #expect(search.next(leftOut: left) == .leftOut(left, upTo: PartID(rawValue: 1)))
        #expect(search.lastApp == app)
        search.foundAgain()
        #expect(search.next(leftOut: left) == .new(after: PartID(rawValue: 1)))
        search.found([], last: nil, hasMore: false)
        #expect(search.next(leftOut: left) == .leftOut(left, upTo: PartID(rawValue: 1)))
    }

    /// Parts are prepared, announced and searched for in any order. In every case, each part becomes known.
    @Test(arguments: 0..<60)
    func `every part becomes known, in whatever order announcements and searches arrive`(
        seed: UInt64
    ) {
        var random = SeededRandom(seed: seed)
        let search = SearchBox()
        var stored: [Part] = []
        var announced = 0
        var known: Set<PartID> = []
        var underWay: PartSearch.Step?
        var searches = 0
        func answer() {
            guard case .new(let after)? = underWay else { return }
            underWay = nil
            if random.below(8) == 0 { return search.failed() }
            let page = stored.filter { part in after.map { part.id > $0 } ?? true }.prefix(3)
            known.formUnion(page.map(\.id))
            search.found(Array(page), last: page.last?.id, hasMore: page.count == 3)
        }
        for turn in 0..<400 {
            switch random.below(6) {
            case 0, 1:
                let first = (stored.last?.messages.upperBound.rawValue ?? 0) + (random.below(10) == 0 ? 3 : 1)
                stored.append(part(first, Int64(random.below(5) + 1)))
            case 2 where announced < stored.count:
                if search.prepared(stored[announced]) { known.insert(stored[announced].id) }
                announced += 1
            case 3: answer()
            case 4 where random.below(20) == 0: search.scheduleRestart(at: t0)
            case 4: search.tick(at: t0.advanced(bySeconds: Int64(turn)))
            default: break
            }
            if underWay == nil, let step = search.next(leftOut: nil) {
                underWay = step
                searches += 1
            }
        }
        for _ in 0..<2_000 {
            while announced < stored.count {
                if search.prepared(stored[announced]) { known.insert(stored[announced].id) }
                announced += 1
            }
            search.tick(at: t0.advanced(bySeconds: 1_000))
            answer()
            if underWay == nil { underWay = search.next(leftOut: nil) }
        }
        #expect(known == Set(stored.map(\.id)), "\(searches) searches")
    }
}

/// The search by reference, so that an expectation can call its mutating methods.
private final class SearchBox {
    private var search = PartSearch()
    var reached: PartID? { search.reached }
    var lastApp: AppID? { search.lastApp }
    func next(leftOut: PartLedger.PartsLeftOut?) -> PartSearch.Step? { search.next(leftOut: leftOut) }
    func prepared(_ part: Part) -> Bool { search.prepared(part) }
    func found(_ parts: [Part], last: PartID?, hasMore: Bool) {
        search.found(parts, last: last, hasMore: hasMore)
    }
    func foundAgain() { search.foundAgain() }
    func failed() { search.failed() }
    func resume() { search.resume() }
    func scheduleRestart(at moment: MonotonicTime) { search.scheduleRestart(at: moment) }
    func tick(at now: MonotonicTime) { search.tick(at: now) }
}
