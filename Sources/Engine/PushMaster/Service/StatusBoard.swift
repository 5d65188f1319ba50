internal import Dispatch
internal import Glibc
internal import PushModel
internal import PushSystem
package import PushWire
internal import Synchronization

/// The URLs of a web module.
package struct WebURLs: Equatable, Sendable {
    /// The URL of the first port, which devices use.
    package var devices: String
    /// The URL of the second port; `nil` if the first port answers everything.
    package var admin: String?

    /// The URL of the console; `nil` if the module does not answer it.
    package var console: String?

    package init(devices: String, admin: String? = nil, console: String? = nil) {
        (self.devices, self.admin, self.console) = (devices, admin, console)
    }
}

/// The latest status of the master, as published by its loop. The loop publishes it on request, once for all
/// simultaneous requests. Without requests, the board costs nothing. No caller waits long for a loop that
/// does not answer.
package final class StatusBoard: Sendable {
    /// The maximum time for which a caller waits for the loop. Afterwards the caller receives the previous
    /// status.
    package static let patienceMilliseconds: Int64 = 1_000

    /// A caller that is notified of the loop's next status.
    package struct Inquiry: Equatable, Sendable { fileprivate let number: UInt64 }

    private struct State {
        var status: MasterStatus
        var said: MonotonicTime
        /// Whether there is a loop that answers.
        var isLive = false
        /// Whether the loop was asked and has not answered.
        var isAsked = false
        var inquiries: [UInt64: @Sendable () -> Void] = [:]
        var lastInquiry: UInt64 = 0
        var web: WebURLs?
    }

    private let loop: Mailbox<LoopEvent>
    private let state: Mutex<State>
    /// The monotonic time of the loop's last sign of life, in nanoseconds.
    private let lastTurn = Atomic<Int64>(0)

    package init(loop: Mailbox<LoopEvent>) {
        self.loop = loop
        state = Mutex(State(status: .starting(), said: Clocks.monotonic()))
    }

    // MARK: The master's side

    /// - Parameter waitsFor: The event that the master waits for before its loop can begin; `nil` if the
    ///   master does not wait.
    package func noteStart(waitsFor: String?) { state.withLock { $0.status.waitsFor = waitsFor } }

    /// Publishes the loop's status. Called when the loop begins, and on each request.
    package func publish(_ status: MasterStatus) {
        let inquiries = state.withLock { state in
            (state.status, state.said, state.isLive, state.isAsked) = (
                status, Clocks.monotonic(), true, false
            )
            defer { state.inquiries = [:] }
            return Array(state.inquiries.values)
        }
        for inquiry in inquiries { inquiry() }
    }

    /// Records that the loop is running. Called once a second.
    package func noteTurn() { lastTurn.store(Clocks.monotonicNanoseconds(), ordering: .relaxed) }

    /// Records the URLs of this process's web module.
    package func noteWeb(_ urls: WebURLs?) { state.withLock { $0.web = urls } }

    /// Records that the loop has ended, so that no caller waits for it.
    package func noteEnd() {
        let inquiries = state.withLock { state in
            (state.isLive, state.status.state) = (false, "draining")
            defer { state.inquiries = [:] }
            return Array(state.inquiries.values)
        }
        for inquiry in inquiries { inquiry() }
    }

    // MARK: Callers

    /// The latest status, with its age.
    package var latest: MasterStatus {
        let now = Clocks.monotonic()
        return state.withLock { state in
            var status = state.status
            (status.web, status.webAdmin) = (state.web?.devices, state.web?.admin)
            status.webConsole = state.web?.console
            let milliseconds = max(now.milliseconds(since: state.said), 0)
            if status.state == MasterStatus.startingState {
                // The uptime does not require a new status from the loop.
                status.uptimeSeconds = Int(milliseconds / 1_000)
            } else {
                status.ageSeconds = Double(milliseconds / 100) / 10
            }
            return status
        }
    }

    /// Requests a new status from the loop.
    /// - Parameter told: Called at most once, on the loop's thread, when ``latest`` is the new status.
    /// - Returns: `nil` if there is no loop to ask. Only ``latest`` is available then.
    package func ask(_ told: @escaping @Sendable () -> Void) -> Inquiry? {
        let (inquiry, mustAsk) = state.withLock { state -> (Inquiry?, Bool) in
            guard state.isLive else { return (nil, false) }
            state.lastInquiry += 1
            state.inquiries[state.lastInquiry] = told
            defer { state.isAsked = true }
            return (Inquiry(number: state.lastInquiry), !state.isAsked)
        }
        if mustAsk { loop.send(.statusWanted) }
        return inquiry
    }

    /// The seconds since the loop last ran, or since it was asked to begin; `nil` while there is no loop.
    package var secondsSinceTurn: Double? {
        guard state.withLock(\.isLive) else { return nil }
        let passed = Clocks.monotonicNanoseconds() - lastTurn.load(ordering: .relaxed)
        return Double(max(passed, 0)) / 1e9
    }

    package func withdraw(_ inquiry: Inquiry) {
        state.withLock { _ = $0.inquiries.removeValue(forKey: inquiry.number) }
    }

    /// Returns the loop's new status. If the loop does not answer within ``patienceMilliseconds``, returns
    /// the previous status.
    package func wait() -> MasterStatus {
        let told = DispatchSemaphore(value: 0)
        if let inquiry = ask({ told.signal() }) {
            _ = told.wait(timeout: .now() + .milliseconds(Int(Self.patienceMilliseconds)))
            withdraw(inquiry)
        }
        return latest
    }
}

extension MasterStatus {
    static let startingState = "starting"

    /// Returns the status of a master that does not serve yet.
    fileprivate static func starting() -> MasterStatus {
        MasterStatus(
            pid: getpid(), uptimeSeconds: 0, state: startingState, unrecorded: 0, waitingRanges: 0)
    }
}
