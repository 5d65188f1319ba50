import PushMaster
import PushModel
import PushStore
import Testing

/// Tests a host's conclusions from the reports of other hosts.
@Suite struct HostWatchTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 0).advanced(byMilliseconds: milliseconds)
    }

    private func other(
        _ word: Int64, of host: String = "b", session: String = "", shares: Int = 1, leads: Bool = false
    ) -> LiveHost {
        LiveHost(
            SeenHost(host: host, name: host, session: host + session, generation: 0, word: word),
            leads: leads, shares: shares)
    }

    // MARK: Silence

    @Test func `a host counts as silent after the full time since the answer that showed its last report`() {
        var watch = HostWatch(.standard)
        func looked(_ word: Int64, sent: Int64, received: Int64) -> [Int64] {
            watch.looked(at: [other(word)], sentAt: at(sent), now: at(received)).map(\.word)
        }
        #expect(looked(1, sent: 0, received: 500) == [])
        #expect(looked(1, sent: 20_499, received: 30_000) == [])
        #expect(looked(1, sent: 20_500, received: 20_501) == [1])
        #expect(looked(1, sent: 21_500, received: 21_501) == [1], "until it is ended")
        // Any other report restarts the wait, even an earlier report.
        #expect(looked(0, sent: 22_000, received: 22_001) == [])
        #expect(looked(0, sent: 42_000, received: 42_001) == [])
        #expect(looked(0, sent: 42_001, received: 42_002) == [0])
    }

    @Test
    func `a host that has not reported for a quarter of that time counts as late, whether it leads or not`() {
        var watch = HostWatch(.standard)
        func late(_ word: Int64, at moment: Int64, leads: Bool = false) -> [Int64] {
            _ = watch.looked(at: [other(word, leads: leads)], sentAt: at(moment), now: at(moment))
            return watch.late(at: at(moment)).map(\.seconds)
        }
        #expect(late(1, at: 0) == [])
        #expect(late(1, at: 4_999) == [])
        #expect(late(1, at: 5_000) == [5])
        #expect(late(1, at: 8_000, leads: true) == [8])
        #expect(late(2, at: 9_000) == [])
        watch.lostConnection()
        #expect(watch.late(at: at(60_000)) == [], "what happened meanwhile was not seen")
        #expect(late(2, at: 61_000) == [])
    }

    @Test func `hosts that would follow a leader decide whether it is silent, and the host watch does not`() {
        var watch = HostWatch(.standard)
        for second in Int64(0)..<60 {
            let now = at(second * 1_000)
            #expect(watch.looked(at: [other(1, leads: true)], sentAt: now, now: now) == [])
        }
    }

    @Test func `while there is no connection, no host counts as silent, however long that lasts`() {
        var watch = HostWatch(.standard)
        #expect(watch.looked(at: [other(1)], sentAt: at(0), now: at(0)) == [])
        watch.lostConnection()
        #expect(watch.looked(at: [other(1)], sentAt: at(90_000), now: at(90_100)) == [])
        #expect(watch.looked(at: [other(1)], sentAt: at(110_099), now: at(110_100)) == [])
        #expect(watch.looked(at: [other(1)], sentAt: at(110_100), now: at(110_101)) == [other(1).seen])
    }

    @Test
    func `each host is judged by its own reports, and a new process on the same host by its new reports`() {
        var watch = HostWatch(.standard)
        for second in Int64(0)..<20 {
            let now = at(second * 1_000)
            let others = [other(1, of: "b"), other(second, of: "c"), other(1, of: "d")]
            #expect(watch.looked(at: others, sentAt: now, now: now) == [])
        }
        let silent = [other(1, of: "b"), other(20, of: "c"), other(1, of: "d", session: "new")]
        #expect(watch.looked(at: silent, sentAt: at(20_000), now: at(20_000)).map(\.host) == ["b"])
        // A host that disappeared and returns is treated as a host that was never seen.
        #expect(watch.looked(at: [], sentAt: at(21_000), now: at(21_000)) == [])
        #expect(watch.looked(at: [other(1, of: "b")], sentAt: at(22_000), now: at(22_000)) == [])
    }

    // MARK: Room

    /// Returns whether there is room after these reads of the store, each one second after the previous one.
    private func hasRoom(_ looks: [[LiveHost]]) -> Bool {
        var watch = HostWatch(.standard)
        for (second, others) in looks.enumerated() {
            let now = at(Int64(second) * 1_000)
            _ = watch.looked(at: others, sentAt: now, now: now)
        }
        #expect(watch.shares == (looks.last?.count ?? 0) + 1)
        return watch.hasRoom
    }

    @Test func `a host without other hosts may use its share immediately`() {
        #expect(hasRoom([[]]))
        #expect(hasRoom([[other(1)], []]))
    }

    @Test func `other hosts count as known after their second report, and not earlier`() {
        #expect(!hasRoom([[other(7, shares: 2)]]))
        #expect(!hasRoom([[other(7, shares: 2)], [other(8, shares: 2)]]))
        #expect(hasRoom([[other(7, shares: 2)], [other(9, shares: 2)]]))
        let again = [[other(7, shares: 2)], [other(9, shares: 2)], [other(9, session: "new", shares: 2)]]
        #expect(!hasRoom(again), "it is another process, which may not know of this one")
    }

    @Test func `a host has room when each other host uses at least as many shares as there are hosts`() {
        func looks(_ shares: Int...) -> [[LiveHost]] {
            (Int64(0)..<3).map { word in
                shares.enumerated().map { other(word, of: "host \($0)", shares: $1) }
            }
        }
        #expect(!hasRoom(looks(1)) && hasRoom(looks(2)) && hasRoom(looks(3)))
        #expect(!hasRoom(looks(3, 2)) && !hasRoom(looks(2, 3)) && hasRoom(looks(3, 3)))
        // A host that has not begun to send uses no quota, and will see this host before it begins.
        #expect(hasRoom(looks(0)) && hasRoom(looks(3, 0)) && !hasRoom(looks(2, 0)))
    }

    @Test func `a silent host has not freed a share, and the others wait until it has been removed`() {
        let silent = [other(7, shares: 5)]
        #expect(!hasRoom(Array(repeating: silent, count: 15)))
        #expect(hasRoom(Array(repeating: silent, count: 15) + [[]]))
    }
}
