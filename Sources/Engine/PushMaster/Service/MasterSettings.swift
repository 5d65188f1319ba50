package import PushConfig
internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire

/// What the master needs of serverConf.xml, in its own words.
package struct MasterSettings: Sendable {
    let childOrder: ChildProcess.Order
    private let connectors: [ConnectorRow]
    let staffing: StaffingPolicy.Limits
    /// `maxWaitingMessages`: messages that a child may have, granted and not yet committed.
    let capacity: Int
    let maximumAgeSeconds: Int
    let idleSeconds: Int
    let messagesPerChild: Int
    let workingSetMegabytes: Int
    /// How long children may finish what they have when the service stops: every request has its answer or
    /// its time-out by then.
    let drainSeconds: Int64
    /// A child that has messages with gateways that are said to be well, and no answer for so long, is stuck:
    /// by then a silent connection has been replaced, and its successor was found to be no better.
    let progressSeconds: Int64
    /// A child that has kept a message for so long is stuck, whatever else it does.
    let grantSeconds: Int64
    let calendar: RetryCalendar
    let fastRetries: FastRetries
    /// `retryLostMessages`: what a lost child had is sent again.
    let requeuesLost: Bool
    let verdicts: VerdictRules
    let feedbackPeriodSeconds: Int64
    /// `processRestartTime`: the next one; nil: none.
    let restartsAt: WallTime?
    /// `maxMemoryMb`: above it the master is replaced.
    let maximumMegabytes: Int
    /// `dataBasePoolPeriodSec`: how often an idle master looks for what nobody announced.
    let pollSeconds: Int64
    var retention: RetentionRules
    /// `deliveryLog`: each attempt is written down.
    let logsAttempts: Bool

    /// What a child may need beside the slowest time-out: a connection, a turn, a commit.
    package static let patienceSeconds: Int64 = 45

    /// What a connection may take: buffers, and a thousand streams with what is kept of their answers.
    private static let kilobytesPerConnection = 512

    /// A child with hundreds of accounts needs more than one that leaks a little, and to replace it would help
    /// nobody: its successor connects to all of them again, and needs as much.
    func maxResidentKilobytes(_ heartbeat: Heartbeat) -> Int {
        (workingSetMegabytes << 10) + Int(heartbeat.openConnections) * Self.kilobytesPerConnection
    }

    package init(
        _ configuration: ServerConfiguration, connectors: [ConnectorRow], childOrder: ChildProcess.Order,
        patienceSeconds: Int64 = MasterSettings.patienceSeconds
    ) {
        self.childOrder = childOrder
        self.connectors = connectors
        let (master, child) = (configuration.mta.master, configuration.mta.child)
        staffing = StaffingPolicy.Limits(
            atStart: master.startSpareServers, minimum: master.minSpareServers,
            maximum: master.maxSpareServers)
        capacity = child.maxWaitingMessages
        maximumAgeSeconds = child.maxAgeSec
        idleSeconds = child.idleChildTimeoutSec
        messagesPerChild = child.maxMsgPerChild
        workingSetMegabytes = child.maxWorkingSetMb
        let nmac = configuration.nmac
        drainSeconds = Self.drainSeconds(configuration, connectors: connectors)
        progressSeconds = 2 * Int64(connectors.slowestAnswerSeconds(configuration)) + patienceSeconds
        grantSeconds = Int64(child.maxAgeSec) + progressSeconds
        calendar = RetryCalendar(
            retriesOnFirstDay: nmac.retry.count, periodSeconds: Int64(nmac.retry.periodSec),
            keepsMinimumDelays: nmac.retry.minimumDelays)
        fastRetries = FastRetries(
            count: nmac.retry.fastCount, delaySeconds: Int64(nmac.retry.fastDelaySec))
        requeuesLost = configuration.mta.retryLostMessages
        verdicts = VerdictRules(
            storms: StormRule(
                mostDeadShare: nmac.quarantine.stormRatio, fewestRejections: nmac.quarantine.stormMinimum,
                holdDelaySeconds: Int64(nmac.quarantine.holdDelaySec)),
            quarantine: QuarantineRules(
                maxErrors: nmac.quarantine.maxErrors,
                significantErrorDelaySeconds: Int64(nmac.quarantine.significantErrorDelaySec)))
        feedbackPeriodSeconds = Int64(connectors.feedbackPeriodSeconds(configuration) ?? 0)
        restartsAt = configuration.mta.processRestartTime.flatMap {
            Clocks.next(localTime: $0.secondsSinceMidnight, after: Clocks.wall())
        }
        maximumMegabytes = configuration.mta.maxMemoryMb
        pollSeconds = Int64(master.dataBasePoolPeriodSec)
        retention = Self.retention(nmac)
        logsAttempts = configuration.mta.deliveryLog != nil
    }

    /// What the connector's gateway judges such messages by, beside their account; nil: nothing.
    func topic(of contentJSON: [UInt8], bundleID: String, through connector: ConnectorName) -> String? {
        connectors.first { $0.name == connector }?.topic(contentJSON, bundleID)
    }

    /// What serverConf.xml says of it.
    package static func retention(_ nmac: NMACConfiguration) -> RetentionRules {
        RetentionRules(
            messageDays: nmac.retentionDays, quarantineSeconds: Int64(nmac.quarantine.purgeDelaySec))
    }

    /// What a child is told once, when it is welcomed: a change makes another child.
    var welcome: WelcomeTerms {
        WelcomeTerms(capacity: capacity, maximumAgeSeconds: maximumAgeSeconds, idleSeconds: idleSeconds)
    }

    struct WelcomeTerms: Equatable {
        var capacity, maximumAgeSeconds, idleSeconds: Int
    }

    /// How long the end of a service may take, but for its last words to the store.
    package static func drainSeconds(
        _ configuration: ServerConfiguration, connectors: [ConnectorRow]
    ) -> Int64 {
        Int64(connectors.slowestAnswerSeconds(configuration)) + 5
    }
}

/// What a service that runs is to go by from now on.
package struct Reconfiguration: Sendable {
    let settings: MasterSettings
    let gateways: GatewaySettings

    package init(settings: MasterSettings, gateways: GatewaySettings) {
        self.settings = settings
        self.gateways = gateways
    }
}
