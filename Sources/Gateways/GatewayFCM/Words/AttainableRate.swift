internal import PushConfig
internal import PushModel

/// The number of messages per second that can reach one Android app with the allowed number of parallel
/// requests, and a note if this number is below the quota. With Campaign's defaults it is far below the
/// quota, which is not an error.
struct AttainableRate {
    /// The typical response time of FCM at a medium distance.
    private static let answerMilliseconds = 50
    /// Google's default quota, 600 000 messages a minute for each project. It applies if no quota is
    /// configured.
    private static let grantedPerSecond = 10_000

    private let assembly: SettingsAssembly

    init(_ assembly: SettingsAssembly) { self.assembly = assembly }

    /// The note for the operator; `nil` if the quota can be reached.
    var note: Finding? {
        let child = assembly.settings.mta.child
        let requests =
            child.requestsOfAccount < child.maxGCMConnectPerChild
            ? \ServerConfiguration.mta.child.maxGCMConnectPerAccount
            : \ServerConfiguration.mta.child.maxGCMConnectPerChild
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
            + "\(assembly.path(of: most)) carry about \(reached) messages a second to an Android app if FCM "
            + "answers in \(Self.answerMilliseconds) ms (\(Self.perSecond(children)) with "
            + "androidPushConnector, which uses one request per child); "
            + "\(hasQuota ? assembly.path(of: quota) : "Google's default quota") allows \(wanted) a second, "
            + "for which a total of \(enough) requests is sufficient"
        return assembly.note(
            text, at: [requests, most], for: [.androidPushConnector, .androidPushConnectorV2])
    }

    private static func perSecond(_ requests: Int) -> Int { requests * 1_000 / answerMilliseconds }
}
