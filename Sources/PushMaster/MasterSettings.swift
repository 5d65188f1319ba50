internal import PushConfig
internal import PushSchedule

/// What the master needs of serverConf.xml, in its own words.
struct MasterSettings: Sendable {
    let childOrder: ChildProcess.Order
    let staffing: StaffingPolicy.Limits
    /// `maxWaitingMessages`: messages that a child may have, granted and not yet committed.
    let room: Int
    let maximumAgeSeconds: Int
    let idleSeconds: Int
    let messagesPerChild: Int
    let workingSetMegabytes: Int
    /// How long children may finish what they have when the service stops: every request has its answer or its
    /// time-out by then.
    let drainSeconds: Int64

    init(_ configuration: ServerConfiguration, childOrder: ChildProcess.Order) {
        self.childOrder = childOrder
        let (master, child) = (configuration.mta.master, configuration.mta.child)
        staffing = StaffingPolicy.Limits(
            atStart: master.startSpareServers, minimum: master.minSpareServers, maximum: master.maxSpareServers)
        room = child.maxWaitingMessages
        maximumAgeSeconds = child.maxAgeSec
        idleSeconds = child.idleChildTimeoutSec
        messagesPerChild = child.maxMsgPerChild
        workingSetMegabytes = child.maxWorkingSetMb
        drainSeconds = Int64(configuration.nmac.iosHTTP2.requestTimeoutSec) + 5
    }
}
