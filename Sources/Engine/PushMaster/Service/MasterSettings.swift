package import PushConfig
internal import PushModel
internal import PushSchedule
package import PushStore
internal import PushSystem
internal import PushWire

/// The settings in serverConf.xml that the master needs, converted into its own terms.
package struct MasterSettings: Sendable {
    let childOrder: ChildProcess.Order
    private let connectors: [ConnectorRow]
    let staffing: ChildCountPolicy.Limits
    /// `maxWaitingMessages`: the maximum number of messages that are granted to a child and whose outcomes
    /// are not committed yet.
    let capacity: Int
    let maximumAgeSeconds: Int
    let idleSeconds: Int
    let messagesPerChild: Int
    let workingSetMegabytes: Int
    /// The maximum duration of a shutdown, including the last writes to the store. It is long enough for
    /// every request to receive its answer or to reach its time-out before children are killed.
    let drainSeconds: Int64
    /// The time after which a child that has messages with working gateways and receives no answer counts as
    /// stuck. By then the child has replaced a silent connection, and the new connection has been silent too.
    let progressSeconds: Int64
    /// The time after which a child that still has a message counts as stuck, whatever else it does.
    let grantSeconds: Int64
    let calendar: RetryCalendar
    let fastRetries: FastRetries
    /// `retryLostMessages`: whether the messages of a lost child are sent again.
    let requeuesLost: Bool
    let verdicts: VerdictRules
    let feedbackPeriodSeconds: Int64
    /// `processRestartTime`: the next restart; `nil` if there is none.
    let restartsAt: WallTime?
    /// `maxMemoryMb`: the memory above which the master is replaced.
    let maximumMegabytes: Int
    /// `dataBasePoolPeriodSec`: how often an idle master looks for work that was not announced.
    let pollSeconds: Int64
    var retention: RetentionRules
    /// `deliveryLog`: whether each attempt is logged.
    let logsAttempts: Bool

    /// The time that a child may need in addition to the slowest time-out: for a connection, a turn and a
    /// commit.
    package static let patienceSeconds: Int64 = 45

    /// The memory that a connection may need: for its buffers and a thousand streams with their retained
    /// answers.
    private static let kilobytesPerConnection = 512

    /// Returns the maximum resident memory of a child. The maximum grows with the child's connections,
    /// because a child with hundreds of accounts needs more memory than a child that leaks a little.
    /// Replacing a child with many accounts would not help, because its successor would connect to all these
    /// accounts again and need as much memory.
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
        staffing = ChildCountPolicy.Limits(
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
                maxDeadShare: nmac.quarantine.stormRatio, minRejections: nmac.quarantine.stormMinimum,
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

    /// Returns the topic under which the connector's gateway accepts or refuses messages with this content,
    /// independently of other topics of the account; `nil` if the gateway has no topics.
    func topic(of contentJSON: [UInt8], bundleID: String, through connector: ConnectorName) -> String? {
        connectors.first { $0.name == connector }?.topic(contentJSON, bundleID)
    }

    /// Returns the meaning of a reason from the connector's gateway and advice for the operator; `nil` if the
    /// gateway has no such reason.
    func explanation(of reason: String, through connector: ConnectorName) -> String? {
        connectors.first { $0.name == connector }?.explanation(reason)
    }

    /// Returns the retention rules from serverConf.xml.
    package static func retention(_ nmac: NMACConfiguration) -> RetentionRules {
        RetentionRules(
            messageDays: nmac.retentionDays, quarantineSeconds: Int64(nmac.quarantine.purgeDelaySec))
    }

    /// The terms that a child receives once, in its welcome. A change requires a new child.
    var welcome: WelcomeLimits {
        WelcomeLimits(capacity: capacity, maximumAgeSeconds: maximumAgeSeconds, idleSeconds: idleSeconds)
    }

    struct WelcomeLimits: Equatable {
        var capacity, maximumAgeSeconds, idleSeconds: Int
    }

    /// Returns the maximum duration of a shutdown, including the last writes to the store.
    package static func drainSeconds(
        _ configuration: ServerConfiguration, connectors: [ConnectorRow]
    ) -> Int64 {
        Int64(connectors.slowestAnswerSeconds(configuration)) + 5
    }
}

/// New settings for a running service.
package struct Reconfiguration: Sendable {
    let settings: MasterSettings
    let gateways: GatewaySettings

    package init(settings: MasterSettings, gateways: GatewaySettings) {
        self.settings = settings
        self.gateways = gateways
    }
}
