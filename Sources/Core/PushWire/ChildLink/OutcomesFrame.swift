package import PushModel

/// Builds the frames that report outcomes to the master. Nearly all outcomes are plain acceptances, which are
/// sent as runs of message numbers.
///
/// Layout: `u64 since · sections`, each `u8 sort · …`: sort 0 is a run of accepted messages, `u32 grant · u32
/// count · u64 message…`; sort 1 is one complete outcome, `u32 grant · u64 message · u8 attempts · u8 ending
/// · …`.
package struct OutcomesFrameBuilder {
    private var writer = ByteWriter(reservingBytes: 64 << 10)
    /// The number of bytes that a frame's length and kind occupy.
    private static let headBytes = 5
    private var start = 0
    private var runCountPosition = 0
    private var runGrant: GrantID?
    private var runCount: UInt32 = 0
    /// The number of outcomes since the last ``finish()``.
    package private(set) var count = 0

    package init() { begin() }

    private mutating func begin() {
        start = writer.beginFrame(.outcomes)
        writer.append(Int64(0))
    }

    @inline(__always)
    package mutating func accepted(_ message: MessageID, grant: GrantID) {
        if runGrant != grant { beginRun(grant) }
        writer.append(message.rawValue)
        runCount += 1
        count += 1
    }

    package mutating func append(_ outcome: Outcome, message: MessageID, attempts: UInt8, grant: GrantID) {
        if case .accepted(nil) = outcome { return accepted(message, grant: grant) }
        endRun()
        writer.append(UInt8(1))
        writer.append(grant)
        writer.append(message.rawValue)
        writer.append(attempts)
        switch outcome {
        case .accepted(let providerID):
            writer.append(UInt8(0))
            writer.append(providerID ?? "")
        case .rejected(let verdict, let reason): append(verdict, reason, ending: 1)
        case .undecided(let verdict, let reason): append(verdict, reason, ending: 2)
        case .neverSent(let verdict, let reason): append(verdict, reason, ending: 3)
        case .tooLarge(let bytes, let limit):
            writer.append(UInt8(4))
            writer.append(UInt32(clamping: bytes))
            writer.append(UInt32(clamping: limit))
        case .missing(let parameter):
            writer.append(UInt8(5))
            writer.append(parameter)
        }
        count += 1
    }

    /// Returns the frame and empties the builder.
    /// - Parameter since: See ``OutcomesFrame/since``.
    package mutating func finish(since: MonotonicTime? = nil) -> [UInt8] {
        endRun()
        let nanoseconds = UInt64(bitPattern: since?.nanoseconds ?? 0)
        let place = start + Self.headBytes
        writer.overwrite(UInt32(truncatingIfNeeded: nanoseconds), at: place)
        writer.overwrite(UInt32(truncatingIfNeeded: nanoseconds >> 32), at: place + 4)
        writer.endFrame(start)
        let bytes = writer.bytes
        writer.removeAll()
        begin()
        count = 0
        return bytes
    }

    private mutating func beginRun(_ grant: GrantID) {
        endRun()
        writer.append(UInt8(0))
        writer.append(grant)
        runCountPosition = writer.bytes.count
        writer.append(UInt32(0))
        runGrant = grant
    }

    private mutating func endRun() {
        guard runGrant != nil else { return }
        writer.overwrite(runCount, at: runCountPosition)
        runGrant = nil
        runCount = 0
    }

    private mutating func append(_ verdict: Verdict, _ reason: String, ending: UInt8) {
        writer.append(ending)
        writer.append(verdict.scope.rawValue)
        writer.append(verdict.schedule.rawValue)
        writer.append(verdict.minimumDelaySeconds)
        writer.append(verdict.maximumTries)
        writer.append(verdict.countsAttempt)
        writer.append(UInt8(truncatingIfNeeded: verdict.failureType.rawValue))
        writer.append(UInt8(truncatingIfNeeded: verdict.failureReason.rawValue))
        writer.append(verdict.quarantine.rawValue)
        writer.append(verdict.tokenDeadSince?.millisecondsSince1970 ?? 0)
        writer.append(reason)
    }
}

/// An outcome that is not a plain acceptance.
package struct ReportedOutcome: Equatable, Sendable {
    package var grant: GrantID
    package var message: MessageID
    /// The number of previous attempts that counted.
    package var attempts: UInt8
    package var outcome: Outcome
}

/// Outcomes in the form that the master reads.
package struct OutcomesFrame: Equatable, Sendable {
    /// Runs of accepted messages, in order of arrival. A grant may have several runs.
    package var accepted: [(grant: GrantID, messages: [MessageID])] = []
    package var others: [ReportedOutcome] = []
    /// The time at which the child learned the first of the outcomes, on the monotonic clock that all
    /// processes on the machine share.
    package var since: MonotonicTime?
    package var count: Int { accepted.reduce(others.count) { $0 + $1.messages.count } }

    package init(_ frame: LinkFrame) throws(LinkError) {
        guard frame.kind == .outcomes else { throw .badValue(frame.kind) }
        var reader = ByteReader(frame)
        let nanoseconds: Int64 = try reader.integer()
        since = nanoseconds > 0 ? MonotonicTime(nanoseconds: nanoseconds) : nil
        while !reader.isAtEnd {
            if try reader.integer(UInt8.self) == 0 {
                let grant: GrantID = try reader.identifier()
                let count = Int(try reader.integer(UInt32.self))
                guard count <= frame.bytes.count / 8 else { throw .badValue(.outcomes) }
                var messages: [MessageID] = []
                messages.reserveCapacity(count)
                for _ in 0..<count { messages.append(MessageID(rawValue: try reader.integer())) }
                accepted.append((grant, messages))
            } else {
                others.append(try ReportedOutcome(&reader))
            }
        }
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.others == right.others && left.accepted.elementsEqual(right.accepted) { $0 == $1 }
    }
}

extension ReportedOutcome {
    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        grant = try reader.identifier()
        message = MessageID(rawValue: try reader.integer())
        attempts = try reader.integer()
        switch try reader.integer(UInt8.self) {
        case 0: outcome = .accepted(providerID: try reader.text())
        case 1: outcome = .rejected(try Verdict(&reader), reason: try reader.text())
        case 2: outcome = .undecided(try Verdict(&reader), reason: try reader.text())
        case 3: outcome = .neverSent(try Verdict(&reader), reason: try reader.text())
        case 4:
            outcome = .tooLarge(
                bytes: Int(try reader.integer(UInt32.self)), limit: Int(try reader.integer(UInt32.self)))
        case 5: outcome = .missing(parameter: try reader.text())
        default: throw .badValue(.outcomes)
        }
    }
}

extension Verdict {
    fileprivate init(_ reader: inout ByteReader) throws(LinkError) {
        guard let scope = Scope(rawValue: try reader.integer()),
            let schedule = Schedule(rawValue: try reader.integer())
        else { throw .badValue(.outcomes) }
        let minimumDelaySeconds = try reader.integer(Int32.self)
        let maximumTries = try reader.integer(Int32.self)
        let countsAttempt = try reader.boolean()
        guard let type = FailureType(rawValue: Int64(try reader.integer(UInt8.self))),
            let reason = FailureReason(rawValue: Int64(try reader.integer(UInt8.self))),
            let quarantine = Quarantine(rawValue: try reader.integer())
        else { throw .badValue(.outcomes) }
        self.init(
            scope: scope, schedule: schedule, minimumDelaySeconds: minimumDelaySeconds,
            maximumTries: maximumTries,
            countsAttempt: countsAttempt, failureType: type, failureReason: reason, quarantine: quarantine)
        let deadSince = try reader.integer(Int64.self)
        tokenDeadSince = deadSince == 0 ? nil : WallMoment(millisecondsSince1970: deadSince)
    }
}
