package import PushModel

/// What messages are counted by: their state, why, and in which minute they got there.
package struct TallyKey: Hashable, Comparable, Sendable {
    /// From the lowest: 32 bits minute, 8 cause, 3 state.
    private let bits: UInt64

    /// - Parameter minute: since 1970; of pending messages always 0: nothing has happened to them.
    package init(_ state: MessageState, cause: CauseCode = .none, minute: Int) {
        let minute = state == .pending ? 0 : UInt64(UInt32(clamping: minute))
        bits = UInt64(state.rawValue) << 40 | UInt64(cause.rawValue) << 32 | minute
    }

    init(_ status: MessageStatus) {
        let minute = status.isPending ? 0 : status.second / 60
        bits = (status.bits & 7) << 40 | (status.bits & 0xFF00) << 24 | UInt64(minute)
    }

    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }

    package var state: MessageState { MessageStatus(bits: bits >> 40).state }
    package var cause: CauseCode { CauseCode(rawValue: UInt8(truncatingIfNeeded: bits >> 32)) }
    /// Since 1970.
    package var minute: Int { Int(bits & 0xFFFF_FFFF) }
}

/// How many messages there are of each key, or by how many there are more: a sum and a change are one type.
///
/// **Promise.** The sum of the changes that the law of a part gave is what its states add up to.
package struct Tally: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let key: TallyKey
        /// In a change it may be negative; never 0.
        package var count: Int
    }

    /// By key.
    package private(set) var entries: ContiguousArray<Entry> = []

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package subscript(_ key: TallyKey) -> Int {
        let place = place(of: key)
        return place < entries.count && entries[place].key == key ? entries[place].count : 0
    }

    package mutating func add(_ count: Int, to key: TallyKey) {
        guard count != 0 else { return }
        let place = place(of: key)
        guard place < entries.count, entries[place].key == key else {
            entries.insert(Entry(key: key, count: count), at: place)
            return
        }
        entries[place].count += count
        if entries[place].count == 0 { entries.remove(at: place) }
    }

    package static func += (left: inout Tally, right: Tally) {
        for entry in right.entries { left.add(entry.count, to: entry.key) }
    }

    private func place(of key: TallyKey) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// By state alone; what is excluded is not targeted.
    package var counts: DeliveryCounts {
        var counts = DeliveryCounts()
        for entry in entries { counts.add(entry.count, to: entry.key.state) }
        return counts
    }

    /// By state and cause alone: each minute is 0.
    package var withoutMinutes: Tally {
        var tally = Tally()
        for entry in entries {
            tally.add(entry.count, to: TallyKey(entry.key.state, cause: entry.key.cause, minute: 0))
        }
        return tally
    }

    /// Sent messages by minute, in order.
    package var sentByMinute: ContiguousArray<(minute: Int, count: Int)> {
        var minutes: ContiguousArray<(minute: Int, count: Int)> = []
        for entry in entries where entry.key.state == .sent {
            minutes.append((entry.key.minute, entry.count))
        }
        return minutes
    }
}

/// The tallies of a delivery's apps.
package struct TallyByApp: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let app: AppID
        package var tally: Tally
    }

    /// In the order of their numbers; an app that nothing is counted of is left out.
    package private(set) var entries: ContiguousArray<Entry> = []

    package init() {}

    package subscript(_ app: AppID) -> Tally { entries.first { $0.app == app }?.tally ?? Tally() }

    package mutating func add(_ change: Tally, of app: AppID) {
        guard !change.isEmpty else { return }
        guard let place = entries.firstIndex(where: { $0.app >= app }) else {
            entries.append(Entry(app: app, tally: change))
            return
        }
        if entries[place].app == app {
            entries[place].tally += change
            if entries[place].tally.isEmpty { entries.remove(at: place) }
        } else {
            entries.insert(Entry(app: app, tally: change), at: place)
        }
    }

    /// What parts add up to.
    package static func recount(_ parts: some Sequence<(app: AppID, states: PartStates)>) -> TallyByApp {
        var tallies = TallyByApp()
        for (app, states) in parts { tallies.add(states.tally(), of: app) }
        return tallies
    }
}
