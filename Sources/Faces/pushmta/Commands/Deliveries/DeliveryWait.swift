internal import Glibc
internal import PushAPI
internal import PushConnectors
internal import PushMaster
internal import PushModel
internal import PushSystem

/// Watches a delivery until it ends.
struct DeliveryWait {
    private let operations: Operations
    private let start = Clocks.monotonic()

    private static let pollMicroseconds: UInt32 = 100_000
    /// The maximum interval between polls. The end of a long delivery need not be reported within a tenth of
    /// a second.
    private static let maxPollMicroseconds: Int64 = 1_000_000
    /// The interval at which to check whether an account delays the delivery. This check is more expensive
    /// than reading the delivery's counts.
    private static let holdMilliseconds: Int64 = 2_000
    /// The maximum time that the master may need to decide whether the last answers are part of a storm.
    private static let judgementMilliseconds: Int64 = 3_000

    init(_ operations: Operations) { self.operations = operations }

    func end(of id: DeliveryID) throws -> CommandExit {
        let interruption = Interruption(SIGINT)
        var progress = ProgressLine()
        defer { progress.clear() }
        var masters = MasterWatch(operations)
        var nextLook = start.advanced(byMilliseconds: Self.holdMilliseconds)
        var told: Set<String> = []
        var limit: (by: SendingLimit?, secondsLeft: Int?)
        while true {
            let looksForHolds = Clocks.monotonic() >= nextLook
            let details = try operations.carryOut(
                ShowDelivery(id: id, looksForHolds: looksForHolds, looksFurther: false))
            var delivery = details.delivery
            if looksForHolds { limit = (delivery.limitedBy, delivery.secondsLeft) }
            if delivery.state.isFinal {
                progress.clear()
                return try conclude(delivery)
            }
            if interruption.isPending {
                progress.clear()
                StandardError.line(
                    "delivery \(id) continues; 'pushmta delivery show \(id)' shows its progress")
                interruption.obey()
            }
            if let line = try masters.look("'pushmta delivery show \(id)' shows when the delivery is sent") {
                progress.clear()
                StandardError.line(line)
            }
            if looksForHolds {
                nextLook = Clocks.monotonic().advanced(byMilliseconds: Self.holdMilliseconds)
                // Report each reason once: the wait may be long, and the user must not mistake silence for
                // progress.
                for hold in details.holds where told.insert(hold.key).inserted {
                    progress.clear()
                    StandardError.line(hold.line.printable(atMost: CommandFailure.maxLineLength))
                }
                // The loop above has already reported storms that delay messages.
                let storms = try operations.carryOut(ShowDeliveryStorms(id: id)).storms.filter { storm in
                    !details.waitsFor.contains { storm.hasPrefix($0.account) }
                }
                for storm in storms where told.insert(storm).inserted {
                    progress.clear()
                    tell(storm, of: id, isOver: false)
                }
            }
            (delivery.limitedBy, delivery.secondsLeft) = limit
            progress.show { delivery.summary }
            pause()
        }
    }

    private func conclude(_ delivery: DeliveryView) throws -> CommandExit {
        StandardError.line(delivery.summary)
        let storms = try stormsAtEnd(of: delivery.id)
        for storm in storms { tell(storm, of: delivery.id, isOver: true) }
        // If there is a storm, its report already states that no device was reached.
        if storms.isEmpty, delivery.hasReachedNoDevice {
            StandardError.line(
                "no message was sent: 'pushmta delivery show \(delivery.id)' shows the reasons")
        }
        let isGood = delivery.state == .finished && storms.isEmpty && !delivery.hasReachedNoDevice
        return isGood ? .done : .failed
    }

    /// Sleeps for a tenth of the time elapsed so far, but at least for ``pollMicroseconds`` and at most for
    /// ``maxPollMicroseconds``.
    private func pause() {
        let tenth = Clocks.monotonic().milliseconds(since: start) * 100
        usleep(UInt32(max(Int64(Self.pollMicroseconds), min(tenth, Self.maxPollMicroseconds))))
    }

    /// Returns the storms at the end of the delivery. A storm is declared shortly after the last answer, once
    /// no further answers to its account are expected.
    private func stormsAtEnd(of id: DeliveryID) throws -> [String] {
        let end = Clocks.monotonic().advanced(byMilliseconds: Self.judgementMilliseconds)
        while true {
            let found = try operations.carryOut(ShowDeliveryStorms(id: id))
            let mayBegin = found.storms.isEmpty && found.mayBegin && operations.engine.isRunning
            guard mayBegin, Clocks.monotonic() < end else { return found.storms }
            usleep(Self.pollMicroseconds)
        }
    }

    private func tell(_ storm: String, of id: DeliveryID, isOver: Bool) {
        let again =
            isOver ? "; 'pushmta delivery retry-failed \(id)' then sends the failed messages again" : ""
        let line =
            "storm: most answers to \(storm) reject tokens, and no device is disabled: see 'pushmta "
            + "quarantine storm show', then confirm or discard the storm\(again)"
        StandardError.line(line.printable(atMost: CommandFailure.maxLineLength))
    }
}

extension DeliveryDetails {
    /// The reasons why the delivery is not being sent, each with a key that identifies it.
    fileprivate var holds: [(key: String, line: String)] {
        delivery.haltFields.map { ($0.name, "delivery \(delivery.id) is \($0.name): \($0.value)") }
            + waitsFor.map { ($0.account + $0.reason, $0.line) }
    }
}

extension DeliveryView {
    /// Whether the delivery had messages to send and every one of them failed or was cancelled.
    fileprivate var hasReachedNoDevice: Bool { counts.targeted > 0 && counts.sent == 0 }
}

extension AccountHold {
    /// The reason why the delivery is not sent, in one line: the account's or topic's state, its reason, the
    /// meaning of the reason and what to do about it. If the reason is empty, the line has only the rest.
    var line: String { summary.followed(by: answer?.explanation(of: summary)) }

    /// The gateway's answer that is the reason; `nil` if the reason is not an answer from the gateway.
    var answer: GatewayAnswer? { ConnectorCatalogue.answer(to: reason, ofAccount: account) }

    private var summary: String {
        let why = reason.isEmpty ? "" : ": \(reason)"
        if let topic, state == "stopped" {
            return "\(topic) of \(account) is stopped; other apps of the account continue\(why)"
        }
        if let topic {
            let next =
                secondsUntilProbe.map { $0 > 0 ? ", next attempt in \($0) s" : ", next attempt now" } ?? ""
            return
                "the gateway refuses topic \(topic) of \(account)\(next)\(why); its messages wait, "
                + "others continue"
        }
        switch state {
        case "stopped": return "\(account) is stopped\(why)"
        case "stalled": return "\(account) is stalled\(why)"
        case "probing": return "\(account) is being probed with one message\(why)"
        default:
            let next =
                secondsUntilProbe.map { $0 > 0 ? ", next attempt in \($0) s" : ", next attempt now" } ?? ""
            let name = (app ?? account).quotedForShell
            let end = until.map { ", until \($0.utcText) at the latest" } ?? ""
            return
                "\(account) is held back\(next)\(end)\(why); its messages wait; 'pushmta explain "
                + "\(name)' shows more, 'pushmta account resume \(name)' ends the wait"
        }
    }
}
