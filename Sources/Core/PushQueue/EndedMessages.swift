package import PushModel

/// Messages that ended at the same time with the same result, for webhooks. They are stored as runs of
/// neighbours with the same cause.
///
/// **Layout.** The byte 1, then runs until the end:
///
/// | | |
/// |---|---|
/// | number | the first message minus the end of the previous run (for the first run: minus 0), zigzag |
/// | number | the number of messages, at least 1 |
/// | a byte | the cause's code |
///
/// Each number is unsigned LEB128 in its shortest form.
package struct EndedMessages: Equatable, Sendable {
    package struct Run: Equatable, Sendable {
        package var first: MessageID
        package var count: Int
        package var cause: CauseCode

        package init(first: MessageID, count: Int, cause: CauseCode) {
            self.first = first
            self.count = count
            self.cause = cause
        }
    }

    private static let layout: UInt8 = 1
    /// The maximum number of messages in one record: the number that a transaction may touch, plus a margin.
    private static let maxMessages = 1 << 20

    package private(set) var runs: ContiguousArray<Run> = []
    /// The number of messages.
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    package mutating func append(_ run: Run) {
        count += run.count
        if let last = runs.last, last.cause == run.cause,
            last.first.rawValue + Int64(last.count) == run.first.rawValue
        {
            runs[runs.count - 1].count += run.count
        } else {
            runs.append(run)
        }
    }

    package var encoded: [UInt8] {
        var bytes = [Self.layout]
        bytes.reserveCapacity(1 + runs.count * 5)
        var end: Int64 = 0
        for run in runs {
            Varint.append(Varint.zigzag(run.first.rawValue &- end), to: &bytes)
            Varint.append(UInt64(run.count), to: &bytes)
            bytes.append(run.cause.rawValue)
            end = run.first.rawValue + Int64(run.count)
        }
        return bytes
    }

    /// - Parameter count: The number of messages, according to the record.
    package init(decoding bytes: [UInt8], count: Int) throws(PartDamage) {
        guard (0...Self.maxMessages).contains(count) else { throw PartDamage(.events, .tooMany) }
        var cursor = ByteCursor(bytes, of: .events)
        guard try cursor.byte() == Self.layout else { throw PartDamage(.events, .unknownLayout, at: 0) }
        var end: Int64 = 0
        while !cursor.isAtEnd {
            let (first, overflow) = end.addingReportingOverflow(Varint.unzigzag(try cursor.number()))
            let length = try cursor.number()
            guard !overflow, first > 0, first < .max >> 1 else { throw cursor.damage(.number) }
            guard length > 0, length <= UInt64(count - self.count) else { throw cursor.damage(.count) }
            let cause = CauseCode(rawValue: try cursor.byte())
            runs.append(Run(first: MessageID(rawValue: first), count: Int(length), cause: cause))
            self.count += Int(length)
            end = first + Int64(length)
        }
        guard self.count == count else { throw cursor.damage(.count) }
    }
}

extension PartStates {
    /// Calls `body` with each stretch of messages whose status has changed, in order.
    /// - Parameter old: The earlier states of the same messages.
    package func forEachChange(
        from old: PartStates, _ body: (Range<Int>, _ old: MessageStatus, _ new: MessageStatus) -> Void
    ) {
        var (place, oldPlace, start) = (0, 0, 0)
        while place < runs.count, oldPlace < old.runs.count {
            let (run, before) = (runs[place], old.runs[oldPlace])
            let end = min(run.end, before.end)
            if run.status != before.status { body(start..<end, before.status, run.status) }
            if run.end == end { place += 1 }
            if before.end == end { oldPlace += 1 }
            start = end
        }
    }
}
