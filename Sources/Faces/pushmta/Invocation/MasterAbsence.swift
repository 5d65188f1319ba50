internal import PushAPI
package import PushModel
internal import PushSystem

/// How long no master has been running while a command waits for messages to be sent. The wait continues for
/// a while, because a master that is being restarted is absent only for moments.
package struct MasterAbsence {
    /// The maximum absence, in seconds. Docs/Operate/CommandLine.md also states it.
    package static let maxSeconds: Int64 = 60

    package enum Finding: Equatable, Sendable {
        case nothingNew
        /// A master was running at the last look, or this is the first look.
        case begins
        case tooLong
    }

    private var since: MonotonicTime?

    package init() {}

    package mutating func look(isRunning: Bool, at now: MonotonicTime) -> Finding {
        guard !isRunning else {
            since = nil
            return .nothingNew
        }
        guard let since else {
            self.since = now
            return .begins
        }
        return now < since.advanced(bySeconds: Self.maxSeconds) ? .nothingNew : .tooLong
    }
}

/// Looks for a master at intervals while a command waits for messages to be sent.
struct MasterWatch {
    private let operations: Operations
    private var absence = MasterAbsence()
    private var nextLook: MonotonicTime?

    private static let betweenLooksMilliseconds: Int64 = 500

    init(_ operations: Operations) { self.operations = operations }

    /// - Parameter rest: The end of the error: how the user can follow the messages after the wait.
    /// - Returns: A line for the user; `nil` if there is nothing new.
    /// - Throws: If no master has been running for too long.
    mutating func look(_ rest: String) throws(CommandFailure) -> String? {
        let now = Clocks.monotonic()
        if let nextLook, now < nextLook { return nil }
        nextLook = now.advanced(byMilliseconds: Self.betweenLooksMilliseconds)
        switch absence.look(isRunning: operations.isServed, at: now) {
        case .nothingNew: return nil
        case .begins: return Operations.absentMaster
        case .tooLong:
            throw .failed("no master has run for \(MasterAbsence.maxSeconds) s, so the wait ends; \(rest)")
        }
    }
}

extension Operations {
    /// The line for a user whose messages wait for a master.
    fileprivate static var absentMaster: String { "\(OperationError.noMaster); nothing is sent until then" }

    /// Whether a master is running, on this host or on another host of the store. If this cannot be
    /// determined, the property is `true`, so that no warning is wrong.
    fileprivate var isServed: Bool {
        if engine.isRunning { return true }
        do { return try carryOut(ListHosts()).contains(where: \.sends) } catch { return true }
    }

    /// Warns the user that the messages that a command has just submitted or released wait for a master.
    func reportAbsentMaster() {
        if !isServed { StandardError.line(Self.absentMaster) }
    }
}
