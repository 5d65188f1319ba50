/// The result of a run of ``HostsScenario``, and the conditions that it must meet. Times are in milliseconds
/// since 1970, by the clock of one machine, which the gateways and the database server share.
package struct HostsReport: Sendable {
    /// A host's row in the store, as recorded when the row changed.
    package struct HostSample: Decodable, Equatable, Sendable {
        package var at: Int
        package var host: String
        /// The session of the host's process.
        package var session: String
        package var state: String
        /// The time at which the host itself last wrote its row.
        package var said: Int

        package init(at: Int, host: String, session: String, state: String, said: Int) {
            (self.at, self.host, self.session) = (at, host, session)
            (self.state, self.said) = (state, said)
        }
    }

    /// A fault that the run caused on a host.
    package struct InjectedFault: Sendable {
        package var fault: HostsScenario.Fault
        package var host: String
        package var at: Int
        package var until = 0
        /// The number of messages that were still to be sent when the fault occurred.
        package var left: Int
        /// The number of messages that were granted to the host's children and whose outcomes were not yet
        /// recorded. This is the maximum number of duplicates that the fault can cause.
        package var unrecorded = 0
        /// Whether the other hosts took over the host's place.
        package var isTakenOver = false
        package var leads = false

        package init(_ fault: HostsScenario.Fault, on host: String, at moment: Int, left: Int) {
            (self.fault, self.host, at, self.left) = (fault, host, moment, left)
        }
    }

    package let scenario: HostsScenario
    package var injectedFaults: [InjectedFault] = []
    package var samples: [HostSample] = []
    /// The requests that each host sent.
    package var requests: [(host: String, requests: [GatewayRequest])] = []
    package var chapters: [DeliveryComparison] = []
    /// The deliveries that are limited to ``HostsScenario/deliveryRate``.
    package var limited: Set<Int> = []
    /// Descriptions of the hosts that ended although the run caused no fault on them.
    package var unexpected: [String] = []
    /// The stalls that hosts reported. Stalls of hosts that were frozen or cut off are not included.
    package var stalled: [String] = []
    package var summary = GatewaySummary()

    package init(_ scenario: HostsScenario) { self.scenario = scenario }

    /// Returns the number of messages of a delivery. Deliveries with a rate go to one of the two apps.
    func targeted(by delivery: Int) -> Int {
        limited.contains(delivery) ? scenario.devices : scenario.targeted
    }

    package var findings: [Finding] {
        let dead = scenario.dead
        let unrecorded = injectedFaults.sum(of: \.unrecorded)
        return chapters.flatMap { $0.findings(of: targeted(by: $0.report.id), dead: dead) } + [
            chapters.duplicates("messages held unrecorded by victims", unrecorded: unrecorded),
            .protocolKept(strays: chapters.strays(in: requests.flatMap(\.requests)), summary), leasesKept,
        ] + takeOvers + rates(scenario.isBusy ? 1.5 : 1.05) + [
            struck,
            Finding(
                "only frozen or disconnected hosts are stalled", stalled.isEmpty,
                "\(stalled.count) lines" + (stalled.first.map { ", the first: \($0)" } ?? "")),
        ]
    }

    /// Whether every fault occurred while there were messages to send, and only hosts with a fault ended.
    private var struck: Finding {
        let idle = injectedFaults.count { $0.left == 0 }
        let list = injectedFaults.map { "\($0.fault.rawValue)\($0.leads ? " of the leading host" : "")" }
        return Finding(
            "every fault occurred during a delivery, and no other host ended",
            injectedFaults.count == scenario.steps.count && idle == 0 && unexpected.isEmpty,
            list.joined(separator: ", ")
                + (unexpected.first.map { "; \(unexpected.count) unexpected ends, the first: \($0)" } ?? ""))
    }

    // MARK: Who may send when, and how much

    /// Returns a time limit in milliseconds. The limit is higher if other programs share the machine, because
    /// processes then also wait for a processor.
    private func limit(_ milliseconds: Int) -> Int {
        scenario.isBusy ? milliseconds * 5 : milliseconds
    }

    // MARK: Leases

    /// Returns the host's leases. A lease begins when the host writes to its row that it is sending. After
    /// the lease ends, the host must not begin a request until it has written its row again.
    private func leases(of host: String) -> [(from: Int, until: Int)] {
        let own = samples.filter { $0.host == host }
        return zip([nil] + own.map(Optional.some), own).compactMap { last, word in
            guard word.state == "serving" || word.state == "sending", word.said != last?.said else {
                return nil
            }
            return (word.said, word.said + scenario.sendingMilliseconds)
        }
    }

    /// - Returns: The number of milliseconds between the end of the host's lease and the end of the request,
    ///   for each answered request that ended after the lease.
    private func overdue(of host: String, _ requests: [GatewayRequest]) -> [Int] {
        let leases = leases(of: host)
        return requests.compactMap { request in
            guard request.ending == .accepted || request.ending == .rejected else { return nil }
            // A host must not send anything before it first writes its row.
            guard let lease = leases.last(where: { $0.from <= request.time }) else { return .max }
            let late = request.time - lease.until
            return late > 0 ? late : nil
        }
    }

    var leasesKept: Finding {
        // The gateway's delay, plus an allowance for transmission and for the time that the answer waits for
        // a processor.
        let onTheWay = HostsScenario.gatewayDelayMilliseconds + (scenario.isBusy ? 2_000 : 1_000)
        let late = requests.flatMap { overdue(of: $0.host, $0.requests) }
        let all = requests.sum(of: \.requests.count)
        return Finding(
            """
            no request begins \(scenario.sendingMilliseconds / 1_000) s or more after its host \
            last renewed its lease
            """,
            late.allSatisfy { $0 <= onTheWay },
            "\(late.count) answers after the end of a lease, by at most \(late.max() ?? 0) ms, of \(all)")
    }

    // MARK: Take-overs

    /// Returns the time from the fault until the other hosts took over.
    private func takeOver(after strike: InjectedFault) -> Int? {
        samples.first { $0.host == strike.host && $0.state == "lost" && $0.at >= strike.at }.map {
            $0.at - strike.at
        }
    }

    /// Returns the time from the orderly end of a leading host until another host leads, or until the
    /// restarted host leads again.
    private func succession(after strike: InjectedFault) -> Int? {
        guard
            let goodbye = samples.first(where: {
                $0.host == strike.host && $0.state == "gone" && $0.at >= strike.at
            })
        else { return nil }
        return samples.first {
            $0.session != goodbye.session && $0.state == "serving" && $0.at >= goodbye.at
        }.map { $0.at - goodbye.at }
    }

    var takeOvers: [Finding] {
        let takeOverLimit = limit(scenario.takeOverLimitMilliseconds)
        let atOnce = limit(HostsScenario.atOnceMilliseconds)
        let deaths = injectedFaults.filter(\.isTakenOver).map(takeOver)
        let ends = injectedFaults.filter { $0.fault == .end || $0.fault == .upgrade }
        let successions = ends.filter(\.leads).map(succession)
        let goodbyes = ends.count { end in
            samples.contains { $0.host == end.host && $0.state == "gone" && $0.at >= end.at }
        }
        func list(_ times: [Int?]) -> String {
            times.isEmpty ? "none" : times.map { $0.map { "\($0) ms" } ?? "never" }.joined(separator: ", ")
        }
        return [
            Finding(
                "a take-over begins within \(takeOverLimit / 1_000) s",
                deaths.allSatisfy { $0.map { $0 <= takeOverLimit } ?? false }, list(deaths)),
            Finding(
                "after an orderly end another host leads immediately",
                goodbyes == ends.count
                    && successions.allSatisfy { $0.map { $0 <= atOnce } ?? false },
                "\(goodbyes) goodbyes of \(ends.count); \(list(successions))"),
        ]
    }

    // MARK: Rates

    private static let windowMilliseconds = 10_000

    /// Returns the maximum number of these times that lie within any ten seconds.
    package static func mostInAWindow(_ times: [Int]) -> Int {
        let times = times.sorted()
        var (first, most) = (0, 0)
        for (place, time) in times.enumerated() {
            while times[first] <= time - windowMilliseconds { first += 1 }
            most = max(most, place - first + 1)
        }
        return most
    }

    func rates(_ limit: Double) -> [Finding] {
        func finding(_ what: String, _ rate: Int, _ isOne: (GatewayRequest) -> Bool) -> Finding {
            let times = requests.flatMap(\.requests).filter(isOne).map(\.time)
            let share = Double(Self.mostInAWindow(times)) / Double(rate * Self.windowMilliseconds / 1_000)
            return Finding(
                "\(what) is never above \(Int(limit * 100)) % over ten seconds", share <= limit,
                "\((share * 100).fixed(1)) % at most")
        }
        let quota = finding("FCM's quota", HostsScenario.messagesPerSecond) { $0.interface == .v1 }
        return [quota]
            + chapters.map(\.report.id).filter(limited.contains).map { delivery in
                finding("the rate of delivery \(delivery)", HostsScenario.deliveryRate) {
                    $0.isOf(delivery: delivery)
                }
            }
    }
}
