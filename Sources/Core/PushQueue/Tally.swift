package import PushModel

/// The key by which messages are counted: their state, its cause, and the minute in which they reached it.
package struct TallyKey: Hashable, Comparable, Sendable {
    /// The bits of the key. From the lowest bit: 32 bits minute, 8 bits cause, 3 bits state.
    private let bits: UInt64

    /// - Parameter minute: Minutes since 1970. Always 0 for pending messages, because nothing has happened to
    ///   them.
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
    /// The minute, counted from 1970.
    package var minute: Int { Int(bits & 0xFFFF_FFFF) }
}

/// The number of messages for each key, or the change of that number. A sum and a change have the same type.
///
/// **Promise.** The sum of the changes that a part reported equals the tally of its states.
package struct Tally: Equatable, Sendable {
    package struct Entry: Equatable, Sendable {
        package let key: TallyKey
        /// Never 0. Negative values occur only in a change.
        package var count: Int
    }

    /// The entries, sorted by key.
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

    /// The counts by state only. Excluded messages do not count as targeted.
    package var counts: DeliveryCounts {
        var counts = DeliveryCounts()
        for entry in entries { counts.add(entry.count, to: entry.key.state) }
        return counts
    }

    /// The tally by state and cause only: each minute is 0.
    package var withoutMinutes: Tally {
        var tally = Tally()
        for entry in entries {
            tally.add(entry.count, to: TallyKey(entry.key.state, cause: entry.key.cause, minute: 0))
        }
        return tally
    }

    /// The number of sent messages by minute, in order.
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

    /// The entries, in order of app number. An app whose tally is empty is left out.
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

    /// Returns the sum of the given parts' tallies.
    package static func recount(_ parts: some Sequence<(app: AppID, states: PartStates)>) -> TallyByApp {
        var tallies = TallyByApp()
        for (app, states) in parts { tallies.add(states.tally(), of: app) }
        return tallies
    }
}
