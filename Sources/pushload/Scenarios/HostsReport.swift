/// What a run of ``HostsScenario`` left behind, and everything that must be true of it. Times are milliseconds since
/// 1970 by one machine's clock: of the gateways, and of the database's server.
package struct HostsReport: Sendable {
    /// A row of the list of hosts, when it was changed.
    package struct Word: Equatable, Sendable {
        package var at: Int
        package var host: String
        /// Of its process.
        package var session: String
        package var state: String
        /// When the host last said a word itself.
        package var said: Int

        package init(at: Int, host: String, session: String, state: String, said: Int) {
            (self.at, self.host, self.session) = (at, host, session)
            (self.state, self.said) = (state, said)
        }
    }

    /// Something that befell a host.
    package struct Strike: Sendable {
        package var fault: HostsScenario.Fault
        package var host: String
        package var at: Int
        package var until = 0
        /// Messages that were to be sent still.
        package var left: Int
        /// What it may cost: granted to its children and not recorded.
        package var unrecorded = 0
        /// The others took its place.
        package var isTakenOver = false
        package var leads = false

        package init(_ fault: HostsScenario.Fault, on host: String, at moment: Int, left: Int) {
            (self.fault, self.host, at, self.left) = (fault, host, moment, left)
        }
    }

    package let scenario: HostsScenario
    package var strikes: [Strike] = []
    package var words: [Word] = []
    /// By host.
    package var requests: [(host: String, requests: [GatewayRequest])] = []
    package var chapters: [ChaosReport.Chapter] = []
    /// Deliveries with ``HostsScenario/deliveryRate``.
    package var limited: Set<Int> = []
    /// Ends of hosts that nobody had harmed.
    package var unexpected: [String] = []
    /// What hosts reported as stalled, except hosts that were frozen or cut off.
    package var stalled: [String] = []
    package var summary = GatewaySummary()
    package var seconds = 0.0

    package init(_ scenario: HostsScenario) { self.scenario = scenario }

    /// Those with a rate go to one of the two apps.
    func targeted(by delivery: Int) -> Int {
        limited.contains(delivery) ? scenario.devices : scenario.targeted
    }

    /// - Parameter isBusy: other programs share the machine: hosts that have to wait for a processor are later, and a
    ///   gateway that does counts within one window what was sent in another.
    package func findings(isBusy: Bool = false) -> [Finding] {
        let dead = scenario.dead
        return chapters.flatMap { $0.findings(of: targeted(by: $0.report.id), dead: dead) }
            + [duplicates, protocolKept, leasesKept(isBusy: isBusy)] + takeOvers(isBusy: isBusy)
            + rates(isBusy ? 1.5 : 1.05) + [struck, goesOn]
    }

    private var duplicates: Finding {
        let doubled = chapters.reduce(0) { $0 + $1.doubled }
        let unexplained = chapters.reduce(0) { $0 + $1.unexplained }
        let unrecorded = strikes.reduce(0) { $0 + $1.unrecorded }
        return Finding(
            what: "accepted beyond the first ≤ undecided and tried again + unrecorded in victims' hands",
            holds: unexplained <= unrecorded,
            numbers:
                "\(doubled) twice; \(doubled - unexplained) of them had been undecided, \(unexplained) were in victims' "
                + "hands, who had \(unrecorded) at most")
    }

    private var protocolKept: Finding {
        let marks = chapters.map(\.mark)
        let strays = requests.reduce(0) { sum, host in
            sum
                + host.requests.count { request in
                    !request.isUnread && !marks.contains { request.body.contains($0) }
                }
        }
        let errors = summary.protocolErrors + summary.fcm.protocolErrors
        return Finding(
            what: "every request belongs to a delivery, and follows the protocol",
            holds: strays + errors == 0,
            numbers: "\(strays) strays, \(errors) protocol errors")
    }

    private var goesOn: Finding {
        Finding(
            what: "nothing is stalled but what was frozen or cut off", holds: stalled.isEmpty,
            numbers: "\(stalled.count) lines" + (stalled.first.map { ", the first: \($0)" } ?? ""))
    }

    /// Every fault came while there was something to send, and nobody ended whom nobody harmed.
    private var struck: Finding {
        let idle = strikes.count { $0.left == 0 }
        let list = strikes.map { "\($0.fault.rawValue)\($0.leads ? " of who led" : "")" }.joined(
            separator: ", ")
        return Finding(
            what: "every fault struck amid a delivery, and no host ended that nobody harmed",
            holds: strikes.count == scenario.steps.count && idle == 0 && unexpected.isEmpty,
            numbers: list + (unexpected.first.map { "; \(unexpected.count) ends, the first: \($0)" } ?? ""))
    }
}
