internal import PushConfig
internal import PushModel

/// How many messages a second reach one Android app through the requests that may be under way at once, and a
/// note where that is less than the quota. Campaign's defaults are far below, and nothing is wrong with them.
struct AttainableRate {
    /// What FCM takes for an answer when it is neither near nor far.
    private static let answerMilliseconds = 50
    /// Google's default quota, 600 000 a minute for each project: what can be had where we keep to none.
    private static let grantedPerSecond = 10_000

    private let assembly: SettingsAssembly

    init(_ assembly: SettingsAssembly) { self.assembly = assembly }

    /// Nil where the quota can be reached.
    var note: Finding? {
        let requests = \ServerConfiguration.mta.child.maxGCMConnectPerChild
        let most = \ServerConfiguration.mta.master.maxSpareServers
        let quota = \ServerConfiguration.nmac.fcm.messagesPerMinute
        let settings = assembly.settings
        let parallel = settings[keyPath: requests], children = settings[keyPath: most]
        let hasQuota = settings[keyPath: quota] > 0
        let wanted = hasQuota ? settings[keyPath: quota] / 60 : Self.grantedPerSecond
        let reached = Self.perSecond(parallel * children)
        guard reached < wanted else { return nil }

        let enough = (wanted * Self.answerMilliseconds + 999) / 1_000
        let text =
            "\(assembly.path(of: requests)): \(parallel) parallel requests × \(children) in "
            + "\(assembly.path(of: most)) carry about \(reached) messages a second to an Android app where FCM answers "
            + "in \(Self.answerMilliseconds) ms (\(Self.perSecond(children)) over androidPushConnector, which has one "
            + "request in each child); \(hasQuota ? assembly.path(of: quota) : "Google's default quota") allows "
            + "\(wanted) a second, for which \(enough) requests in all would do"
        return assembly.note(
            text, at: [requests, most], for: [.androidPushConnector, .androidPushConnectorV2])
    }

    private static func perSecond(_ requests: Int) -> Int { requests * 1_000 / answerMilliseconds }
}
