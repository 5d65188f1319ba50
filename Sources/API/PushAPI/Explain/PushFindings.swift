internal import GatewayKit
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore
internal import PushWire

/// The findings of a ``PushExplanation``, in the order in which they are added.
///
/// The advice names no command, because a client of the API reads it as well.
struct PushFindings {
    typealias Code = PushExplanation.Code

    private(set) var all: [PushExplanation.Finding] = []
    private let operations: Operations
    private let apps: [AppID: App]

    init(_ operations: Operations, apps: [AppID: App]) { (self.operations, self.apps) = (operations, apps) }

    private mutating func add(_ code: Code, _ finding: String, _ advice: String? = nil) {
        all.append(PushExplanation.Finding(code: code, finding: finding, advice: advice))
    }

    // MARK: Messages

    /// Adds the newest message of each result.
    mutating func add(messages: [PushExplanation.Message], of apps: [String: App]) {
        var seen: Set<String> = []
        for found in messages {
            let message = found.message
            let kind = [
                message.app, message.state, message.providerReason ?? "",
                message.clickedAt != nil ? "c" : message.receivedAt != nil ? "r" : "",
            ].joined(separator: "\n")
            guard seen.insert(kind).inserted else { continue }
            let which = "the message of delivery \(message.delivery) to a device of app \(message.app)"
            switch MessageState.allCases.first(where: { $0.name == message.state }) {
            case .sent: addSent(message, which, of: apps[message.app])
            case .pending: addPending(message, which)
            case .retrying:
                let due = message.dueAt.map { "; the next attempt is at \($0.utcText)" } ?? ""
                add(.retrying, "\(which) is tried again: \(Self.why(found))\(due)", found.advice)
            case .failed: add(.failed, "\(which) failed: \(Self.why(found))", found.advice)
            case .excluded: add(.excluded, "\(which) was not sent: \(Self.why(found))", found.advice)
            case .cancelled: add(.cancelled, "\(which) was cancelled: \(Self.why(found))", found.advice)
            case nil: break
            }
        }
    }

    /// Returns a text such as `User unknown, Unregistered (the device token is no longer valid)`.
    private static func why(_ found: PushExplanation.Message) -> String {
        let words = [found.message.failureReason, found.message.providerReason].compactMap(\.self)
        return words.joined(separator: ", ") + (found.meaning.map { " (\($0))" } ?? "")
    }

    private static let notReported = """
        The device may be off or offline, notifications may be turned off for the app or hidden by a focus \
        mode, or the app does not report receipts
        """

    private mutating func addSent(_ message: MessageView, _ which: String, of app: App?) {
        let accepted = "the gateway accepted \(which) at \(message.updatedAt.utcText)"
        if operations.settings.mta.verifyMode || app?.settings.connector == .stub {
            return add(
                .rehearsal, "\(which) counts as sent, but nothing was sent: this is a rehearsal",
                "Turn off mta/@verifyMode, or give the app a connector other than stub")
        }
        if let clicked = message.clickedAt {
            add(
                .clicked,
                "\(accepted), and the device reported a click at \(clicked.utcText), "
                    + Numerals.count(message.clicks, "click"))
        } else if let received = message.receivedAt {
            add(.received, "\(accepted), and the device reported its receipt at \(received.utcText)")
        } else if message.messageId == nil {
            add(
                .notTracked, "\(accepted); the delivery has no tracking, so the device cannot report it",
                Self.notReported)
        } else {
            add(.notReported, "\(accepted), but the device has not reported it", Self.notReported)
        }
    }

    private mutating func addPending(_ message: MessageView, _ which: String) {
        if let start = message.sendAt {
            add(.scheduled, "\(which) is not sent before \(start.utcText)")
        } else {
            add(
                .waiting, "\(which) waits to be sent; it is sent until \(message.expiresAt.utcText)")
        }
    }

    // MARK: The delivery

    /// - Parameter reached: The apps and tokens of the devices to which the delivery has messages.
    mutating func add(
        _ summary: DeliverySummary, _ explanation: PushExplanation, _ present: [SubscriberFacts],
        _ reached: Set<String>
    ) throws {
        if let removed = summary.removed {
            return add(
                .messagesRemoved,
                "the messages of delivery \(summary.id) were removed on \(removed.dayText)",
                "Only the figures of the delivery remain. Keep messages longer with nmac/@retentionDays")
        }
        if !summary.state.isFinal { try addHolds(of: summary, explanation) }
        let missed = present.filter { !reached.contains("\($0.app) \($0.token)") }
        guard !missed.isEmpty else { return }
        guard summary.openUntil == nil else {
            return add(
                .notAddressed, "delivery \(summary.id) consists of messages that were sent one by one",
                reached.isEmpty ? "None of them was addressed to this person or device" : nil)
        }
        try addMissed(missed, of: summary, target: explanation.delivery?.target ?? "")
    }

    /// Adds the reasons why devices have no message of the delivery.
    private mutating func addMissed(
        _ missed: [SubscriberFacts], of summary: DeliverySummary, target: String
    ) throws {
        let included = Set(try operations.store.deliveries.delivery(summary.id)?.order.apps ?? [])
        let others = missed.filter { !included.contains($0.app) }
        if !others.isEmpty {
            let names = Set(others.compactMap { apps[$0.app]?.name }).sorted().joined(separator: ", ")
            let count = Numerals.count(others.count, "device")
            let verb = others.count == 1 ? "is" : "are"
            add(
                .otherApps,
                "delivery \(summary.id) is not sent to \(names), with which \(count) \(verb) registered",
                "Add the app to the delivery, if it is meant to reach these devices")
        }
        let candidates = missed.filter { included.contains($0.app) }
        guard !candidates.isEmpty else { return }
        if summary.state == .startPending || summary.state == .preparing {
            let count = Numerals.count(candidates.count, "device")
            return add(
                .notStarted,
                "delivery \(summary.id) has not selected \(count) so far; its target is still being read")
        }
        let end = summary.started?.time
        let later = candidates.count { facts in end.map { facts.created > $0 } ?? false }
        if later > 0 {
            add(
                .registeredLater,
                "\(Numerals.count(later, "device")) first registered after delivery \(summary.id) had begun",
                "A new delivery reaches them")
        }
        guard candidates.count > later else { return }
        add(
            .notSelected,
            "the target of delivery \(summary.id) (\(target)) did not select "
                + Numerals.count(candidates.count - later, "device"),
            "Compare the parameters of the device with the target")
    }

    /// Adds the reasons why messages of the delivery wait.
    private mutating func addHolds(of summary: DeliverySummary, _ explanation: PushExplanation) throws {
        let isWaiting = explanation.messages.contains { !$0.message.isFinal }
        guard isWaiting || explanation.messages.isEmpty else { return }
        if summary.state == .paused {
            add(
                .paused,
                "delivery \(summary.id) is paused; its messages are sent until "
                    + summary.expiresAt.utcText, "Resume the delivery")
        }
        if let held = try operations.store.repair.hold(of: summary.id) {
            add(.onHold, "delivery \(summary.id) is on hold: \(held.why)", "Release or recount the delivery")
        }
        // If the master does not answer, the rest of the requested data is still shown.
        let master = try? operations.engine.status()
        for hold in try HeldDelivery(summary, master, in: operations).holds {
            let answer = ConnectorCatalogue.answer(to: hold.reason, ofAccount: hold.account)
            add(
                .accountWaits, "account \(hold.account) is \(hold.state): \(hold.reason)",
                answer?.explanation(of: hold.reason))
        }
        if master == nil {
            add(.noService, "no service is sending messages at present", "Start the service")
        }
    }

    // MARK: Devices

    /// Adds the devices that deliveries exclude, and those against which errors count.
    mutating func add(devices: [SubscriberFacts]) {
        let stated = devices.map { (app: $0.app, state: SubscriberState($0), facts: $0) }
            .filter { $0.state != .valid }
        let groups = Dictionary(grouping: stated) { "\($0.app) \($0.state.word)" }
        for (_, group) in groups.sorted(by: { $0.key < $1.key }) {
            guard let first = group.first, let app = apps[first.app] else { continue }
            let count = Numerals.count(group.count, "device")
            let why = first.facts.quarantine.map { Self.why($0, of: app, isOne: group.count == 1) } ?? ""
            if first.state == .counting {
                add(.errorsCount, "\(count) of app \(app.name) received errors that count\(why)")
                continue
            }
            add(
                .deviceExcluded,
                "deliveries exclude \(count) of app \(app.name): the state is \(first.state.word)\(why)",
                first.state == .optedOut
                    ? "The person has opted out, and is included again only if the person wants it"
                    : "A device is included again when the app registers, or when an operator releases it")
        }
    }

    private static func why(_ entry: QuarantineEntry, of app: App, isOne: Bool) -> String {
        let quarantine = SubscriberQuarantine(entry, of: app)
        let meaning = quarantine.meaning.map { " (\($0))" } ?? ""
        let delivery = quarantine.delivery.map { ", by delivery \($0)" } ?? ""
        let who = isOne ? "" : ", the first of them"
        return
            "\(who) since \(quarantine.since.utcText) because of \(quarantine.reason)\(meaning)\(delivery)"
    }

    // MARK: The result

    /// Adds the reason why the person has no devices or no messages.
    mutating func conclude(_ explanation: PushExplanation, _ who: SubscriberName, isSearched: Bool) {
        if explanation.deviceCount == 0 {
            let isRemoved = explanation.removedDevices > 0
            let count = Numerals.count(explanation.removedDevices, "device")
            all.insert(
                PushExplanation.Finding(
                    code: isRemoved ? .onlyRemovedDevices : .notRegistered,
                    finding: isRemoved
                        ? "all devices of the person were removed: \(count)"
                        : "no device is registered with \(who.described)",
                    advice: "The app must register with this name: compare it with what the app sends"
                        .followed(by: who.hintAtOtherKind)),
                at: 0)
        } else if explanation.messages.isEmpty, explanation.delivery == nil {
            add(
                .noMessages,
                isSearched
                    ? "no message to the devices is kept"
                    : "the newest messages that were searched contain none to the devices",
                isSearched ? nil : "Give a delivery")
        }
    }
}
