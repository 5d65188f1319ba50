internal import GatewayKit
internal import Glibc
internal import PushConfig
internal import PushConnectors
internal import PushModel
internal import PushStore
internal import PushWire

extension Rehearsal.Link {
    /// The number of different requests that are shown.
    private static let maxSeen = 10

    fileprivate mutating func note(_ text: String) {
        if !seen.contains(text), seen.count < Self.maxSeen { seen.append(text) }
    }
}

extension SeenDevice.Purpose {
    fileprivate var described: String {
        switch self {
        case .register: "a registration"
        case .unregister: "a request to unregister"
        case .optOut: "a request to opt out"
        }
    }
}

/// One rehearsal, step by step.
struct RehearsalRun {
    private let app: App
    private let request: RehearseApp
    private let operations: Operations
    private let watch: Watch<JobProgress<Rehearsal>>
    private var sight: DeviceSight
    private var rehearsal: Rehearsal
    /// Requests with an integration key that no app has.
    private var hasSeenUnknownKey = false

    private static let pollMicroseconds: UInt32 = 250_000

    init(
        of app: App, _ request: RehearseApp, in operations: Operations,
        _ watch: Watch<JobProgress<Rehearsal>>
    ) throws {
        (self.app, self.request, self.operations, self.watch) = (app, request, operations, watch)
        rehearsal = Rehearsal(of: app)
        sight = try DeviceSight(of: app, in: operations)
    }

    mutating func perform() throws -> Rehearsal {
        do {
            if let token = try registration(), let message = try sending(to: token) {
                try reports(on: message)
            }
        } catch {
            cancelMessage()
            throw error
        }
        return rehearsal
    }

    private mutating func set(
        _ link: RehearsalLink, _ state: Rehearsal.State, _ text: String, advice: String? = nil
    ) throws {
        (rehearsal[link].state, rehearsal[link].text, rehearsal[link].advice) = (state, text, advice)
        try report()
    }

    private func report() throws {
        let done = rehearsal.links.count { $0.state == .done }
        // Without a total, no remaining time is estimated: the waits depend on the person with the device.
        watch.report(JobProgress(rehearsal, done: done, of: nil))
        try watch.proceed()
    }

    /// Looks repeatedly until a look returns a value.
    /// - Returns: `nil` if the time has passed.
    private mutating func wait<Value>(
        atMostSeconds seconds: Int, _ look: (inout Self) throws -> Value?
    ) throws -> Value? {
        let end = operations.clock.monotonic().advanced(bySeconds: Int64(seconds))
        while true {
            // The last look follows the end, so that it sees everything that arrived before the end.
            let isLast = operations.clock.monotonic() >= end
            if let value = try look(&self) { return value }
            try report()
            guard !isLast else { return nil }
            usleep(Self.pollMicroseconds)
        }
    }

    // MARK: Registration

    /// - Returns: The device's token; `nil` if no device registered in time.
    private mutating func registration() throws -> String? {
        let page = RegistrationPage.path(for: app.settings.platform) ?? ""
        let key = app.settings.integrationKey
        let web = try? operations.engine.status()?.web
        try set(
            .registration, .waiting,
            "start the app on the test device; it must register at \(web ?? "the web module")\(page) with "
                + "the integration key \(key)")
        let found = try wait(atMostSeconds: request.registrationSeconds) { run in
            for device in try run.sight.next() {
                if let token = run.token(of: device) { return (token: token, model: device.model) }
            }
            return nil
        }
        guard let found else {
            let wait = Numerals.count(request.registrationSeconds, "second")
            let seen = rehearsal[.registration].seen
            let advice =
                if hasSeenUnknownKey {
                    "build the app with the integration key \(key), which its SDK calls mobileAppUuid"
                } else if seen.isEmpty {
                    """
                    no other request of a device arrived either: check the marketing server in the app's \
                    SDK settings, which must reach this service\(web.map { " (\($0))" } ?? ""), and \
                    whether the app has received a token and registers when it starts
                    """
                } else {
                    "correct what the requests that were seen have in common, and start the app again"
                }
            try set(
                .registration, .missing, "no device registered with app \(app.name) within \(wait)",
                advice: advice)
            return nil
        }
        let model = found.model.isEmpty ? "" : " (\(found.model))"
        try set(.registration, .done, "a device registered\(model)")
        return found.token
    }

    /// Returns the token of a device that is the test device; otherwise, notes the request and returns `nil`.
    private mutating func token(of device: SeenDevice) -> String? {
        guard device.ignoredReport == nil, device.platform == app.settings.platform.rawValue else {
            return nil
        }
        let what = device.purpose.described
        if let refusal = device.refusal {
            guard device.isUnknownKey else {
                rehearsal[.registration].note("\(what) was refused: \(refusal)")
                return nil
            }
            hasSeenUnknownKey = true
            rehearsal[.registration].note(
                "\(what) with the integration key \(device.integrationKey ?? ""), which no app has")
            return nil
        }
        guard device.app == app.name, device.purpose == .register else {
            rehearsal[.registration].note("\(what) with app \(device.app ?? "")")
            return nil
        }
        guard request.userKey?.nonEmpty == nil || device.userKey == request.userKey else {
            rehearsal[.registration].note("a registration with another user key")
            return nil
        }
        return device.token
    }

    // MARK: Sending

    /// - Returns: The message; `nil` if the gateway did not accept it.
    private mutating func sending(to token: String) throws -> NamedMessage? {
        try set(.sending, .waiting, "the message waits for the gateway's answer")
        let id: String
        do { id = try submit(to: token) } catch let error as OperationError where error.kind != .cancelled {
            try set(
                .sending, .missing, "the message was not accepted: \(error.lines.joined(separator: "; "))",
                advice: "correct the app's settings or the service, and rehearse again")
            return nil
        }
        rehearsal.message = id
        var last: MessageView?
        let final = try wait(atMostSeconds: request.sendingSeconds) { run in
            let view = try run.operations.carryOut(ShowMessage(id: id))
            last = view
            return view.isFinal ? view : nil
        }
        guard let final, final.state == MessageState.sent.name else {
            try set(.sending, .missing, text(of: final ?? last, isFinal: final != nil), advice: advice(last))
            cancelMessage()
            return nil
        }
        try set(.sending, .done, "the gateway accepted the message")
        return try NamedMessage(id, in: operations)
    }

    /// - Returns: The message's id.
    /// - Throws: The reason why the message is not sent.
    private func submit(to token: String) throws -> String {
        let values = app.settings.variables.filter { $0.defaultValue == nil }.map {
            JSONMember(key: $0.name, value: .string("rehearsal"))
        }
        var content = [
            JSONMember(key: "title", value: .string("Rehearsal of \(app.name)")),
            JSONMember(key: "body", value: .string("Open this notification.")),
        ]
        if !values.isEmpty { content.append(JSONMember(key: "variables", value: .object(values))) }
        let document: JSONValue = [
            "app": .string(app.name), "token": .string(token), "content": .object(content),
            "validity": .string("\(request.sendingSeconds)s"),
        ]
        var bytes: [UInt8] = []
        document.append(to: &bytes)
        let sent = try operations.carryOut(SendMessages(document: bytes, caller: operations.caller))
        guard let device = sent.messages.first?.devices.first else {
            throw OperationError.failed("the service accepted no message; check its log")
        }
        if let reason = device.reason { throw OperationError.refused("the device is excluded: \(reason)") }
        return device.id
    }

    private func text(of message: MessageView?, isFinal: Bool) -> String {
        let reason = message?.providerReason ?? message?.failureReason
        guard isFinal else {
            let wait = Numerals.count(request.sendingSeconds, "second")
            return "the message was not sent within \(wait)" + (reason.map { "; last answer: \($0)" } ?? "")
        }
        return "the message was not sent: \(reason ?? message?.state ?? "")"
    }

    private func advice(_ message: MessageView?) -> String {
        let reason = message?.providerReason ?? ""
        return ConnectorCatalogue.entry(app.settings.connector)?.answer(to: reason)?.explanation(of: reason)
            ?? "test the app's connection, and look at the state of its account in the status"
    }

    /// Cancels the message, unless it has ended. If this fails, the message expires on its own.
    private func cancelMessage() {
        if let id = rehearsal.message { _ = try? operations.carryOut(CancelMessage(id: id)) }
    }

    // MARK: Receipt and click

    private mutating func reports(on message: NamedMessage) throws {
        try set(.receipt, .waiting, "the device must report the receipt")
        try set(.click, .waiting, "open the notification on the test device")
        let start = operations.clock.monotonic()
        _ = try wait(atMostSeconds: max(request.receiptSeconds, request.clickSeconds)) { run -> Bool? in
            let seconds = run.operations.clock.monotonic().milliseconds(since: start) / 1_000
            for device in try run.sight.next() {
                if let reason = device.ignoredReport {
                    run.rehearsal[.receipt].note("a report to /r/ was not recorded: \(reason)")
                }
            }
            let hits = try run.operations.store.hitReader.hits(on: message.number, in: message.delivery)
            try run.judge(.receipt, hits?.receipts ?? 0, after: seconds)
            try run.judge(.click, hits?.clicks ?? 0, after: seconds)
            return run.isWaiting ? nil : true
        }
        if rehearsal[.receipt].state == .missing {
            rehearsal[.receipt].advice = adviceForReceipt
            try report()
        }
    }

    private var isWaiting: Bool { rehearsal.links.contains { $0.state == .waiting } }

    private mutating func judge(_ link: RehearsalLink, _ reports: Int, after seconds: Int64) throws {
        if reports > 0 {
            guard rehearsal[link].state != .done else { return }
            return try set(link, .done, "the device reported the \(link.rawValue)")
        }
        let limit = link == .click ? request.clickSeconds : request.receiptSeconds
        guard rehearsal[link].state == .waiting, seconds >= Int64(limit) else { return }
        let wait = Numerals.count(limit, "second")
        try set(
            link, .missing, "the device did not report the \(link.rawValue) within \(wait)",
            advice: link == .click ? adviceForClick : adviceForReceipt)
    }

    private var adviceForReceipt: String {
        if let advice = adviceForReports { return advice }
        if rehearsal[.click].state == .done {
            return "the app reports clicks only: when the notification arrives, call the SDK's function for "
                + "receipts, with the _mId and _dId of the notification"
        }
        return "check whether the notification appeared on the device; if it did, the app must call the "
            + "SDK's function for receipts, with the _mId and _dId of the notification, and its tracking "
            + "server must be this service"
    }

    private var adviceForClick: String {
        adviceForReports
            ?? "open the notification on the device; the app must then call the SDK's function for clicks, "
            + "with the _mId and _dId of the notification"
    }

    /// Advice for reasons that concern all reports; `nil` if there is none.
    private var adviceForReports: String? {
        if !operations.settings.trackinglogd.autoStart {
            return "this service does not record reports; set trackinglogd/@autoStart to true"
        }
        let sendsNothing = app.settings.connector == .stub || operations.settings.mta.verifyMode
        // A report that arrived nevertheless, such as that of a developer, shows that reports do arrive.
        if sendsNothing, [.receipt, .click].allSatisfy({ rehearsal[$0].state != .done }) {
            return "the connector stub sends nothing, so no device received the message; switch the app to "
                + "the connector of its gateway"
        }
        if !rehearsal[.receipt].seen.isEmpty {
            return "the app's reports do not name the message: it must send the _mId and _dId of the "
                + "notification unchanged"
        }
        return nil
    }
}
