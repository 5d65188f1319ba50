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
    package var chapters: [DeliveryChapter] = []
    /// Deliveries with ``HostsScenario/deliveryRate``.
    package var limited: Set<Int> = []
    /// Ends of hosts that nobody had harmed.
    package var unexpected: [String] = []
    /// What hosts reported as stalled, except hosts that were frozen or cut off.
    package var stalled: [String] = []
    package var summary = GatewaySummary()

    package init(_ scenario: HostsScenario) { self.scenario = scenario }

    /// Those with a rate go to one of the two apps.
    func targeted(by delivery: Int) -> Int {
        limited.contains(delivery) ? scenario.devices : scenario.targeted
    }

    package var findings: [Finding] {
        let dead = scenario.dead
        let unrecorded = strikes.reduce(0) { $0 + $1.unrecorded }
        return chapters.flatMap { $0.findings(of: targeted(by: $0.report.id), dead: dead) } + [
            chapters.duplicates("unrecorded in victims' hands", unrecorded: unrecorded), protocolKept,
            leasesKept,
        ] + takeOvers + rates(scenario.isBusy ? 1.5 : 1.05) + [
            struck,
            Finding(
                "nothing is stalled but what was frozen or cut off", stalled.isEmpty,
                "\(stalled.count) lines" + (stalled.first.map { ", the first: \($0)" } ?? "")),
        ]
    }

    private var protocolKept: Finding {
        let strays = requests.reduce(0) { $0 + chapters.strays(in: $1.requests) }
        let errors = summary.protocolErrors + summary.fcm.protocolErrors
        return Finding(
            "every request belongs to a delivery, and follows the protocol", strays + errors == 0,
            "\(strays) strays, \(errors) protocol errors")
    }

    /// Every fault came while there was something to send, and nobody ended whom nobody harmed.
    private var struck: Finding {
        let idle = strikes.count { $0.left == 0 }
        let list = strikes.map { "\($0.fault.rawValue)\($0.leads ? " of who led" : "")" }
        return Finding(
            "every fault struck amid a delivery, and no host ended that nobody harmed",
            strikes.count == scenario.steps.count && idle == 0 && unexpected.isEmpty,
            list.joined(separator: ", ")
                + (unexpected.first.map { "; \(unexpected.count) ends, the first: \($0)" } ?? ""))
    }
}
