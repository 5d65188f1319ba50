package import PushModel

/// The recipients of a part's messages: the subscription of each message, by index. They are kept as bytes
/// and read in place, because a part has thousands of recipients.
///
/// **Layout.** Ascents until the part's count is reached, with nothing after them. An ascent is
///
/// | | |
/// |---|---|
/// | number | its length *n*, at least 1 |
/// | number | the first subscription |
/// | *n* - 1 numbers | each subscription minus the previous one; 0: another message for the same subscription |
///
/// Each number is unsigned LEB128 in its shortest form. An ascent continues as long as the subscriptions'
/// numbers do not decrease, so a list has exactly one form. A chunk from preparation is sorted, so it is one
/// ascent; merged parts have one ascent for each original part.
package struct PartMembers: Equatable, Sendable {
    package let bytes: [UInt8]
    package let count: Int

    /// Accepts up to ``PartLimits/messages`` subscriptions in any order. Sorted subscriptions take the fewest
    /// bytes.
    package init(_ subscriptions: some Sequence<SubscriptionID>) throws(PartDamage) {
        try self.init(ContiguousArray(subscriptions))
    }

    /// For other modules. Like all code that runs for each part, this initialiser is not generic: generic
    /// code from another module is resolved at run time, which costs more than the work itself.
    package init(_ ids: ContiguousArray<SubscriptionID>) throws(PartDamage) {
        guard ids.count <= PartLimits.messages else { throw PartDamage(.members, .tooMany) }
        guard ids.allSatisfy({ $0.rawValue >= 0 }) else { throw PartDamage(.members, .negative) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ids.count + 16)
        var start = 0
        while start < ids.count {
            var end = start + 1
            while end < ids.count, ids[end].rawValue >= ids[end - 1].rawValue { end += 1 }
            Varint.append(UInt64(end - start), to: &bytes)
            Varint.append(UInt64(ids[start].rawValue), to: &bytes)
            for index in start + 1..<end {
                Varint.append(UInt64(ids[index].rawValue - ids[index - 1].rawValue), to: &bytes)
            }
            start = end
        }
        self.bytes = bytes
        count = ids.count
    }

    /// - Parameter count: The number of messages, according to the part's row.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...PartLimits.messages).contains(count) else { throw PartDamage(.members, .tooMany) }
        var cursor = ByteCursor(bytes, of: .members)
        var left = count
        var last: UInt64?
        while left > 0 {
            let length = try cursor.number()
            guard length > 0 else { throw cursor.damage(.form) }
            guard length <= UInt64(left) else { throw cursor.damage(.count) }
            var subscription = try cursor.number()
            // A subscription that is not below the last one would have belonged to the previous ascent.
            if let last, subscription >= last { throw cursor.damage(.form) }
            for _ in 1..<Int(length) {
                let (next, overflow) = subscription.addingReportingOverflow(try cursor.number())
                guard !overflow else { throw cursor.damage(.number) }
                subscription = next
            }
            guard subscription <= UInt64(Int64.max) else { throw cursor.damage(.number) }
            last = subscription
            left -= Int(length)
        }
        guard cursor.isAtEnd else { throw cursor.damage(.trailing) }
        self.bytes = bytes
        self.count = count
    }

    /// Calls `body` with the index and subscription of each message in `range`, in order. Also walks through
    /// the members before the range.
    package func forEach(in range: Range<Int>, _ body: (Int, SubscriptionID) -> Void) {
        var walk = Walk(bytes)
        let end = min(range.upperBound, count)
        for index in 0..<max(end, 0) {
            let subscription = walk.next()
            if index >= range.lowerBound { body(index, SubscriptionID(rawValue: subscription)) }
        }
    }

    /// Returns the subscriptions of these messages in one walk.
    /// - Parameter indices: Indices in ascending order. Indices that the part does not have are ignored.
    package func subscriptions(at indices: ContiguousArray<Int>) -> ContiguousArray<SubscriptionID> {
        var found: ContiguousArray<SubscriptionID> = []
        found.reserveCapacity(indices.count)
        var walk = Walk(bytes)
        var (position, subscription) = (-1, 0 as Int64)
        for index in indices where index >= 0 && index >= position && index < count {
            while position < index { (position, subscription) = (position + 1, walk.next()) }
            found.append(SubscriptionID(rawValue: subscription))
        }
        return found
    }

    /// Returns the subscriptions of a range of messages.
    package func subscriptions(in range: Range<Int>) -> ContiguousArray<SubscriptionID> {
        var found: ContiguousArray<SubscriptionID> = []
        found.reserveCapacity(range.count)
        forEach(in: range) { found.append($1) }
        return found
    }

    /// Returns the subscription of a message; `nil` if the message does not exist.
    package func subscription(at index: Int) -> SubscriptionID? {
        guard index >= 0, index < count else { return nil }
        var walk = Walk(bytes)
        for _ in 0..<index { _ = walk.next() }
        return SubscriptionID(rawValue: walk.next())
    }

    /// Returns the messages for this subscription, in order; usually none or one.
    package func indices(of subscription: SubscriptionID) -> ContiguousArray<Int> {
        var found: ContiguousArray<Int> = []
        var walk = Walk(bytes)
        for index in 0..<count where walk.next() == subscription.rawValue { found.append(index) }
        return found
    }

    /// Returns the messages for these subscriptions, in order, in one walk regardless of the number of
    /// subscriptions.
    package func indices(of subscriptions: Set<SubscriptionID>) -> ContiguousArray<Int> {
        var found: ContiguousArray<Int> = []
        // Most recipients are outside the range, and a comparison costs less than a hash.
        guard let least = subscriptions.min(), let greatest = subscriptions.max() else { return found }
        let range = least.rawValue...greatest.rawValue
        var walk = Walk(bytes)
        for index in 0..<count {
            let subscription = walk.next()
            guard range.contains(subscription) else { continue }
            if subscriptions.contains(SubscriptionID(rawValue: subscription)) { found.append(index) }
        }
        return found
    }

    package var subscriptions: ContiguousArray<SubscriptionID> {
        var all: ContiguousArray<SubscriptionID> = []
        all.reserveCapacity(count)
        forEach(in: 0..<count) { all.append($1) }
        return all
    }
}

/// A walk over bytes that have already been checked.
private struct Walk {
    let bytes: [UInt8]
    var offset = 0
    var leftInAscent = 0
    var subscription: UInt64 = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func next() -> Int64 {
        if leftInAscent == 0 {
            leftInAscent = Int(truncatingIfNeeded: number())
            subscription = number()
        } else {
            subscription &+= number()
        }
        leftInAscent -= 1
        return Int64(bitPattern: subscription)
    }

    private mutating func number() -> UInt64 {
        var next = bytes[offset]
        offset += 1
        guard next >= 0x80 else { return UInt64(next) }
        var value = UInt64(next & 0x7F)
        var shift: UInt64 = 7
        repeat {
            next = bytes[offset]
            offset += 1
            value |= UInt64(next & 0x7F) << shift
            shift += 7
        } while next >= 0x80
        return value
    }
}
